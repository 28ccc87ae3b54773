/** Runs each recipe of docs/recipes.md exactly as it stands on the page, in each of its languages, by the commands on the page. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage } from './support.ts';

const page = readFileSync('docs/recipes.md', 'utf8');
const endings: Record<string, string> = { sh: '.sh', js: '.mjs', python: '.py' };

interface Block {
  readonly language: string;
  readonly code: string;
}

const blocksOf = (text: string): Block[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));

const recipes = page
  .split(/^## /m)
  .map((section) => ({ title: section.split('\n')[0] ?? '', blocks: blocksOf(section) }))
  .filter(({ blocks }) => blocks.some(({ code }) => code.startsWith('#!')));

/** The one block of a recipe in this language. */
const only = (blocks: readonly Block[], language: string): string => {
  const [block, second] = blocks.filter((candidate) => candidate.language === language);
  if (block === undefined || second !== undefined) throw new Error(`a recipe has one block of ${language}`);
  return block.code;
};

const runs = recipes.flatMap(({ title, blocks }) =>
  Object.entries(endings).map(([language, ending]) => ({
    title,
    language,
    ending,
    script: only(blocks, language),
    settings: only(blocks, 'json'),
    terminal: only(blocks, 'text'),
  })),
);

beforeAll(buildPackage, 60_000);

describe.skipIf(process.platform === 'win32')('the recipes', () => {
  test('are at least seven, each in sh, JavaScript and Python beside one another', () => {
    expect(recipes.length).toBeGreaterThanOrEqual(7);
    for (const { blocks } of recipes) {
      expect(blocks.map(({ language }) => language)).toEqual(['sh', 'js', 'python', 'json', 'text']);
    }
  });

  test.each(runs)('R1680 $title, in $language does what the page shows', ({ ending, script, settings, terminal }) => {
    const project = temporaryFolder('recipe');
    const entry = settings.replace('.sh\\"', `${ending}\\"`);
    const [, name = ''] = /\/hooks\/([\w.-]+)\\"/.exec(entry) ?? [];
    for (const folder of ['home', 'hooks', 'bin', '.hookwright']) mkdirSync(join(project, folder));
    writeFileSync(join(project, 'hooks', name), script);
    chmodSync(join(project, 'hooks', name), 0o755);
    writeFileSync(join(project, 'hooks/notes.txt'), 'one\ntwo\nthree\n');
    writeFileSync(join(project, '.hookwright/settings.json'), entry);
    // `npx hookwright` is what an installed package starts.
    writeFileSync(join(project, 'bin/npx'), `#!/bin/sh\nshift\nexec node "${resolve('dist/cli.js')}" "$@"\n`);
    chmodSync(join(project, 'bin/npx'), 0o755);
    const path = [join(project, 'bin'), dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
    const env = { ...process.env, PATH: path, HOME: join(project, 'home'), NO_COLOR: '1' };
    const type = (line: string): string =>
      execFileSync('sh', ['-c', `${line} || true`], {
        cwd: project,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });

    expect(type('npx hookwright trust --yes')).toContain('approved: ');
    const [prompt = '', ...shown] = terminal.trimEnd().split('\n');
    const printed = type(prompt.replace(/^\$ /, '')).split('\n');
    for (const line of shown) expect(printed).toContain(line);
  });
});
