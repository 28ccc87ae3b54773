import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findAgent } from '../../src/agents/cli-api.ts';
import { dialects } from '../../src/agents/index.ts';
import { createHooks } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = temporaryFolder('install');

const where = { cwd: root, home: join(root, 'home'), env: {} };
const options = { program: 'hookwright', needs: () => ({ timeoutMs: 65_000 }) };

const textOf = (edited: { readonly text: string } | { readonly trouble: string }): string => {
  if ('trouble' in edited) throw new Error(edited.trouble);
  return edited.text;
};

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('in the settings of %s', (name, dialect) => {
  const agentHere = () => findAgent(name, where);
  const { root: own = {} } = dialect.writes;
  const { events: place } = dialect.forms.settings ?? { events: { below: 'hooks' } };
  const event = Object.keys(dialect.events(dialect.latest))[0] ?? '';
  const theirs = {
    ...own,
    other: { of: 'theirs' },
    ['below' in place ? place.below : 'mine']: {
      [event]: [{ matcher: 'x', hooks: [{ type: 'command', command: './theirs.sh' }] }],
    },
  };

  test.each([
    ['two spaces', JSON.stringify(theirs, null, 2)],
    ['tabs and a last line', `${JSON.stringify(theirs, null, '\t')}\n`],
    ['CRLF', JSON.stringify(theirs, null, 4).replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${JSON.stringify(theirs, null, 2)}\n`],
  ])('R881 our lines come and go, and what was there stays (%s)', async (_layout, before) => {
    const agent = await agentHere();
    const events = agent.hostable.map(([its]) => its);
    const after = textOf(agent.replaceOurLines(before, { ...options, events }));
    expect(after).toContain(`hookwright run ${event} --as-hook --agent ${name}`);
    expect(after).toContain('./theirs.sh');
    expect(after.includes('\r\n')).toBe(before.includes('\r\n'));
    expect(after.replaceAll('\r\n', '').includes('\n')).toBe(!before.includes('\r\n'));
    expect(textOf(agent.replaceOurLines(after, { ...options, events }))).toBe(after);
    expect(textOf(agent.removeOurLines(after)).trimEnd()).toBe(before.trimEnd());
  });

  test('a file of ours alone is read by the agent without a problem, and is empty again afterwards', async () => {
    const agent = await agentHere();
    const events = agent.hostable.map(([its]) => its);
    const text = textOf(agent.replaceOurLines('', { ...options, events }));
    const file = join(root, name, 'settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { hooks, problems } = await agent.judge({ files: [file] });
    expect(problems).toEqual([]);
    expect(hooks.map(({ event: its }) => its)).toEqual(events);
    expect(JSON.parse(textOf(agent.removeOurLines(text)))).toEqual(own);
  });

  test('another command takes the place of the one before', async () => {
    const agent = await agentHere();
    const first = textOf(agent.replaceOurLines('', { ...options, events: [event] }));
    const second = textOf(agent.replaceOurLines(first, { ...options, program: 'npx hookwright', events: [event] }));
    expect(second).toContain(`npx hookwright run ${event}`);
    expect(second.match(/--as-hook/g)).toHaveLength(1);
  });
});

const LINE = 'hookwright run PreToolUse --as-hook --agent claude-code';

const theirGroup = '{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./theirs.sh" }] }';

test.each([
  ['in an empty object', '{\n  "hooks": {\n    // nothing yet\n  }\n}\n'],
  ['in an empty list', '{\n  "hooks": {\n    "PreToolUse": [\n      // nothing yet\n    ]\n  }\n}\n'],
  [
    'behind the last hook',
    `{\n  "hooks": {\n    "PreToolUse": [\n      ${theirGroup} // theirs\n      // the end\n    ] // before a tool\n  }\n}\n`,
  ],
  ['behind a comma', `{\n  "hooks": {\n    "PreToolUse": [\n      ${theirGroup}, // theirs\n    ],\n  }, /* x */\n}`],
])('R2051 a comment %s stays in its place when our lines come and go', async (_where, before) => {
  const agent = await findAgent('claude-code', where);
  const after = textOf(agent.replaceOurLines(before, { ...options, events: ['PreToolUse', 'Stop'] }));
  for (const comment of before.match(/\/\/.*|\/\*.*\*\//g) ?? []) expect(after).toContain(comment);
  if (before.includes('// theirs')) expect(after).toMatch(/theirs\.sh.*\/\/ theirs/);
  expect(textOf(agent.removeOurLines(after))).toBe(before);
});

test('R2051 a comment that a person wrote beside our line stays when the line is taken away', async () => {
  const agent = await findAgent('claude-code', where);
  const ours = JSON.stringify({ hooks: [{ type: 'command', command: LINE }] });
  const text = `{\n  "hooks": {\n    "PreToolUse": [\n      ${theirGroup}, // keep\n      // asks hookwright\n      ${ours}\n    ]\n  }\n}\n`;
  const left = textOf(agent.removeOurLines(text));
  expect(left).not.toContain('--as-hook');
  expect(left).toContain('// keep');
  expect(left).toContain('// asks hookwright');
});

test('R2052 where a key is there twice, our lines go into the one that the agent reads, and come out of it', async () => {
  const agent = await findAgent('claude-code', where);
  const before = '{"hooks": {"PreToolUse": []}, "x": 1, "hooks": {"Stop": [{"hooks": []}]}}';
  const after = textOf(agent.replaceOurLines(before, { ...options, events: ['PreToolUse'] }));
  expect(JSON.parse(after)).toMatchObject({ hooks: { PreToolUse: [{ hooks: [{ command: LINE }] }] } });
  expect(textOf(agent.removeOurLines(after))).toBe(before);
});

test('R2053 lines for events that are not named stay, written anew', async () => {
  const agent = await findAgent('claude-code', where);
  const first = textOf(agent.replaceOurLines('', { ...options, events: ['PreToolUse', 'Stop'] }));
  const needs = () => ({ timeoutMs: 90_000 });
  const after = textOf(agent.replaceOurLines(first, { program: 'npx hookwright', needs, events: ['Stop'] }));
  const lineOf = (event: string) => ({ command: `npx ${LINE.replace('PreToolUse', event)}`, timeout: 90 });
  expect(JSON.parse(after)).toMatchObject({
    hooks: { PreToolUse: [{ hooks: [lineOf('PreToolUse')] }], Stop: [{ hooks: [lineOf('Stop')] }] },
  });
  expect(after.match(/--as-hook/g)).toHaveLength(2);
});

test.each([
  'hookwright run PreToolUse --as-hook --dialect claude-code',
  'npx hookwright run PreToolUse --as-hook --dialect claude-code',
  'hookwright run --as-hook',
  '/usr/bin/node /opt/hookwright/dist/cli.js run PreToolUse --as-hook --agent claude-code',
  '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookwright run PreToolUse --as-hook --agent claude-code',
])('R1127 a line that install wrote, today or earlier, is known as ours and taken away: %s', async (command) => {
  const agent = await findAgent('claude-code', where);
  const before = '{\n  "other": 1\n}\n';
  const text = JSON.stringify(
    { other: 1, hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } },
    null,
    2,
  );
  expect(textOf(agent.removeOurLines(`${text}\n`))).toBe(before);
  const again = textOf(agent.replaceOurLines(text, { ...options, events: ['PreToolUse'] }));
  expect(again.match(/--as-hook/g)).toHaveLength(1);
});

test.each(['{ "hooks": ', '[]', '{ "hooks": [] }', '{ "hooks": { "PreToolUse": {} } }'])(
  'nothing is written into %s',
  async (text) => {
    const agent = await findAgent('claude-code', where);
    expect(agent.replaceOurLines(text, { ...options, events: ['PreToolUse'] })).toMatchObject({
      trouble: expect.any(String),
    });
  },
);

test('R882 a file that holds our own line does not start us from within us, whoever reads it', async () => {
  const project = join(root, 'within');
  const line = 'hookwright run PreToolUse --as-hook --dialect claude-code';
  const files = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.claude/settings.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: line }] }] } },
    '.gemini/settings.json': {
      hooksConfig: { enabled: true },
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: '/opt/hw run BeforeTool --as-hook' }] }] },
    },
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const hooks = await createHooks({
    cwd: project,
    home: where.home,
    load: true,
    dialects: { 'claude-code': true },
    tools: 'claude-code',
    deps: { trustCheck: () => true },
  });
  const rows = await hooks.explain('BeforeTool', { toolName: 'Bash' });
  expect(rows).toHaveLength(2);
  for (const row of rows) {
    expect(row).toMatchObject({ planned: 'skip', reason: 'duplicate' });
    expect(row.hint).toContain('hookwright itself');
  }
  await hooks.close();
});

test.each([
  ['deeper than anybody writes', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['larger', JSON.stringify({ hooks: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`E${at}`, []])) })],
])('R881 a file that is %s is left as it is, at once, and that is told', async (_what, text) => {
  const agent = await findAgent('claude-code', where);
  for (const edited of [
    agent.replaceOurLines(text, { ...options, events: ['PreToolUse'] }),
    agent.removeOurLines(text),
  ])
    expect(edited).toEqual({ trouble: expect.stringMatching(/deeper than|more than/) });
});
