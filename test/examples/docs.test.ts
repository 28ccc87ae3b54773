import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { runNode } from './support.ts';

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative('.', join(entry.parentPath, entry.name)));

const pages = ['README.md', ...filesIn('docs').filter((file) => file.endsWith('.md'))].map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

/** Examples are run as they are; stories of the command line are held to what the binary prints. */
const sources = [...filesIn('examples'), ...filesIn('test/cli/stories')].map((file) => readFileSync(file, 'utf8'));

const CODE = /^```(?:js|mjs|javascript|ts|typescript|sh|bash|shell|python|py|console|yaml)\n(.*?)^```$/gms;

/** Pages of events are generated, and test/cli/event-pages.test.ts holds them to what the catalogue says. */
const isGenerated = (file: string): boolean => dirname(file) === join('docs', 'events');
/** recipes.test.ts runs the scripts of this page as they stand there. */
const isRunFromPage = (file: string, code: string): boolean =>
  file === join('docs', 'recipes.md') && code.startsWith('#!');

const codeBlocks = pages
  .filter(({ file }) => !isGenerated(file))
  .flatMap(({ file, text }) =>
    [...text.matchAll(CODE)].map(([, code = '']) => ({ file, code, title: code.trim().split('\n')[0] })),
  )
  .filter(({ file, code }) => !isRunFromPage(file, code));

test('there are code blocks to check', () => {
  expect(codeBlocks.length).toBeGreaterThan(3);
});

test.each(codeBlocks)(
  '$file: the code that begins with "$title" is part of an example or a story that is run',
  ({ code }) => {
    expect(
      sources.some((source) => source.includes(code)),
      `no file of examples/ or test/cli/stories contains\n${code}`,
    ).toBe(true);
  },
);

test('R2036 code that calls a model looks at the verdict before and after it, so that no refusal is lost', () => {
  const calling = [...codeBlocks.map(({ code }) => code), ...sources].filter((code) => code.includes('.afterModel('));
  expect(calling.length).toBeGreaterThan(3);
  for (const code of calling) {
    expect(code).toMatch(/before\.verdict|isRefused\(before\)/);
    expect(code).toMatch(/after\.verdict|isRefused\(after\)/);
  }
});

const jsonBlocks = pages.flatMap(({ file, text }) =>
  [...text.matchAll(/^```jsonc?\n(.*?)^```$/gms)].map(([, code = '']) => ({ file, code })),
);

test.each(jsonBlocks)('$file: JSON on it can be copied: $code', ({ code }) => {
  const errors: ParseError[] = [];
  parse(code, errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
});

test('the README fits into 9,000 bytes, and its first code is an agent of at most twenty lines', () => {
  expect(readFileSync('README.md').length).toBeLessThanOrEqual(9_000);
  const [first] = codeBlocks;
  expect(first).toMatchObject({ file: 'README.md' });
  expect(first?.code).toContain('createHooks({ load: true, tools })');
  expect(first?.code.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20);
});

test('the quick start of the README has the two commands of a clone', () => {
  const [, quickStart = ''] = /^## Quick start\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? [];
  expect(quickStart).toContain('`npm ci && npm start`');
  expect(quickStart).toContain('`npm ci && npm test`');
});

const COMMANDS = readdirSync('docs/cli').map((file) => file.replace(/-.*|\.md$/g, ''));

/** What the CLI prints, and rules that name a command, write the name alone. */
const isProse = (file: string): boolean => !/^docs\/(specification|conformance|decisions\/.*)\.?(md)?$/.test(file);

test('R1761 a command on a page is written as a project with the package as a dependency types it', () => {
  const bare = new RegExp(`(?:^\\$? ?|\`)hookwright (?:${COMMANDS.join('|')})\\b`, 'm');
  const found = pages
    .filter(({ file }) => isProse(file))
    .flatMap(({ file, text }) =>
      text
        .replace(/^```(?!text|sh\n|bash).*?^```$/gms, '')
        .split('\n')
        // A page about a command shows its form first.
        .filter((line) => bare.test(line) && !(file.startsWith('docs/cli/') && /\[flags\]|^#/.test(line)))
        .map((line) => `${file}: ${line}`),
    );
  expect(found).toEqual([]);
});

test('what docs/hooks.md takes from the code is up to date', async () => {
  const { code, stdout, stderr } = await runNode('scripts/generate-docs.mjs', { args: ['--check'] });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'docs/hooks.md is up to date\n', stderr: '' });
});

/** As on the pages that show Markdown: lower case, blanks to hyphens, everything else but letters and digits gone. */
const anchorsIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );

const links = pages.flatMap(({ file, text }) =>
  [...text.replace(/^```.*?^```$/gms, '').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => ({ file, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target)),
);

test.each(links)('$file: the link to $target leads somewhere', ({ file, target }) => {
  const [path = '', anchor] = target.split('#');
  const linked = path === '' ? file : join(dirname(file), path);
  expect(existsSync(linked), `${linked} does not exist`).toBe(true);
  // Git keeps no empty directories.
  if (statSync(linked).isDirectory()) expect(filesIn(linked)).not.toEqual([]);
  if (anchor !== undefined) expect(anchorsIn(linked)).toContain(anchor);
});
