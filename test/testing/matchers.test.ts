import { describe, expect, test } from 'vitest';
import { createHooks, type HooksByEvent, MessageBus, MessageBusType, requestHooks } from '../../src/index.ts';
import { captureTraffic, fixtureHook, hookMatchers, type Traffic } from '../../src/testing/index.ts';
import { untyped } from '../support/untyped.ts';

const { answers, throws } = fixtureHook;

const guard = answers({ decision: 'deny', reason: '.env holds secrets' }, { name: 'guard' });
const budget = answers({ continue: false, stopReason: 'budget spent' }, { name: 'budget' });
const looks = answers(undefined, { name: 'looks' });

const hooks: HooksByEvent = {
  BeforeTool: [
    { matcher: 'read_file', hooks: [guard, looks, throws(undefined, { name: 'breaks' })] },
    { matcher: 'shell', hooks: [answers({ decision: 'ask', reason: 'it deletes' }, { name: 'asks' })] },
  ],
  BeforeModel: [{ hooks: [budget] }],
};

/** What went over the bus while an agent called these tools, and after that its model. */
const trafficOf = async (...tools: string[]): Promise<Traffic> => {
  const engine = await createHooks({ hooks });
  const traffic = captureTraffic(engine.bus);
  for (const tool of tools) await engine.beforeTool({ tool, input: {} });
  await engine.beforeModel({ request: { model: 'm', contents: 'hi' } });
  return traffic;
};

const failureOf = (assertion: () => void): string => {
  try {
    assertion();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('the assertion was expected to fail');
};

describe('toHaveBlocked', () => {
  test('is true of a deny and of a stop, by event, tool, reason and hook', async () => {
    const traffic = await trafficOf('read_file', 'shell');
    expect(traffic).toHaveBlocked('BeforeTool');
    expect(traffic).toHaveBlocked('BeforeTool', { tool: 'read_file', reason: 'secrets', by: 'guard' });
    expect(traffic).toHaveBlocked('BeforeTool', { tool: /^read/, reason: /\.env holds/g });
    expect(traffic).toHaveBlocked('BeforeTool', { by: 'runtime/BeforeTool/guard' });
    expect(traffic).toHaveBlocked('BeforeModel', { reason: 'budget spent', by: 'budget' });
  });

  test('is not true of another tool, event, reason or hook, of an ask, or of nothing', async () => {
    const traffic = await trafficOf('read_file', 'shell');
    expect(traffic).not.toHaveBlocked('BeforeTool', { tool: 'read' });
    expect(traffic).not.toHaveBlocked('BeforeTool', { tool: 'shell' });
    expect(traffic).not.toHaveBlocked('AfterTool');
    expect(traffic).not.toHaveBlocked('BeforeTool', { reason: 'budget' });
    expect(traffic).not.toHaveBlocked('BeforeTool', { by: 'looks' });
    expect(captureTraffic(new MessageBus())).not.toHaveBlocked('BeforeTool');
  });

  test('looks at one answer for all that is asked, not at one for each', async () => {
    const traffic = await trafficOf('read_file', 'shell');
    expect(traffic).not.toHaveBlocked('BeforeTool', { tool: 'shell', reason: 'secrets' });
  });

  test('says what the hooks did decide', async () => {
    const traffic = await trafficOf('read_file', 'shell');
    const failure = failureOf(() => expect(traffic).toHaveBlocked('BeforeTool', { tool: 'shell', by: 'guard' }));
    expect(failure).toBe(
      [
        'expected the hooks to have blocked BeforeTool of shell, by guard',
        '',
        'What the hooks decided:',
        '  event       about      verdict  reason              by',
        '  ──────────  ─────────  ───────  ──────────────────  ─────',
        '  BeforeTool  read_file  deny     .env holds secrets  guard',
        '  BeforeTool  shell      ask      it deletes',
      ].join('\n'),
    );
  });

  test('says what it did not want to see', async () => {
    const traffic = await trafficOf('read_file');
    const failure = failureOf(() => expect(traffic).not.toHaveBlocked('BeforeTool', { reason: 'secrets' }));
    expect(failure).toContain('expected the hooks not to have blocked BeforeTool, for the reason "secrets"');
    expect(failure).toContain('read_file  deny');
  });

  test('tells an event nobody fired from a bus on which nothing happened', async () => {
    const traffic = await trafficOf();
    expect(failureOf(() => expect(traffic).toHaveBlocked('SessionEnd'))).toContain('BeforeModel  stop');
    const silent = captureTraffic(new MessageBus());
    expect(failureOf(() => expect(silent).toHaveBlocked('BeforeTool'))).toContain('Nothing was captured');
    const bus = new MessageBus();
    const cancelled = captureTraffic(bus);
    bus.publish({ type: MessageBusType.HOOK_EXECUTION_CANCEL, correlationId: 'a' });
    expect(failureOf(() => expect(cancelled).toHaveBlocked('BeforeTool'))).toContain('None of the 1 captured messages');
  });

  test('counts a block that came with an error of the request, and shows the error', async () => {
    const engine = await createHooks({
      hooks: { BeforeTool: [{ hooks: [guard, fixtureHook.hangs()] }] },
    });
    const traffic = captureTraffic(engine.bus);
    const payload = { tool_name: 'read_file', tool_input: {} };
    await requestHooks(engine.bus, 'BeforeTool', payload, { timeoutMs: 30 });
    expect(traffic).toHaveBlocked('BeforeTool', { tool: 'read_file', by: 'guard' });
    const failure = failureOf(() => expect(traffic).toHaveBlocked('BeforeTool', { tool: 'other' }));
    expect(failure).toContain('deadline_exceeded');
    await engine.close();
  });

  test('understands answers that came as data from another process, without a trace', () => {
    const bus = new MessageBus();
    const traffic = captureTraffic(bus);
    const id = { correlationId: 'a', eventName: 'BeforeTool' };
    bus.publish({ type: MessageBusType.HOOK_EXECUTION_REQUEST, ...id, payload: { tool_name: 'shell' } });
    bus.publish({
      type: MessageBusType.HOOK_EXECUTION_RESPONSE,
      ...id,
      success: true,
      result: { success: true, allOutputs: [], errors: [], totalDuration: 1 },
      output: { decision: 'block', reason: 'far away' },
    });
    expect(traffic).toHaveBlocked('BeforeTool', { tool: 'shell', reason: 'far away' });
    const failure = failureOf(() => expect(traffic).toHaveBlocked('BeforeTool', { by: 'guard' }));
    expect(failure).toContain('Who blocked it is unknown: its trace was not captured.');
  });
});

test('an id that is used again does not mix up what came of it', async () => {
  const { bus, close } = await createHooks({ hooks });
  const traffic = captureTraffic(bus);
  for (const tool_name of ['read_file', 'list_files']) {
    const payload = { tool_name, tool_input: {} };
    const request = {
      type: 'hook-execution-request',
      correlationId: 'same',
      eventName: 'BeforeTool',
      payload,
    } as const;
    await bus.request(request, 'hook-execution-response');
  }
  expect(traffic).toHaveBlocked('BeforeTool', { tool: 'read_file', by: 'guard' });
  expect(traffic).not.toHaveBlocked('BeforeTool', { tool: 'list_files' });
  await close();
});

describe('toHaveRun', () => {
  test('is true of every hook that ran, by event, outcome and count', async () => {
    const traffic = await trafficOf('read_file', 'read_file');
    expect(traffic).toHaveRun('guard');
    expect(traffic).toHaveRun('guard', { event: 'BeforeTool', outcome: 'answered', times: 2 });
    expect(traffic).toHaveRun('looks', { outcome: 'silent' });
    expect(traffic).toHaveRun('breaks', { outcome: 'faulted' });
    expect(traffic).toHaveRun('runtime/BeforeModel/budget', { times: 1 });
  });

  test('is not true of a hook that was skipped, ran for another event, ended otherwise or does not exist', async () => {
    const traffic = await trafficOf('read_file');
    expect(traffic).not.toHaveRun('asks');
    expect(traffic).not.toHaveRun('guard', { event: 'AfterTool' });
    expect(traffic).not.toHaveRun('guard', { outcome: 'faulted' });
    expect(traffic).not.toHaveRun('guard', { times: 2 });
    expect(traffic).not.toHaveRun('nobody');
    expect(traffic).toHaveRun('asks', { times: 0 });
  });

  test('says what became of the hook', async () => {
    const traffic = await trafficOf('read_file', 'shell');
    const failure = failureOf(() => expect(traffic).toHaveRun('guard', { times: 2, event: 'BeforeTool' }));
    expect(failure).toBe(
      [
        'expected the hook guard to have run 2 times for BeforeTool; it did once',
        '',
        'What became of each hook:',
        '  event       about      hook   outcome   why               said',
        '  ──────────  ─────────  ─────  ────────  ────────────────  ────────────────────────',
        '  BeforeTool  read_file  guard  answered                    deny: .env holds secrets',
        '  BeforeTool  shell      guard  skipped   matcher-mismatch',
      ].join('\n'),
    );
  });

  test('names the hook that was probably meant', async () => {
    const traffic = await trafficOf('read_file');
    const failure = failureOf(() => expect(traffic).toHaveRun('gard'));
    expect(failure).toContain('No row names a hook "gard"; did you mean "guard"?');
    expect(failure).toMatch(/breaks +faulted +threw/);
  });

  test('says so when no hook is configured for what was fired', async () => {
    const engine = await createHooks();
    const traffic = captureTraffic(engine.bus);
    await engine.sessionStart({ source: 'startup' });
    const failure = failureOf(() => expect(traffic).toHaveRun('guard'));
    expect(failure).toContain('No trace has a row: no hook is configured for what was fired.');
  });

  test('shows the last thirty rows of many', async () => {
    const traffic = await trafficOf(...Array.from({ length: 20 }, () => 'read_file'));
    const failure = failureOf(() => expect(traffic).toHaveRun('nobody at all'));
    expect(failure.split('\n').filter((line) => line.includes('BeforeTool  '))).toHaveLength(29);
    expect(failure).toContain('(the last 30 of 81)');
  });
});

describe('toHaveSkipped', () => {
  test('is true of a hook that was left out, by event and by any of its reasons', async () => {
    const engine = await createHooks({ hooks });
    engine.system.setHookEnabled('asks', false);
    const traffic = captureTraffic(engine.bus);
    await engine.beforeTool({ tool: 'read_file', input: {} });
    expect(traffic).toHaveSkipped('asks');
    expect(traffic).toHaveSkipped('asks', { reason: 'disabled', event: 'BeforeTool' });
    expect(traffic).toHaveSkipped('asks', { reason: 'matcher-mismatch' });
    expect(traffic).not.toHaveSkipped('asks', { reason: 'untrusted' });
    expect(traffic).not.toHaveSkipped('asks', { event: 'AfterTool' });
    expect(traffic).not.toHaveSkipped('guard');
  });

  test('says what became of the hook instead', async () => {
    const traffic = await trafficOf('read_file');
    const failure = failureOf(() => expect(traffic).toHaveSkipped('guard', { reason: 'disabled' }));
    expect(failure).toContain('expected the hook guard to have been skipped because of disabled');
    expect(failure).toMatch(/read_file +guard +answered/);
  });
});

describe('the matchers', () => {
  test('refuse words that are none, which would pass behind not whatever happens', () => {
    const traffic = captureTraffic(new MessageBus());
    expect(() => expect(traffic).not.toHaveBlocked('BeforTool')).toThrow('"BeforTool" is no event; did you mean');
    expect(() => expect(traffic).not.toHaveRun('a', untyped({ outcome: 'failed' }))).toThrow('is no outcome');
    expect(() => expect(traffic).not.toHaveSkipped('a', untyped({ reason: 'mismatch' }))).toThrow('is no reason');
  });

  test('R2073 refuse a misspelled event, and a misspelled key of an expectation', () => {
    const traffic = captureTraffic(new MessageBus());
    expect(() => expect(traffic).not.toHaveRun('a', untyped({ event: 'BeforTool' }))).toThrow(
      'is no event; did you mean',
    );
    expect(() => expect(traffic).not.toHaveSkipped('a', untyped({ event: 'BeforTool' }))).toThrow(
      'is no event; did you mean',
    );
    const key = 'toHaveBlocked does not take "tol"; did you mean "tool"?';
    expect(() => expect(traffic).toHaveBlocked('BeforeTool', untyped({ tol: 'Bash' }))).toThrow(key);
    expect(() => expect(traffic).toHaveRun('a', untyped({ tool: 'Bash' }))).toThrow('it takes event, outcome, times');
    expect(() => expect(traffic).toHaveSkipped('a', untyped({ why: 'off' }))).toThrow('it takes event, reason');
  });

  test.each(['toHaveBlocked', 'toHaveRun', 'toHaveSkipped'] as const)('%s refuses what was not captured', (matcher) => {
    const failure = failureOf(() => expect([])[matcher]('BeforeTool'));
    expect(failure).toBe(`${matcher} is about what captureTraffic(bus) gives; got an array of 0`);
  });

  test('are asked of the part of one event, too', async () => {
    const traffic = await trafficOf('read_file');
    expect(traffic.of('BeforeTool')).toHaveRun('guard');
    expect(traffic.of('BeforeModel')).not.toHaveRun('guard');
  });

  test('wait with expect.poll for what is still under way', async () => {
    const engine = await createHooks({ hooks });
    const traffic = captureTraffic(engine.bus);
    setTimeout(() => engine.beforeTool({ tool: 'read_file', input: {} }), 20);
    await expect.poll(() => traffic).toHaveBlocked('BeforeTool', { by: 'guard' });
  });

  test('work with any expect that can be extended: they need nothing of vitest', async () => {
    const traffic = await trafficOf('read_file');
    expect(Object.keys(hookMatchers)).toEqual(['toHaveBlocked', 'toHaveRun', 'toHaveSkipped']);
    expect(hookMatchers.toHaveRun(traffic, 'guard').pass).toBe(true);
    expect(hookMatchers.toHaveRun(traffic, 'asks').message()).toContain('expected the hook asks to have run');
  });
});
