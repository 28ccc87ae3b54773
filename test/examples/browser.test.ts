import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage } from './support.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

const onPath = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .filter((file) => existsSync(file));

const browser = [process.env.CHROME_PATH ?? '', ...names.flatMap(onPath)].find((file) => file !== '');

const options = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
];

/** The document of a page as the browser has it when all its scripts have run. */
const openPage = (file: string, directory: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const args = [
      ...options,
      ...[`--user-data-dir=${join(directory, 'profile')}`, '--virtual-time-budget=10000', '--dump-dom'],
      pathToFileURL(file).href,
    ];
    execFile(browser ?? '', args, { timeout: 60_000 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });

beforeAll(buildPackage, 60_000);

const missing = `no ${names.join(', ')} on PATH, and no CHROME_PATH`;
const skipped = browser === undefined ? ` (skipped: ${missing})` : '';
// The titles of skipped tests are not shown by every reporter.
if (browser === undefined) console.log(`The test in a browser is skipped: ${missing}.`);

test.skipIf(browser === undefined)(
  `a UI that holds only the bus runs in a browser and shows there what it prints here${skipped}`,
  { timeout: 90_000 },
  async () => {
    const directory = temporaryFolder('browser');
    const { outputFiles } = await build({
      entryPoints: ['examples/ui-bus-only.mjs'],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
      logLevel: 'error',
    });
    const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script');
    const page = join(directory, 'page.html');
    writeFileSync(page, `<!doctype html><meta charset="utf-8"><body><script type="module">${script}</script></body>`);
    const dom = await openPage(page, directory);
    const [, shown = ''] = dom.split('</script>');
    const lines = shown.replace(/<\/body>.*$/s, '').split('<br>');
    const expected = readFileSync('examples/ui-bus-only.expected.txt', 'utf8').split('\n');
    expect(lines.map((line) => line.trim())).toEqual(expected);
  },
);
