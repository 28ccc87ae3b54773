import { describe, expect, test } from 'vitest';
import { type Dialect, dialectNamed, dialectNames, dialects } from '../../src/agents/index.ts';
import { runCommand } from '../cli/support/run-command.ts';
import { describeDialect } from './describe-dialect.ts';

test('the dialects of the design are there, each once', () => {
  expect([...dialectNames].sort()).toEqual([
    'antigravity',
    'claude-code',
    'codex',
    'copilot',
    'cursor',
    'gemini',
    'llxprt',
    'qwen-code',
    'vscode',
  ]);
});

test('the command line offers the names there are', async () => {
  const { stdout } = await runCommand('.', '__complete', '--', 'import', '--from', '');
  const words = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);
  expect(words).toEqual([...dialectNames]);
});

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))('%s', (_name, dialect) =>
  describeDialect(dialect),
);

const claudeCode = dialectNamed('claude-code');
if (claudeCode === undefined) throw new Error('there is no pack for Claude Code');

/** A pack that does not exist anywhere: another file, other names for events and tools, an answer in one word. */
const madeUp: Dialect = {
  ...claudeCode,
  name: 'made-up',
  title: 'Made-up Agent',
  latest: '1',
  oldest: '1',
  files: [{ scope: 'project', path: '{project}/.made-up/hooks.json' }],
  forms: { settings: { syntax: 'json', events: { below: 'moments' }, nesting: 'entries' } },
  writes: {
    path: '{project}/.made-up/hooks.json',
    line: 'run',
    projectDir: '.',
    timeout: { key: 'seconds', ms: 1_000 },
  },
  events: () => ({ 'tool.before': { moment: 'BeforeTool', subject: 'tool', blocks: true } }),
  handlerKeys: ['type', 'run', 'seconds'],
  readHandler: ({ run, seconds = 1 }) => {
    if (typeof run !== 'string') return { problem: { message: 'run must be a text', fix: 'write one' } };
    if (seconds === 0) return { problem: { message: 'seconds 0 ends the hook at once', fix: 'leave it out' } };
    return { handler: { type: 'command', command: run, timeoutMs: Number(seconds) * 1_000 } };
  },
  tools: { tools: [{ kind: 'shell', names: ['terminal'], args: { command: 'line' } }] },
  stdin: ({ tool }) => ({ tool: tool?.name, with: tool?.input }),
  readAnswer: ({ exitCode, stderr }) =>
    exitCode === 2 ? { said: { decision: 'deny', reason: stderr }, swallowed: [] } : { swallowed: [] },
};

describe('a tenth pack needs nothing but its record', () => describeDialect(madeUp));
