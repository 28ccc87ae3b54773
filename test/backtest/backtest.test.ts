import { describe, expect, test } from 'vitest';
import { Config, type HookDefinition, MessageBus } from '../../src/index.ts';
import { type BacktestOptions, backtest, type DecisionDiff } from '../../src/sessions/backtest/index.ts';
import { sessionOf } from '../../src/sessions/index.ts';
import { untyped } from '../support/untyped.ts';
import {
  answering,
  asking,
  call,
  configOf,
  denying,
  group,
  record,
  recordCalls,
  setting,
  speaking,
  throwing,
} from './support.ts';

const nothing = answering('audit', undefined);

/** What becomes of one call when the hooks change from the first to the second. */
const change = async (
  before: readonly HookDefinition[],
  after: readonly HookDefinition[],
  options: BacktestOptions = {},
): Promise<DecisionDiff> => {
  const report = await backtest(await recordCalls(before), configOf(after), { keepUnchanged: true, ...options });
  expect(report.total).toBe(1);
  const [diff] = report.decisions;
  if (diff === undefined) throw new Error('no decision was compared');
  return diff;
};

describe('an `if`', () => {
  const guard = (condition: string) => ({ ...denying('guard'), if: condition });

  test('that no longer matches a call newly allows it', async () => {
    expect(await change([group([guard('run_shell(ls *)')])], [group([guard('run_shell(git *)')])])).toMatchObject({
      kinds: ['newly-allowed', 'changed-order'],
      after: { verdict: 'none' },
    });
  });

  test('that still matches it keeps the recorded answer, and one that never did changes nothing', async () => {
    const narrow = [group([guard('run_shell(ls *)'), { ...guard('run_shell(git *)'), name: 'other' }])];
    expect(
      await change(narrow, [group([guard('run_shell(ls)'), { ...guard('run_shell(rm *)'), name: 'other' }])]),
    ).toMatchObject({
      kinds: ['unchanged'],
      after: { verdict: 'deny' },
    });
  });

  test('that matches only now leaves the decision unknown', async () => {
    expect(await change([group([guard('run_shell(git *)')])], [group([guard('run_shell(ls *)')])])).toMatchObject({
      kinds: ['unknown', 'changed-order'],
    });
  });

  test('is compared with what earlier hooks of a sequence made of the call', async () => {
    const hooks = [setting('first', { command: 'rm x' }), guard('run_shell(rm *)')];
    const sequence = [group(hooks, { sequential: true })];
    expect(await change(sequence, sequence)).toMatchObject({ kinds: ['unchanged'], after: { verdict: 'deny' } });
  });
});

describe('what is said of a decision', () => {
  test('the same hooks decide the same', async () => {
    const hooks = [group([denying('no-rm'), nothing, setting('limit', { timeout: 10 }), throwing('broken')])];
    const { kinds, details, before, after } = await change(hooks, hooks);
    expect({ kinds, details }).toEqual({ kinds: ['unchanged'], details: [] });
    expect(after).toEqual(before);
    expect(after).toEqual({
      verdict: 'deny',
      reason: 'no-rm says no',
      input: { tool_input: { timeout: 10 } },
      order: ['no-rm', 'audit', 'limit', 'broken'],
      faults: [{ hook: 'broken', code: 'threw' }],
    });
  });

  test('a guard that is gone newly allows, and the details name it', async () => {
    const { kinds, details, subject, eventName } = await change(
      [group([denying('no-rm'), nothing])],
      [group([nothing])],
    );
    expect(kinds).toEqual(['newly-allowed', 'changed-order']);
    expect(details).toEqual(['verdict: deny → none', 'reason: "no-rm says no" → nothing', 'runs no longer: no-rm']);
    expect({ subject, eventName }).toEqual({ subject: 'run_shell', eventName: 'BeforeTool' });
  });

  test('a matcher that no longer matches is told by its consequence', async () => {
    const { kinds } = await change([group([denying('no-rm')])], [group([denying('no-rm')], { matcher: 'read_file' })]);
    expect(kinds).toEqual(['newly-allowed', 'changed-order']);
  });

  test('a hook that is off is gone, and so are all of them when hooks are off', async () => {
    const hooks = [group([denying('no-rm')])];
    const session = await recordCalls(hooks);
    const disabled = await backtest(session, configOf(hooks, { disabledHooks: ['no-rm'] }));
    const off = await backtest(session, configOf(hooks, { enableHooks: false }));
    for (const report of [disabled, off]) expect(report.counts['newly-allowed']).toBe(1);
    expect(off.decisions[0]?.after).toEqual({ verdict: 'none', order: [], faults: [] });
    expect(off.notice).toContain('Hooks are off');
  });

  test('an onFault that is stricter now turns a recorded fault into a block', async () => {
    const before = [group([throwing('guard')])];
    const { kinds, after } = await change(before, [group([throwing('guard', { onFault: 'deny' })])]);
    expect(kinds).toEqual(['newly-blocked']);
    expect(after).toMatchObject({ verdict: 'deny', faults: [{ hook: 'guard', code: 'threw' }] });
    expect((await change(before, [group([throwing('guard', { onFault: 'ask' })])])).after.verdict).toBe('ask');
  });

  test('an onFault that is laxer now takes back what only the fault had decided', async () => {
    const denied = [group([throwing('guard', { onFault: 'deny' })])];
    expect((await change(denied, [group([throwing('guard')])])).after).toMatchObject({ verdict: 'none' });
    const asked = await change(denied, [group([throwing('guard', { onFault: 'ask' })])]);
    expect(asked.kinds).toEqual(['newly-allowed', 'changed-context']);
    expect(asked.after.reason).toBe(asked.before.reason?.replace('"deny" denies', '"ask" asks'));
    expect((await change(denied, denied)).kinds).toEqual(['unchanged']);
  });

  test.each([
    ['none', 'allow', 'newly-allowed'],
    ['none', 'ask', 'newly-blocked'],
    ['allow', 'none', 'changed-verdict'],
    ['allow', 'ask', 'newly-blocked'],
    ['ask', 'allow', 'newly-allowed'],
    ['ask', 'none', 'newly-allowed'],
    ['deny', 'ask', 'newly-allowed'],
    ['deny', 'stop', 'changed-verdict'],
  ] as const)('from %s to %s is %s', async (before, after, kind) => {
    const answers = {
      none: answering('none', undefined),
      allow: answering('allow', { decision: 'allow' }),
      ask: asking('ask'),
      deny: denying('deny'),
      stop: answering('stop', { continue: false }),
    };
    const only = (name: keyof typeof answers): HookDefinition[] => [group([answers[name]])];
    const real = await backtest(await recordCalls(only(before)), configOf(only(after)), { dry: false });
    expect(real.decisions[0]?.kinds).toContain(kind);
  });

  test('a changed input is told field by field, against what the call had', async () => {
    // Function hooks would judge the call again that another changed, which is about their answers, not about fields.
    const limit = { ...setting('limit', { timeout: 10, mode: 'safe' }), recheck: false };
    const later = { ...setting('later', { timeout: 20 }), recheck: false };
    const session = await recordCalls([group([limit, later])], [call('run_shell', { command: 'ls', timeout: 60 })]);
    const without = await backtest(session, configOf([]));
    expect(without.decisions[0]?.details).toContain('tool_input.timeout: 20 → 60');
    expect(without.decisions[0]?.details).toContain('tool_input.mode: "safe" → nothing');
    const swapped = await backtest(session, configOf([group([later, limit])]));
    expect(swapped.decisions[0]?.kinds).toEqual(['changed-input', 'changed-order']);
    expect(swapped.decisions[0]?.details).toEqual([
      'tool_input.timeout: 20 → 10',
      'order: limit, later → later, limit',
    ]);
  });

  test('setting what the call has already is no change of the input', async () => {
    const session = await recordCalls(
      [group([setting('limit', { timeout: 10 })])],
      [call('run_shell', { command: 'ls', timeout: 10 })],
    );
    expect((await backtest(session, configOf([]))).decisions[0]?.kinds).toEqual(['changed-order']);
  });

  test('context, messages and fields that nobody knows are changed context', async () => {
    const hooks = [
      group([
        speaking('wiki', 'Node 20'),
        answering('hint', { systemMessage: 'be careful' }),
        answering('flavoured', { flavour: 'mint' }),
      ]),
    ];
    const { kinds, details } = await change(hooks, []);
    expect(kinds).toEqual(['changed-context', 'changed-order']);
    expect(details).toEqual([
      'context: "Node 20" → nothing',
      'systemMessage: "be careful" → nothing',
      'flavour: "mint" → nothing',
      'runs no longer: wiki, hint, flavoured',
    ]);
  });

  test('a stop beside a block is told, although the block speaks first', async () => {
    const { kinds, details, after } = await change(
      [group([denying('guard'), answering('stop', { continue: false, stopReason: 'enough' })])],
      [group([denying('guard')])],
    );
    expect(after.verdict).toBe('deny');
    expect(kinds).toEqual(['changed-context', 'changed-order']);
    expect(details.slice(0, 2)).toEqual(['continue: false → nothing', 'stopReason: "enough" → nothing']);
  });

  test('another reason for the same verdict is not unchanged', async () => {
    const { kinds } = await change([group([denying('a'), denying('b')])], [group([denying('b')])]);
    expect(kinds).toEqual(['changed-verdict', 'changed-order']);
  });

  test('hooks that run one after another instead of at once are another order', async () => {
    const hooks = [nothing, speaking('wiki', 'Node 20')];
    const { kinds, details } = await change([group(hooks)], [group(hooks, { sequential: true })]);
    expect(kinds).toEqual(['changed-order']);
    expect(details).toEqual(['hooks run: at once → one after another']);
  });

  test('a fault that is gone is a change', async () => {
    const { kinds, details } = await change([group([throwing('broken')])], []);
    expect(kinds).toEqual(['faults', 'changed-order']);
    expect(details).toEqual(['fault gone: broken threw', 'runs no longer: broken']);
  });
});

describe('what a recording cannot know', () => {
  test('a new hook is unknown, named, and never counted as allowing', async () => {
    const { kinds, details, after } = await change([group([denying('old')])], [group([denying('new-guard')])]);
    expect(kinds).toEqual(['unknown', 'changed-order']);
    expect(after).toMatchObject({ verdict: 'none', unknown: [{ hook: 'new-guard' }] });
    expect(details).toContain('unknown: new-guard (no recorded answer: it is new)');
    expect(details).toContain('verdict: deny → unknown');
  });

  test('an approval beside a new hook is no approval', async () => {
    const approving = answering('approve', { decision: 'allow' });
    const { kinds, after } = await change([group([approving])], [group([approving, denying('new-guard')])]);
    expect(kinds).toEqual(['unknown', 'changed-order']);
    expect(after.verdict).toBe('none');
  });

  test('a block beside a new hook stays a block: no answer can lift it', async () => {
    const before = [group([denying('guard')], { matcher: 'run_shell' })];
    const { kinds, after } = await change(before, [...before, group([nothing])]);
    expect(kinds).toEqual(['unknown', 'changed-order']);
    expect(after.verdict).toBe('deny');
  });

  test('a hook that was skipped has no answer, and the reason is repeated', async () => {
    const { details } = await change(
      [group([denying('guard')], { matcher: 'read_file' })],
      [group([denying('guard')])],
    );
    expect(details).toContain('unknown: guard (no recorded answer: it was skipped (matcher-mismatch))');
  });

  test('a hook that was skipped as a duplicate answers what its twin did', async () => {
    const hooks = { BeforeTool: [group([denying('guard')])] };
    const { entries } = await record({ hooks, userHooks: hooks }, [call('run_shell')]);
    const report = await backtest(entries, new Config({ enableHooks: true, userHooks: hooks }), {
      keepUnchanged: true,
    });
    expect(report.decisions[0]).toMatchObject({ kinds: ['unchanged'], after: { verdict: 'deny' } });
  });

  test('a hook that moved to another source keeps its answer, and that is said', async () => {
    const hooks = [group([denying('guard')])];
    const session = await recordCalls(hooks);
    const moved = new Config({ enableHooks: true, userHooks: { BeforeTool: hooks } });
    const report = await backtest(session, moved, { keepUnchanged: true });
    const note = 'user/BeforeTool/guard is taken to be project/BeforeTool/guard';
    expect(report.decisions[0]).toMatchObject({ kinds: ['unchanged'], details: [note] });
    expect(report.notice).toContain(note);
  });

  test('hooks of one name with different answers cannot be told apart when one of them goes', async () => {
    const [first, second] = [denying('guard'), speaking('guard', 'careful')];
    const { kinds, after } = await change([group([first, second])], [group([second])]);
    expect(kinds).toContain('unknown');
    expect(after.unknown?.[0]?.why).toContain('several hooks of this name');
    expect((await change([group([first, second])], [group([first, second])])).kinds).toEqual(['unchanged']);
  });

  test('an answer to another input does not count: in a sequence each hook reads what the others changed', async () => {
    const rewrite = setting('rewrite', { command: 'ls' });
    const guard = answering('guard', ({ tool_input }: { tool_input: Record<string, unknown> }) =>
      tool_input.command === 'ls' ? undefined : { decision: 'deny' },
    );
    const session = await recordCalls(
      [group([rewrite, guard], { sequential: true })],
      [call('run_shell', { command: 'rm -rf build' }), call('run_shell', { command: 'ls' })],
    );
    const report = await backtest(session, configOf([group([guard, rewrite], { sequential: true })]));
    const [changed, same] = report.decisions;
    expect(changed?.kinds).toEqual(['unknown', 'changed-order']);
    expect(changed?.after.unknown).toEqual([{ hook: 'guard', why: 'its recorded answer was to another input' }]);
    // Nothing was rewritten here, so both read the same in any order.
    expect(same?.kinds).toEqual(['changed-order']);
    const alone = await backtest(session, configOf([group([guard])]));
    expect(alone.decisions[0]?.kinds).toContain('unknown');
  });

  test('a timeout that the recorded time would have met or missed makes the answer unknown', async () => {
    const slow = (timeout: number) =>
      answering('slow', () => new Promise((resolve) => setTimeout(resolve, 150, undefined)), { timeout });
    expect((await change([group([slow(5_000)])], [group([slow(20)])])).after.unknown?.[0]?.why).toMatch(
      /^it took \d+ ms and has only 20 ms now$/,
    );
    expect((await change([group([slow(50)])], [group([slow(5_000)])])).after.unknown?.[0]?.why).toMatch(
      /^it ran out of time after \d+ ms and has 5000 ms now$/,
    );
    expect((await change([group([slow(50)])], [group([slow(50)])])).kinds).toEqual(['unchanged']);
  });

  test('a matcher that takes too long is a fault now, and was no answer when it took too long then', async () => {
    const asked = [call(`${'a'.repeat(40)}!`)];
    const guard = (matcher?: string): HookDefinition[] => [
      group([answering('guard', undefined, { onFault: 'deny' })], { matcher }),
    ];
    const fine = await backtest(await recordCalls(guard(), asked), configOf(guard('^(a+)+$')));
    expect(fine.decisions[0]).toMatchObject({
      kinds: ['newly-blocked', 'faults'],
      after: { verdict: 'deny', faults: [{ hook: 'guard', code: 'matcher-timeout' }] },
    });
    const stuck = await backtest(await recordCalls(guard('^(a+)+$'), asked), configOf(guard()));
    expect(stuck.decisions[0]?.after.unknown?.[0]?.why).toContain('its matcher took too long');
  });

  test('without a trace nobody knows how hooks answered', async () => {
    const hooks = [group([denying('guard')])];
    const session = (await recordCalls(hooks)).filter(({ message }) => message.type !== 'hook-execution-trace');
    const report = await backtest(session, configOf(hooks));
    expect(report.decisions[0]?.kinds).toEqual(['unknown']);
    expect((await backtest(session, configOf([]))).decisions[0]?.kinds).toEqual(['newly-allowed']);
  });
});

describe('a session', () => {
  test('is read from the recorder, from an array and from a generator alike', async () => {
    const hooks = [group([denying('guard')])];
    const entries = await recordCalls(hooks, [call('a'), call('b')]);
    const session = sessionOf(entries.map(({ message }, at) => ({ at, message })));
    async function* generate() {
      yield* entries;
    }
    for (const one of [session, entries, generate()]) {
      const { counts, problems } = await backtest(one, configOf([]));
      expect({ allowed: counts['newly-allowed'], problems }).toEqual({ allowed: 2, problems: [] });
    }
  });

  test('has its requests told by their lines, in the order of the session', async () => {
    const entries = await recordCalls([group([denying('guard')])], [call('b'), call('a')]);
    const lines = entries.filter(({ message }) => message.type === 'hook-execution-request').map(({ line }) => line);
    // All requests first, and the last one answered first.
    const requests = entries.filter(({ message }) => message.type === 'hook-execution-request');
    const others = entries.filter(({ message }) => message.type !== 'hook-execution-request').toReversed();
    const { decisions } = await backtest([...requests, ...others], configOf([]));
    expect(decisions.map(({ line }) => line)).toEqual(lines);
    expect(decisions.map(({ subject }) => subject)).toEqual(['b', 'a']);
  });

  test('with a request that was never answered has a problem and not a decision', async () => {
    const entries = await recordCalls([group([denying('guard')])], [call('a'), call('b')]);
    const last = entries.findLastIndex(({ message }) => message.type === 'hook-execution-request');
    const { total, problems } = await backtest(entries.slice(0, last + 1), configOf([]));
    expect(total).toBe(1);
    const message = 'BeforeTool was never answered in this recording and is not compared';
    expect(problems).toEqual([{ line: entries[last]?.line, message }]);
  });

  test('of requests that are never answered is not held in memory, nor are problems without end', async () => {
    const [request] = await recordCalls([], [call('a')]);
    if (request?.message.type !== 'hook-execution-request') throw new Error('not recorded');
    const { message } = request;
    const lost = Array.from({ length: 25_000 }, (_, line) => ({
      line,
      message: { ...message, correlationId: `${line}` },
    }));
    const { total, problems } = await backtest(lost, configOf([]));
    expect(total).toBe(0);
    expect(problems).toHaveLength(1_000);
    expect(problems[0]?.line).toBe(0);
    expect(problems.at(-1)?.message).toBe('further problems are not listed');
  });

  test('without traces, or with traces that come late, loses no decision', async () => {
    const hooks = [group([denying('guard')])];
    const entries = await recordCalls(
      hooks,
      Array.from({ length: 400 }, (_, at) => call(`tool${at}`)),
    );
    const isTrace = ({ message }: (typeof entries)[number]): boolean => message.type === 'hook-execution-trace';
    const untraced = entries.filter((entry) => !isTrace(entry));
    expect((await backtest(untraced, configOf([]))).counts['newly-allowed']).toBe(400);
    const late = entries.slice(0, 200);
    const report = await backtest(
      [...late.filter((entry) => !isTrace(entry)), ...late.filter(isTrace)],
      configOf(hooks),
    );
    expect(report.counts.unchanged).toBe(report.total);
  });

  test('with direct calls is tried like any other', async () => {
    const bus = new MessageBus();
    const messages: unknown[] = [];
    bus.stream().subscribe((message) => messages.push(JSON.parse(JSON.stringify(message))));
    const config = configOf([group([denying('guard')])], { bus });
    const system = config.getHookSystem();
    await system?.initialize();
    await system?.getEventHandler().fireBeforeToolEvent('run_shell', { command: 'ls' });
    const entries = messages.map((message, line) => untyped<{ line: number; message: never }>({ line, message }));
    expect((await backtest(entries, configOf([]))).counts['newly-allowed']).toBe(1);
  });

  test('with refused requests finds them refused again', async () => {
    const asked = [
      { eventName: 'BeforeTol', payload: {} },
      { eventName: 'BeforeTool', payload: { tool_name: 7 } },
      call('run_shell'),
    ];
    const { entries } = await record({ hooks: { BeforeTool: [group([denying('guard')])] } }, asked);
    const report = await backtest(entries, configOf([group([denying('guard')])]), { keepUnchanged: true });
    expect(report.counts).toMatchObject({ unchanged: 3 });
    expect(report.decisions.map(({ after }) => after.error)).toEqual([
      'unsupported_event',
      'validation_failure',
      undefined,
    ]);
  });

  test('with a request that ran out of time finds that it would again, as long as the slow hook is there', async () => {
    const slow = answering('slow', () => new Promise(() => undefined));
    const asked = [{ ...call('run_shell'), timeoutMs: 50 }];
    const { entries } = await record({ hooks: { BeforeTool: [group([slow, denying('guard')])] } }, asked);
    const same = await backtest(entries, configOf([group([slow, denying('guard')])]));
    expect(same.counts.unchanged).toBe(1);
    const without = await backtest(entries, configOf([group([denying('guard')])]));
    expect(without.decisions[0]?.details).toContain('request: deadline_exceeded → answered');
    expect(without.decisions[0]?.after.verdict).toBe('deny');
  });

  test('with requests under an id that is in use compares the one that was answered', async () => {
    const entries = await recordCalls([group([denying('guard')])]);
    const request = entries.find(({ message }) => message.type === 'hook-execution-request');
    const response = entries.find(({ message }) => message.type === 'hook-execution-response');
    if (request === undefined || response?.message.type !== 'hook-execution-response') throw new Error('not recorded');
    const refusal = {
      line: 99,
      message: {
        ...response.message,
        success: false,
        error: { code: 'duplicate_request' as const, message: 'in use' },
      },
    };
    const report = await backtest([request, request, refusal, ...entries.slice(1)], configOf([]));
    expect(report.total).toBe(1);
    expect(report.decisions[0]?.before.verdict).toBe('deny');
  });
});
