import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigOptions, HookConfig, HookDefinition, HooksByEvent } from '../../src/index.ts';
import { Config } from '../../src/index.ts';
import { onFaultPolicies } from '../../src/protocol/index.ts';
import { backtest, type Decision } from '../../src/sessions/backtest/index.ts';
import { anOutput } from '../support/arbitraries.ts';
import { ownNow } from '../support/own-clock.ts';
import { answering, call, denying, group, record, recordCalls, throwing } from './support.ts';

/** Requests for events of every kind of merge. */
const asked = [
  call('run_shell', { path: 'blue', mode: 'red' }),
  call('read_file', { path: 'red' }),
  { eventName: 'BeforeAgent', payload: { prompt: 'hello' } },
  { eventName: 'BeforeModel', payload: { llm_request: { model: 'red', messages: [], config: { temperature: 1 } } } },
  { eventName: 'BeforeToolSelection', payload: { llm_request: { model: 'red', messages: [] } } },
  { eventName: 'AfterTool', payload: { tool_name: 'run_shell', tool_input: {}, tool_response: 'done' } },
  { eventName: 'SessionEnd', payload: { reason: 'exit' } },
];
const events = [...new Set(asked.map(({ eventName }) => eventName))];

const aHook = (name: string): fc.Arbitrary<HookConfig> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 6, arbitrary: anOutput },
        fc.constant(undefined),
        fc.constant('not an object'),
        fc.constant({ decision: 'alow', reason: 'misspelt' }),
        fc.constant(Error),
      ),
      fc.option(fc.constantFrom(...onFaultPolicies), { nil: undefined }),
    )
    .map(([answer, onFault]) =>
      answer === Error ? throwing(name, { onFault }) : answering(name, answer, { onFault }),
    );

const aGroup = (hooks: readonly HookConfig[]): fc.Arbitrary<HookDefinition> =>
  fc
    .record({ matcher: fc.constantFrom(undefined, 'run', 'read', 'exit'), sequential: fc.boolean() })
    .map(({ matcher, sequential }) => group(hooks, { matcher, sequential }));

const hooksOf = (names: readonly string[]): fc.Arbitrary<HookConfig[]> => fc.tuple(...names.map(aHook));

const everywhere = (definitions: readonly HookDefinition[]): HooksByEvent =>
  Object.fromEntries(events.map((eventName) => [eventName, definitions]));

const configured = (hooks: readonly HookConfig[]): fc.Arbitrary<ConfigOptions> =>
  fc
    .tuple(aGroup(hooks.slice(0, 2)), aGroup(hooks.slice(2)))
    .map((definitions) => ({ enableHooks: true, hooks: everywhere(definitions) }));

const anySet = hooksOf(['a', 'b', 'c', 'd']).chain(configured);

test('the same hooks decide the same, whatever they answer', async () => {
  await fc.assert(
    fc.asyncProperty(anySet, async (options) => {
      const { entries } = await record(options, asked);
      const report = await backtest(entries, new Config(options));
      expect(report.decisions).toEqual([]);
      expect(report.counts.unchanged).toBe(asked.length);
    }),
    { numRuns: 200 },
  );
});

/** Other groups, another order, other policies, fewer hooks; but no hook that was not there. */
const rearranged = fc
  .tuple(hooksOf(['a', 'b', 'c', 'd']), fc.constantFrom(...onFaultPolicies))
  .chain(([hooks, onFault]) =>
    fc.tuple(
      configured(hooks),
      fc
        .shuffledSubarray(hooks)
        .map((some) => some.map((hook, index) => (index === 0 ? { ...hook, onFault } : hook)))
        .chain(configured),
    ),
  );

/** The text of a fault is known only where the recording has it in a reason. */
const comparable = ({ reason: _reason, ...decision }: Decision): object => decision;

/** Two hundred sessions take a second on a quiet machine, and more than the usual 20 s beside ten busy processes. */
const BUSY_MACHINE_MS = 60_000;

test(
  'what a dry run is sure of is what a real run finds',
  async () => {
    let sure = 0;
    let unsure = 0;
    await fc.assert(
      fc.asyncProperty(rearranged, async ([before, after]) => {
        const { entries } = await record(before, asked);
        const dry = await backtest(entries, new Config(after), { keepUnchanged: true });
        const real = await backtest(entries, new Config(after), { dry: false, keepUnchanged: true });
        expect(dry.total).toBe(real.total);
        for (const [index, { after: decision }] of dry.decisions.entries()) {
          const found = real.decisions[index]?.after;
          if (found === undefined) throw new Error('a decision is missing');
          if (decision.unknown !== undefined) {
            unsure += 1;
            continue;
          }
          sure += 1;
          if (decision.faults.length === 0) expect(decision).toEqual(found);
          else expect(comparable(decision)).toEqual(comparable(found));
        }
      }),
      { numRuns: 200 },
    );
    console.log(`dry runs were sure of ${sure} decisions and left ${unsure} to a real run`);
    expect(sure).toBeGreaterThan(unsure);
  },
  BUSY_MACHINE_MS,
);

test(
  'a hook that is new is never taken to allow, whatever the others say',
  async () => {
    await fc.assert(
      fc.asyncProperty(hooksOf(['a', 'b', 'c']), fc.boolean(), async (hooks, sequential) => {
        const session = await recordCalls([group(hooks, { sequential })]);
        const config = new Config({
          enableHooks: true,
          hooks: { BeforeTool: [group([...hooks.slice(1), denying('new')], { sequential })] },
        });
        const [diff] = (await backtest(session, config)).decisions;
        expect(diff?.kinds).toContain('unknown');
        expect(diff?.kinds).not.toContain('newly-allowed');
        expect(diff?.after.verdict).not.toBe('allow');
        expect(diff?.after.unknown?.map(({ hook }) => hook)).toContain('new');
      }),
    );
  },
  BUSY_MACHINE_MS,
);

test(
  'what is newly blocked one way is newly allowed the other way, but for approvals that are only lost',
  async () => {
    await fc.assert(
      fc.asyncProperty(rearranged, async ([before, after]) => {
        const there = await backtest((await record(before, asked)).entries, new Config(after), { dry: false });
        const back = await backtest((await record(after, asked)).entries, new Config(before), { dry: false });
        const lines = (report: typeof there, kind: 'newly-blocked' | 'newly-allowed'): string[] =>
          report.decisions.filter(({ kinds }) => kinds.includes(kind)).map(({ correlationId }) => correlationId);
        for (const id of lines(there, 'newly-blocked')) expect(lines(back, 'newly-allowed')).toContain(id);
      }),
      { numRuns: 50 },
    );
  },
  BUSY_MACHINE_MS,
);

test('10,000 recorded requests are tried dry in less than 3 seconds', async () => {
  const hooks = [
    group([denying('no-rm'), answering('audit', undefined)], { matcher: 'run_shell|write_file' }),
    group([
      answering('limit', { hookSpecificOutput: { tool_input: { timeout: 10 } } }),
      answering('wiki', { hookSpecificOutput: { additionalContext: 'Node 20' } }),
      throwing('broken'),
    ]),
  ];
  const tools = ['run_shell', 'read_file', 'write_file', 'search', 'fetch'];
  const requests = Array.from({ length: 10_000 }, (_, at) => call(tools[at % 5] ?? '', { command: `ls ${at}` }));
  const session = await recordCalls(hooks, requests);
  const changed = new Config({
    enableHooks: true,
    hooks: { BeforeTool: [group([...(hooks[1]?.hooks ?? [])].toReversed()), ...hooks.slice(0, 1)] },
  });
  const startedAt = ownNow();
  const { total, counts } = await backtest(session, changed);
  const ms = ownNow() - startedAt;
  console.log(`10,000 recorded requests, five hooks, dry: ${Math.round(ms)} ms`);
  expect({ total, changed: counts['changed-order'] }).toEqual({ total: 10_000, changed: 10_000 });
  expect(ms).toBeLessThan(3_000);
}, 30_000);
