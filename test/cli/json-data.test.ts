import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { commands } from '../../src/cli/index.ts';
import { dataSchemas } from '../../src/cli/rendering/data-schemas.ts';
import { envelopeSchema } from '../../src/cli/rendering/json-envelope.ts';
import { createStage, type Stage } from './support/story.ts';

const entry = (name: string, command: string) => ({ name, command });
const settings = {
  hooks: {
    BeforeTool: [
      { matcher: 'Edit|Write', hooks: [entry('guard', 'echo no >&2; exit 2'), entry('gone', './gone.sh')] },
      { matcher: 'bash', hooks: [entry('other-case', 'cat')] },
    ],
  },
};
const hookTest = { event: 'BeforeTool', payload: { tool_name: 'Edit' }, expect: { verdict: 'deny' } };

const files = [
  { path: '~/.hookwright/settings.json', text: JSON.stringify(settings), isExecutable: false },
  { path: '.claude/settings.json', text: '{"hooks": {}}', isExecutable: false },
  { path: '.git/config', text: '', isExecutable: false },
  { path: '.hookwright/settings.json', text: JSON.stringify({ hooks: { SessionEnd: [] } }), isExecutable: false },
  { path: '.hookwright/tests/a.test.json', text: JSON.stringify(hookTest), isExecutable: false },
];

let stage: Stage;
const hookwright = (...words: string[]): Promise<unknown> =>
  new Promise((done) => {
    const options = { cwd: stage.cwd, env: { ...stage.env } };
    execFile(process.execPath, [resolve('dist/cli.js'), '--json', ...words], options, (_error, stdout) =>
      done(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')),
    );
  });

beforeAll(async () => {
  stage = await createStage(files);
  await hookwright('run', 'BeforeTool', '--tool', 'Edit', '--record');
});
afterAll(() => stage.remove());

/** Stands for the key of the task that was created last. */
const THE_TASK = '{task}';
let taskKey = '';
const createdSchema = z.looseObject({ task_key: z.optional(z.string()) });

/** In this order: some need what those before them wrote. */
const commandLines: readonly (readonly [string, ...string[]])[] = [
  ['list'],
  ['explain', 'BeforeTool', '--tool', 'Edit'],
  ['validate'],
  ['doctor'],
  ['run', 'BeforeTool', '--tool', 'Edit'],
  ['why'],
  ['why', '--list'],
  ['test'],
  ['trust', '--list'],
  ['trust', '--check'],
  ['replay'],
  ['replay', '--drive'],
  ['backtest'],
  ['record', '--', 'node', '--version'],
  ['test', '--races', 'BeforeTool', '--tool', 'Read'],
  ['new', 'other', '--event', 'AfterTool'],
  ['disable', 'guard'],
  ['enable', 'guard'],
  ['undo'],
  ['import', '--from', 'claude-code', '--dry-run'],
  ['install', '--into', 'codex'],
  ['uninstall', '--from', 'codex'],
  ['disable', '--all', '--for', '10m'],
  ['enable', '--all'],
  ['bench', '--warm', 'other'],
  ['bench', '--seconds', '0.2'],
  ['events'],
  ['events', 'BeforeTool'],
  ['events', '--schema'],
  ['events', '--schema', 'data:list'],
  ['completion', 'bash'],
  ['why', '--follow', '--list'],
  ['init', '--abilities'],
  ['ability', 'hooks'],
  ['ability', 'list'],
  ['ability', 'run', 'deploy_service', '--input', '{"target": "staging"}'],
  ['task', 'create', 'deploy_service', '--input', '{"target": "staging"}'],
  ['task', 'list'],
  ['task', 'run', THE_TASK],
  ['init'],
];

/** They speak as long as they run, or to another program: what they do is not an answer. */
const withoutAnswer: readonly string[] = ['complete', 'here', 'inspect', 'mcp-proxy', 'serve'];

describe('what --json has as data is what its schema says', () => {
  test.each(commandLines)('%s %s %s', async (...words) => {
    const named = words.map((word) => (word === THE_TASK ? taskKey : word));
    const envelope = envelopeSchema().parse(await hookwright(...named));
    const schema = dataSchemas()[envelope.command];
    expect(schema?.safeParse(envelope.data).error).toBeUndefined();
    expect(envelope.data).toBeDefined();
    taskKey = createdSchema.safeParse(envelope.data).data?.task_key ?? taskKey;
  });

  test('every schema is tried, and refuses what is something else', () => {
    const described = Object.keys(dataSchemas());
    const names = commands
      .map(({ spec }) => spec.name.replace(/^_+/, ''))
      .filter((name) => !withoutAnswer.includes(name));
    expect([...described].sort()).toEqual(names.sort());
    const byLength = [...described].sort((one, other) => other.length - one.length);
    const tried = commandLines.map((words) => byLength.find((name) => words.join(' ').startsWith(name)));
    expect([...new Set(tried)].sort()).toEqual(described.sort());
    for (const schema of Object.values(dataSchemas())) expect(z.safeParse(schema, { nothing: 1 }).success).toBe(false);
  });

  test('list and explain name file, line, matcher and command', async () => {
    expect(await hookwright('explain', 'BeforeTool', '--tool', 'Edit')).toMatchObject({
      data: {
        hooks: [{ source: { line: 1 }, matcher: 'Edit|Write', starts: expect.stringContaining('exit 2') }, {}, {}],
      },
    });
  });
});
