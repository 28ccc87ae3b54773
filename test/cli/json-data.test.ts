import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { dataSchemas } from '../../src/cli/rendering/data-schemas.ts';
import { envelopeSchema } from '../../src/cli/rendering/envelope.ts';
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
];

describe('what --json has as data is what its schema says', () => {
  test.each(commandLines)('%s %s %s', async (...words) => {
    const envelope = envelopeSchema().parse(await hookwright(...words));
    const schema = dataSchemas()[envelope.command];
    expect(schema?.safeParse(envelope.data).error).toBeUndefined();
    expect(envelope.data).toBeDefined();
  });

  test('every schema is tried, and refuses what is something else', () => {
    expect(Object.keys(dataSchemas()).sort()).toEqual([...new Set(commandLines.map(([name]) => name))].sort());
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
