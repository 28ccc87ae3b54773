import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Config, type HookConfig, type HookDefinition, type HooksByEvent } from '../../src/index.ts';
import { backtest } from '../../src/sessions/backtest/index.ts';
import { readSession } from '../../src/sessions/index.ts';
import { answering, group } from './support.ts';

/** Recorded from the examples: `node scripts/record-sessions.mjs`. */
const directory = join(import.meta.dirname, '../fixtures/sessions');
const sessions = readdirSync(directory).filter((file) => file.endsWith('.jsonl'));

const { projectHooks, userHooks, disabledHooks } = await import(
  pathToFileURL(resolve('examples/demo/project.mjs')).href
);

/** Nothing is run: that a function would answer something else than it was recorded to is of no account. */
const named = (...names: string[]): HookConfig[] => names.map((name) => answering(name, undefined));
const only = (matcher: string | undefined, ...hooks: HookConfig[]): HookDefinition =>
  group(hooks, matcher === undefined ? {} : { matcher });
const inCode = (runtimeHooks: HooksByEvent): Config => new Config({ enableHooks: true, runtimeHooks });

const protectSecrets = answering('protect-secrets', undefined, { onFault: 'deny' });
const noRm: HookConfig = { command: './hooks/no-rm.sh' };
const observed = (secrets: string): Config =>
  inCode({
    BeforeTool: [
      only('read_file', ...named('allow-reads')),
      only(undefined, ...named('only-looks')),
      only(secrets, ...named('protect-secrets')),
      only('*', ...named('breaks')),
      only('run_shell', ...named('no-rm')),
    ],
  });

/** The hooks each session was recorded with; then with something changed, and what comes of that. */
const table: Record<string, { asRecorded: Config; changed: Config; counts: Record<string, number> }> = {
  'demo.jsonl': {
    asRecorded: new Config({ enableHooks: true, hooks: projectHooks({ python: true }), userHooks, disabledHooks }),
    changed: new Config({ enableHooks: true, userHooks, disabledHooks }),
    counts: {
      'newly-allowed': 4,
      faults: 2,
      'changed-input': 6,
      'changed-verdict': 1,
      'changed-context': 4,
      'changed-order': 13,
      unchanged: 16,
    },
  },
  'define-hook.jsonl': {
    asRecorded: inCode({
      BeforeTool: [only('read_file|write_file', protectSecrets), only('run_shell', ...named('limit-time'))],
      BeforeAgent: [only(undefined, ...named('ask-the-wiki'))],
    }),
    changed: inCode({ BeforeTool: [only('write_file', protectSecrets)] }),
    counts: { 'newly-allowed': 2, faults: 1, 'changed-input': 1, 'changed-context': 1, 'changed-order': 5 },
  },
  'embed.jsonl': {
    asRecorded: inCode({ BeforeTool: [only('run_shell', noRm)] }),
    changed: inCode({ BeforeTool: [only('shell', noRm)], AfterTool: [only('read_file', ...named('new'))] }),
    counts: { unchanged: 3 },
  },
  'observer.jsonl': {
    asRecorded: observed('read_file'),
    changed: observed('write_file'),
    counts: { 'newly-allowed': 1, 'changed-order': 1 },
  },
  'streaming-model.jsonl': {
    asRecorded: inCode({
      BeforeToolSelection: [only(undefined, ...named('read-only'))],
      BeforeModel: [only(undefined, ...named('steady'))],
      AfterModel: [only(undefined, ...named('redact-keys'))],
    }),
    changed: inCode({ BeforeModel: [only(undefined, ...named('steady'))] }),
    counts: { 'changed-input': 4, 'changed-order': 4, unchanged: 2 },
  },
};

const some = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

test('every recorded session is backtested', () => {
  expect(Object.keys(table).sort()).toEqual([...sessions].sort());
});

describe.each(Object.entries(table))('%s', (name, { asRecorded, changed, counts }) => {
  const session = () => readSession(join(directory, name));

  test('is decided as it was by the hooks it was recorded with', async () => {
    const { total, counts, problems } = await backtest(session(), asRecorded);
    expect(problems).toEqual([]);
    expect(some(counts)).toEqual({ unchanged: total });
  });

  test('is decided otherwise by others, and the kinds of change are told', async () => {
    const report = await backtest(session(), changed);
    expect(report.problems).toEqual([]);
    expect(some(report.counts)).toEqual(counts);
  });
});
