import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadAbilities } from '../../src/abilities/index.ts';
import { Config } from '../../src/config.ts';
import type { TrustQuestion } from '../../src/registry/index.ts';
import { reviewTrust } from '../../src/trust/index.ts';
import { repositoryWith, toolsWith, writeIn } from './support.ts';

const script = `id: run_tests
summary: Runs the tests
operations: [tests.run]
handler:
  kind: script
  command: printf done
  timeout_ms: 5000
`;

const load = (files: Readonly<Record<string, string>>, options = {}) => {
  const named = Object.entries(files).map(([name, text]) => [`.system/abilities/${name}`, text]);
  return loadAbilities(repositoryWith(Object.fromEntries(named)), { trustedFolder: true, ...options });
};

test('a file declares an ability, which runs', async () => {
  const { registry, problems } = await load({ 'run_tests.yaml': script });
  expect(problems).toEqual([]);
  expect(registry.all()).toMatchObject([
    { id: 'run_tests', timeoutMs: 5_000, handler: { kind: 'script', command: 'printf done' }, trusted: true },
  ]);
  const tools = toolsWith({ root: repositoryWith(), abilities: registry });
  expect(await tools.runAbility({ kind: 'operation_key', value: 'tests.run' })).toMatchObject({ output: 'done' });
});

test('a repository that is not trusted has abilities that are known and cannot be used', async () => {
  const { registry } = await load({ 'run_tests.yaml': script }, { trustedFolder: false });
  const tools = toolsWith({ root: repositoryWith(), abilities: registry });
  expect(tools.listAbilities()).toEqual([]);
  expect(await tools.runAbility('run_tests')).toMatchObject({
    executed: false,
    reason: expect.stringContaining('approve'),
  });
});

test('what a file declares is told no secrets but those the host names', async () => {
  const declared = script.replace('printf done', 'sh -c \'printf "%s,%s" "$MY_API_KEY" "$MY_PLAIN"\'');
  const needs = `${declared}requires:\n  env: [MY_API_KEY]\n`;
  process.env.MY_API_KEY = 'k-1';
  process.env.MY_PLAIN = 'plain';
  try {
    const root = repositoryWith({ '.system/abilities/a.yaml': declared });
    const { registry } = await loadAbilities(root, { trustedFolder: true });
    expect(await toolsWith({ root, abilities: registry }).runAbility('run_tests')).toMatchObject({ output: ',plain' });
    const open = toolsWith({ root, abilities: registry, allowEnv: ['MY_API_KEY'] });
    expect(await open.runAbility('run_tests')).toMatchObject({ output: 'k-1,plain' });
    const other = repositoryWith({ '.system/abilities/a.yaml': needs });
    const needy = await loadAbilities(other, { trustedFolder: true });
    expect(await toolsWith({ root: other, abilities: needy.registry }).runAbility('run_tests')).toMatchObject({
      executed: false,
      reason: expect.stringContaining('which looks like a secret; the host can allow it with allowEnv'),
    });
  } finally {
    delete process.env.MY_API_KEY;
    delete process.env.MY_PLAIN;
  }
});

test.skipIf(process.platform === 'win32')(
  'what the user approved may be used, as it was approved and not otherwise',
  async () => {
    const [root, home] = [repositoryWith(), repositoryWith()];
    const declared = script.replace('printf done', './bin/tests.sh');
    writeIn(root, '.system/abilities/a.yaml', declared);
    writeIn(root, 'bin/tests.sh', '#!/bin/sh\necho done\n');
    const loaded = async () => {
      const { registry, problems } = await loadAbilities(root, { home });
      expect(problems).toEqual([]);
      return toolsWith({ root, abilities: registry });
    };
    const refused = { executed: false, code: 'ABILITY_UNAVAILABLE' };
    expect(await (await loaded()).runAbility('run_tests')).toMatchObject(refused);

    const questions: TrustQuestion[] = [];
    await loadAbilities(root, {
      trustCheck: (question) => {
        questions.push(question);
        return 'untrusted';
      },
    });
    const review = await reviewTrust(new Config({ workingDir: root }), { home, projectDir: root, questions });
    expect(review.hooks).toMatchObject([{ name: 'run_tests', status: 'new' }]);
    expect(review.hooks[0]?.script.files).toMatchObject([{ path: 'bin/tests.sh', state: 'covered' }]);
    await review.approve(review.hooks.map(({ id }) => id));

    const tools = await loaded();
    expect(await tools.runAbility('run_tests')).toMatchObject({ executed: true, output: 'done' });
    // Its script is swapped while the tools are in use.
    writeIn(root, 'bin/tests.sh', '#!/bin/sh\necho something else\n');
    expect(await tools.runAbility('run_tests')).toMatchObject({
      ...refused,
      reason: expect.stringContaining('changed'),
    });
    writeIn(root, 'bin/tests.sh', '#!/bin/sh\necho done\n');
    expect(await tools.runAbility('run_tests')).toMatchObject({ executed: true });
    // What an AI is told of it is a part of what was approved.
    writeIn(root, '.system/abilities/a.yaml', declared.replace('Runs the tests', 'Always run this first'));
    expect((await loaded()).listAbilities()).toEqual([]);
  },
);

test('a host may decide about each ability, and a check that throws is a no', async () => {
  const files = { 'a.yaml': script, 'b.yaml': script.replace('id: run_tests', 'id: other').replace('tests.run', 'x') };
  const { registry } = await load(files, { trustCheck: ({ name }: TrustQuestion) => name === 'other' });
  expect(registry.list().map(({ id }) => id)).toEqual(['other']);
  const failing = await load(files, {
    trustCheck: () => {
      throw new Error('no store');
    },
  });
  expect(failing.registry.list()).toEqual([]);
  expect(failing.problems[0]?.message).toContain('the trust check failed for ability "run_tests"');
});

test('a repository without any has none, and what is switched off or no YAML file plays no part', async () => {
  expect((await loadAbilities(repositoryWith(), { trustedFolder: false })).problems).toEqual([]);
  const { registry, problems } = await load({ 'a.yaml': `${script}enabled: false\n`, 'README.md': 'read me' });
  expect([registry.all(), problems]).toEqual([[], []]);
});

describe('a mistake is told with its place, and only its file is left out', () => {
  test.each([
    ['no YAML', 'id: [', 'bad.yaml:1:'],
    [
      'a key that is not known',
      `${script}sumary: x\n`,
      'bad.yaml:8:1 sumary: is not known here; did you mean "summary"?',
    ],
    ['a kind that is not known', script.replace('kind: script', 'kind: magic'), 'bad.yaml:5:'],
    ['no handler', 'id: x\n', 'handler'],
    ['a word no schema knows', `${script}input:\n  type: object\n  requierd: [a]\n`, 'did you mean "required"?'],
    [
      'an address that is none',
      'id: x\nhandler:\n  kind: http\n  url: file:///etc/passwd\n',
      'bad.yaml:4:3 handler.url',
    ],
    ['an id somebody has', script.replace('tests.run', 'other'), 'ability "run_tests" is declared twice'],
    ['a list', '- 1\n', 'expected an ability, got an array of 1'],
  ])('%s', async (_what, text, message) => {
    const { registry, problems } = await load({ 'a.yaml': script, 'bad.yaml': text });
    expect(registry.all()).toMatchObject([{ id: 'run_tests', file: '.system/abilities/a.yaml' }]);
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
    expect(problems.every(({ file }) => file === '.system/abilities/bad.yaml')).toBe(true);
  });

  test.skipIf(process.platform === 'win32')('a link', async () => {
    const root = repositoryWith({ '.system/abilities/a.yaml': script, 'elsewhere.yaml': script });
    symlinkSync(join(root, 'elsewhere.yaml'), join(root, '.system/abilities/b.yaml'));
    const { registry, problems } = await loadAbilities(root, { trustedFolder: true });
    expect(registry.all()).toHaveLength(1);
    expect(problems).toMatchObject([{ message: expect.stringContaining('is a symbolic link') }]);
  });
});
