// B11: what does importing the package cost over an empty module, and what do browsers load of the bus?
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, stop } from 'esbuild';
import { absoluteRow, addedRow } from './support.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const importer = fileURLToPath(new URL('importer.mjs', import.meta.url));
const ROUNDS = 25;

const bundled = (contents, options) =>
  build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'esm',
    logLevel: 'error',
    ...options,
  });

/** One of our dependencies by itself: large enough to be measured well, and performance.md has a figure for it. */
const bare = `export { execa } from 'execa';`;
const bareInDocument = 14;

/** CommonJS among its own dependencies asks for Node's modules by `require`, which modules do not have. */
const withRequire = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

/**
 * What a fresh process has computed by the time it has imported a module. Computing time, because starting a process
 * takes longer than importing anything, and how much longer is up to whatever else the machine does.
 */
const importTime = async (file) => {
  const { stdout } = await promisify(execFile)(process.execPath, [importer, pathToFileURL(file).href]);
  return Number(stdout);
};

const importTimes = async (files) => {
  const names = Object.keys(files);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) times[name].push(await importTime(files[name]));
    names.push(names.shift());
  }
  return times;
};

const measureImports = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-bench-'));
  const write = (name, text) => {
    const file = join(directory, `${name}.mjs`);
    writeFileSync(file, text);
    return file;
  };
  try {
    const { outputFiles } = await bundled(bare, { platform: 'node', banner: { js: withRequire }, write: false });
    const times = await importTimes({
      empty: write('empty', ''),
      bare: write('bare', outputFiles[0].text),
      index: join(root, 'dist/index.js'),
      bus: join(root, 'dist/bus.js'),
    });
    const row = (what, ours, budget) =>
      addedRow({
        id: 'B11',
        what,
        ours,
        without: times.empty,
        bare: times.bare.map((took, round) => took - times.empty[round]),
        bareInDocument,
        unit: 'ms',
        budget,
      });
    return [row('import hookwright', times.index, 12), row('import hookwright/bus', times.bus, 8)];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** What Node has to parse before the first line of the host runs. */
const measureParsed = () => {
  const read = new Map();
  const add = (file) => {
    if (read.has(file)) return;
    read.set(file, readFileSync(file, 'utf8'));
    for (const [, path] of read.get(file).matchAll(/(?:from|import)\s*"(\.[^"]+)"/g)) add(join(dirname(file), path));
  };
  add(join(root, 'dist/index.js'));
  const size = [...read.values()].reduce((sum, { length }) => sum + length, 0) / 1_000;
  return absoluteRow({ id: 'B11', what: 'import hookwright, parsed', ours: [size], unit: 'kB', budget: 320 });
};

const measureBundle = async () => {
  const { outputFiles } = await bundled(`export * from './dist/bus.js';`, {
    platform: 'browser',
    minify: true,
    write: false,
  });
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length / 1_000;
  return absoluteRow({ id: 'B11', what: 'hookwright/bus for browsers, min+gz', ours: [size], unit: 'kB', budget: 12 });
};

export const measure = async () => {
  try {
    return [...(await measureImports()), measureParsed(), await measureBundle()];
  } finally {
    // Its service would keep this process from ending.
    await stop();
  }
};
