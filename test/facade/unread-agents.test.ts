import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { dialects } from '../../src/agents/index.ts';
import { type CreateHooksOptions, createHooks } from '../../src/index.ts';
import { agentProjectFiles } from '../../src/settings/agent-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const claude = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }] } };
const cursor = { version: 1, hooks: { beforeShellExecution: [{ command: 'true' }] } };
const own = { hooks: { BeforeTool: [{ hooks: [{ command: 'true' }] }] } };
const CLAUDE = '.claude/settings.json';
const CURSOR = '.cursor/hooks.json';

const problemsWith = async (files: Record<string, object>, options: CreateHooksOptions = {}) => {
  const [cwd, home] = [temporaryFolder('unread'), temporaryFolder('home')];
  mkdirSync(join(cwd, '.git'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), JSON.stringify(content));
  }
  const hooks = await createHooks({ load: true, cwd, home, ...options });
  await hooks.close();
  return hooks.problems.filter(({ code }) => code === 'not-loaded').map(({ message }) => message);
};

test('R1863 hooks of other agents in a project without hooks of its own are named as not run', async () => {
  expect(await problemsWith({ [CLAUDE]: claude, [CURSOR]: cursor })).toEqual([
    "hooks of Claude Code are here and do not run; add agents: {'claude-code': true}, or false to leave them out",
    "hooks of Cursor are here and do not run; add agents: {'cursor': true}, or false to leave them out",
  ]);
});

test.each([
  ['without hooks', { [CLAUDE]: { permissions: {}, hooks: {} } }, {}],
  ['of an agent whose hooks run', { [CLAUDE]: claude }, { agents: { 'claude-code': true } }],
  ['of an agent that is left out on purpose', { [CLAUDE]: claude }, { agents: { 'claude-code': false } }],
  ['beside hooks of the project', { [CLAUDE]: claude, '.hookwright/settings.json': own }, {}],
  ['where no settings are loaded', { [CLAUDE]: claude }, { load: false }],
] as const)('R1863 nothing is said of files %s', async (_where, files, options) => {
  expect(await problemsWith(files, options)).toEqual([]);
});

test('R1863 the table of their files has what the rules of each agent name as its own', () => {
  const files = dialects
    .filter(
      ({ isOurs, files: its }) =>
        isOurs !== true && its.some(({ of, scope }) => of === undefined && scope === 'project'),
    )
    .map(({ name, title, files: its }) => {
      const paths = its
        .filter(({ scope, of }) => scope === 'project' && of === undefined)
        .flatMap(({ path }) => (typeof path === 'string' ? [path.replace(/^\{[a-z+]+\}\//, '')] : []));
      return [name, { title, files: paths }];
    });
  expect(Object.fromEntries(files)).toEqual(agentProjectFiles);
});
