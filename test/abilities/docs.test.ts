import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approveAll, open } from './fixture-support.ts';
import { repositoryWith } from './support.ts';

const page = readFileSync('docs/abilities.md', 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

const sources = ['examples/abilities', 'examples/first-guard']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((file) => statSync(file).isFile())
  .map((file) => readFileSync(file, 'utf8'));

test.each(blocks('yaml'))('the page about abilities shows files that are there:\n%s', (block) => {
  expect(sources).toContain(block);
});

test.each(blocks('text').filter((block) => !block.startsWith('$')))(
  'the page about abilities shows what the example prints:\n%s',
  (block) => {
    expect(readFileSync('examples/abilities.expected.txt', 'utf8')).toContain(block);
  },
);

test('there are blocks to check', () => {
  expect([blocks('yaml').length, blocks('text').length]).toEqual([4, 4]);
});

test('its first page leads from three files and two commands to the first refused ability', async () => {
  const root = repositoryWith();
  cpSync('examples/first-guard', root, { recursive: true });
  const [script = ''] = blocks('js');
  expect(sources).toContain(script);
  await approveAll(root, root);
  const { runtime } = await open(root, { home: root });
  const tools = runtime.toolsFor({ source: 'manual_cli' });
  expect(await tools.runAbility('deploy_service', { target: 'production' })).toMatchObject({
    executed: false,
    code: 'ABILITY_DENIED',
    reason: 'production is deployed by people',
  });
  expect(await tools.runAbility('deploy_service', { target: 'staging' })).toMatchObject({ output: 'deployed' });
});

test('its tables of fields are those of the code', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/generate-ability-docs.mjs', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
