import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoadAbilityHooksOptions } from '../../src/abilities/index.ts';
import { runHooks } from '../../src/abilities/index.ts';
import { interpretGuard, interpretPreflight } from '../../src/events/index.ts';
import type { HookExecutionTrace } from '../../src/protocol/index.ts';
import { wordsOf } from '../support/notices.ts';
import { until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { answers, caller, declaration, load, loadTrusted } from './hooks-support.ts';
import { repositoryWith } from './support.ts';

const call = { ability_id: 'edit_file', caller };
const signal = (code: string, payload: object = {}) => ({ hook_signals: [{ kind: 'ability_guard', code, payload }] });
const denies = (reason: string): string => answers(signal('ABILITY_DENIED', { ability_id: 'edit_file', reason }));

const traced = (options: LoadAbilityHooksOptions = {}) => {
  const traces: HookExecutionTrace[] = [];
  return { traces, options: { ...options, onTrace: (trace: HookExecutionTrace) => traces.push(trace) } };
};

describe('what a hook is given and what its answer becomes', () => {
  test('R396 R380 it reads the context as JSON on standard input, with the event, and runs in the repository', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'a', event: 'PostAbilityCall', command: 'cat > seen.json' }),
    });
    const context = {
      ability_id: 'edit_file',
      status: 'success',
      duration_ms: 12,
      session_id: 's1',
      more: [1],
    } as const;
    await runHooks(hookSet, 'PostAbilityCall', context);
    const seen: unknown = JSON.parse(readFileSync(join(hookSet.root, 'seen.json'), 'utf8'));
    expect(seen).toEqual({ ...context, event_type: 'PostAbilityCall' });
  });

  test('R402 results are merged in the order of the files, whatever finished first', async () => {
    const hint = { kind: 'routing_hint', code: 'ROUTE_SUGGESTION', payload: { suggested_abilities: [] } };
    const slow = `sleep 0.2; ${answers({ logs: ['slow'], hook_signals: [hint] })}`;
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'slow', event: 'PromptSubmit', command: slow }),
      'b.yaml': declaration({
        id: 'fast',
        event: 'PromptSubmit',
        command: answers({ logs: ['fast'], hook_signals: [hint], usage_recorded: true }),
      }),
      'c.yaml': declaration({ id: 'silent', event: 'PromptSubmit' }),
    });
    const result = await runHooks(hookSet, 'PromptSubmit', { session_id: 's', user_raw_input: 'hi' });
    expect(result).toMatchObject({
      event_type: 'PromptSubmit',
      success: true,
      logs: ['slow', 'fast'],
      usage_recorded: true,
    });
    expect(result.hook_signals.map(({ hook_id }) => hook_id)).toEqual(['slow', 'fast']);
    expect(result.hooks.map(({ hook_id, outcome }) => [hook_id, outcome])).toEqual([
      ['slow', 'answered'],
      ['fast', 'answered'],
      ['silent', 'silent'],
    ]);
  });

  test('R364 only hooks of the event whose match block holds are run', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'other-event', event: 'PostAbilityCall' }),
      'b.yaml': declaration({ id: 'other-ability', more: 'match: {ability_scope: "write_*"}' }),
      'c.yaml': declaration({ id: 'this-one', more: 'match: {ability_scope: ["edit_*"]}' }),
    });
    const { hooks } = await runHooks(hookSet, 'PreAbilityCall', call);
    expect(hooks.map(({ hook_id }) => hook_id)).toEqual(['this-one']);
    expect(hookSet.explain('PreAbilityCall', call)).toMatchObject([
      { name: 'other-ability', planned: 'skip', reason: 'matcher-mismatch', matcher: 'ability=write_*' },
      { name: 'this-one', planned: 'run' },
    ]);
  });

  test('R461 a guard refuses by a signal, and the reason arrives', async () => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'guard', command: denies('not here') }) });
    const result = await runHooks(hookSet, 'PreAbilityCall', call);
    expect(interpretGuard(result)).toMatchObject({
      outcome: 'denied',
      reason: 'not here',
      signal: { hook_id: 'guard' },
    });
  });

  test('a script with a shebang, arguments of its own and a program of Node can be handlers', async () => {
    const script = `#!/usr/bin/env node
let text = '';
process.stdin.on('data', (chunk) => { text += chunk; });
process.stdin.on('end', () => {
  const { ability_ref } = JSON.parse(text);
  const payload = { ability_ref, reason: process.argv[2], suggestion: 'later' };
  console.log(JSON.stringify({ hook_signals: [{ kind: 'ability_preflight', code: 'ABILITY_UNAVAILABLE', payload }] }));
});
`;
    const root = repositoryWith({
      'guards/check.mjs': script,
      '.system/hooks/a.yaml': declaration({
        id: 'a',
        event: 'PreAbilityCreate',
        command: './guards/check.mjs',
        handler: '  args: ["a reason; $HOME"]',
      }),
    });
    const hookSet = await load(root, { trustedFolder: true });
    const ability_ref = { kind: 'operation_key', value: 'deploy' } as const;
    const result = await runHooks(hookSet, 'PreAbilityCreate', { ability_ref, caller });
    expect(interpretPreflight(result)).toMatchObject({
      outcome: 'unavailable',
      reason: 'a reason; $HOME',
      suggestion: 'later',
    });
  });
});

describe('hooks that break', () => {
  const faults = [
    ['exit-code', 'exit 2'],
    ['malformed-output', 'echo done'],
    ['malformed-output', `echo '{"hook_signals": '`],
    ['malformed-output', answers({ hook_signals: [{ kind: 'ability_guard', code: 'ABILITY_DENY' }] })],
    ['threw', answers({ error: { code: 'NO_REGISTRY', message: 'there is none' } })],
    ['timeout', 'sleep 20'],
    ['killed-by-signal', 'kill -9 $$'],
    ['spawn-failed', '/no/such/guard'],
    ['output-too-large', 'head -c 3000000 /dev/zero'],
  ] as const;

  test.each(faults)(
    'R455 P5 a blocking hook that ends with %s is skipped, and the log hears of it: %s',
    async (code, command) => {
      const errors: string[] = [];
      const hookSet = await loadTrusted(
        {
          'a.yaml': declaration({ id: 'bad', command, handler: '  timeout_ms: 400' }),
          'b.yaml': declaration({ id: 'good' }),
        },
        { logger: { error: (message) => errors.push(message) } },
      );
      const result = await runHooks(hookSet, 'PreAbilityCall', call);
      expect(result).toMatchObject({
        success: true,
        hook_signals: [],
        hooks: [{ outcome: 'faulted', code }, { outcome: 'silent' }],
      });
      expect(interpretGuard(result)).toEqual({ outcome: 'allowed' });
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain(`(fault "${code}")`);
    },
  );

  test.each(faults)(
    'R455 with on_fault: fail, a blocking hook that ends with %s fails the event: %s',
    async (code, command) => {
      const hookSet = await loadTrusted({
        'a.yaml': declaration({ id: 'bad', command, more: 'on_fault: fail', handler: '  timeout_ms: 400' }),
      });
      const result = await runHooks(hookSet, 'PreAbilityCall', call);
      expect(result).toMatchObject({ success: false, error: { code, hook_id: 'bad' } });
      expect(interpretGuard(result)).toMatchObject({ outcome: 'denied' });
    },
  );

  const denial = { kind: 'ability_guard', code: 'ABILITY_DENIED', payload: { reason: 'no' } };

  test.each([
    ['hook_signal', { hook_signal: [denial] }],
    ['hookSignals', { hookSignals: [denial] }],
    ['signals', { signals: [denial] }],
    ['signals, one of them alone', { signals: denial }],
    ['another format', { hookSpecificOutput: { hook_signals: [denial] } }],
    ['the top', denial],
    ['the top, in short', { code: 'ABILITY_DENIED', reason: 'no' }],
    ['a slip of the key', { hook_signales: [denial] }],
    ['a key of another language', { verdict: 'ABILITY_DENIED' }],
  ])(
    'signals under a wrong key are a fault that names the right one, and on_fault decides: %s',
    async (_where, said) => {
      const guarded = async (onFault: string) => {
        const hooks = await loadTrusted({
          'a.yaml': declaration({ id: 'guard', command: answers(said), more: `on_fault: ${onFault}` }),
        });
        return hooks.fire('PreAbilityCall', call);
      };
      expect(await guarded('skip')).toMatchObject({ success: true, hooks: [{ code: 'malformed-output' }] });
      const failed = await guarded('fail');
      expect(failed).toMatchObject({ success: false, error: { code: 'malformed-output', hook_id: 'guard' } });
      expect(failed.error?.message).toContain('signals belong in the list hook_signals');
    },
  );

  test('R455 what the declaration does not say, the host does', async () => {
    const files = { 'a.yaml': declaration({ id: 'a', command: 'exit 1' }) };
    const strict = await loadTrusted(files, { onFault: 'fail' });
    expect(await runHooks(strict, 'PreAbilityCall', call)).toMatchObject({ success: false, error: { hook_id: 'a' } });
    const lenient = { 'a.yaml': declaration({ id: 'a', command: 'exit 1', more: 'on_fault: skip' }) };
    const result = await runHooks(await loadTrusted(lenient, { onFault: 'fail' }), 'PreAbilityCall', call);
    expect(result.success).toBe(true);
  });

  test('P4 a refusal stands although its hook failed afterwards; what it permitted does not', async () => {
    const said = { hook_signals: [{ code: 'ABILITY_ALLOWED' }, { code: 'ABILITY_DENIED', payload: { reason: 'no' } }] };
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'a', command: `${answers(said)}; exit 3` }) });
    const result = await runHooks(hookSet, 'PreAbilityCall', call);
    expect(result.hook_signals).toMatchObject([{ code: 'ABILITY_DENIED' }]);
    expect(result.hooks).toMatchObject([{ outcome: 'faulted', code: 'exit-code' }]);
  });

  test('a refusal of one hook is lost to no other one, whatever becomes of it', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'a', command: answers(signal('ABILITY_ALLOWED')) }),
      'b.yaml': declaration({ id: 'b', command: denies('b says no') }),
      'c.yaml': declaration({ id: 'c', command: 'sleep 20', handler: '  timeout_ms: 300' }),
      'd.yaml': declaration({ id: 'd', command: 'exit 9', more: 'on_fault: fail' }),
    });
    const result = await runHooks(hookSet, 'PreAbilityCall', call);
    expect(interpretGuard(result)).toMatchObject({ outcome: 'denied', reason: 'b says no' });
  });

  test('F78 past its deadline an event is answered with what had finished, and a refusal among it', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'a', command: denies('in time') }),
      'b.yaml': declaration({ id: 'b', command: 'sleep 20' }),
    });
    const startedAt = performance.now();
    const result = await runHooks(hookSet, 'PreAbilityCall', call, { timeoutMs: 700 });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(result).toMatchObject({
      success: false,
      error: { code: 'deadline_exceeded' },
      hooks: [{}, { code: 'deadline' }],
    });
    expect(interpretGuard(result)).toMatchObject({ outcome: 'denied', reason: 'in time' });
  });

  test('F74 an event that was cancelled before starts nothing; one that is cancelled ends its hooks', async () => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'a', command: 'touch started; sleep 20' }) });
    const early = await runHooks(hookSet, 'PreAbilityCall', call, { signal: AbortSignal.abort() });
    expect(early).toMatchObject({ success: false, error: { code: 'cancelled' } });
    expect(existsSync(join(hookSet.root, 'started'))).toBe(false);
    const controller = new AbortController();
    const running = runHooks(hookSet, 'PreAbilityCall', call, { signal: controller.signal });
    await until('the hook has started', 5_000, () => existsSync(join(hookSet.root, 'started')));
    controller.abort();
    expect(await running).toMatchObject({
      success: false,
      error: { code: 'cancelled' },
      hooks: [{ code: 'cancelled' }],
    });
  });
});

describe('calls that are wrong', () => {
  test.each([
    ['an unknown event', 'PreAbilityCal', call, 'unsupported_event', 'did you mean "PreAbilityCall"?'],
    ['no context', 'PreAbilityCall', undefined, 'validation_failure', 'expected an object'],
    ['a context of another kind', 'PreAbilityCall', { ability_id: 3 }, 'validation_failure', 'context.ability_id'],
    ['a context without an ability', 'PreAbilityCreate', { caller }, 'validation_failure', 'context.ability_ref'],
    [
      'files that are no list',
      'SessionStop',
      { session_id: 's', changed_files: 3 },
      'validation_failure',
      'context.changed_files',
    ],
    [
      'a wrong caller',
      'PreAbilityCall',
      { ability_id: 'x', caller: { source: 'me' } },
      'validation_failure',
      'context.caller.source',
    ],
    [
      'a cyclic context',
      'PreAbilityCall',
      (() => {
        const it: Record<string, unknown> = { ...call };
        it.it = it;
        return it;
      })(),
      'validation_failure',
      'refers to itself',
    ],
  ])('%s is a result and never a rejection', async (_what, eventType, context, code, message) => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'a', more: 'match: {ability_scope: "?*"}' }),
      'b.yaml': declaration({ id: 'b', event: 'PreAbilityCreate', more: 'match: {ability_scope: "?*"}' }),
      'c.yaml': declaration({ id: 'c', event: 'SessionStop', more: 'match: {only_if_changed_paths: "src/**"}' }),
    });
    const result = await runHooks(hookSet, untyped<'PreAbilityCall'>(eventType), untyped(context));
    expect(result).toMatchObject({ success: false, error: { code } });
    expect(JSON.stringify(result)).toContain(JSON.stringify(message).slice(1, -1));
  });

  test('a context nobody compares is not looked at, whoever listens', async () => {
    const { traces, options } = traced();
    const hookSet = await loadTrusted({}, options);
    expect(await runHooks(hookSet, 'PreAbilityCreate', untyped({}))).toMatchObject({ success: true, hooks: [] });
    expect(traces).toMatchObject([{ mode: 'none', rows: [] }]);
  });

  test('a hook that must not fail and could not be asked counts as failed', async () => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'a', more: 'on_fault: fail' }) });
    const result = await runHooks(hookSet, 'PreAbilityCall', untyped({ ability_id: 'x' }));
    expect(interpretGuard(result)).toMatchObject({ outcome: 'denied' });
  });

  test('after dispose every event is answered as disposed', async () => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'a' }) });
    await hookSet.dispose();
    expect(await runHooks(hookSet, 'PreAbilityCall', call)).toMatchObject({
      success: false,
      error: { code: 'disposed' },
    });
  });
});

describe('hooks that are not blocking', () => {
  test('R456 C45 they are started, not waited for, and their signals are ignored', async () => {
    const { traces, options } = traced();
    const hookSet = await loadTrusted(
      { 'a.yaml': declaration({ id: 'a', blocking: false, command: `sleep 0.5; touch done; ${denies('too late')}` }) },
      options,
    );
    const startedAt = performance.now();
    const result = await runHooks(hookSet, 'PreAbilityCall', call);
    expect(performance.now() - startedAt).toBeLessThan(450);
    expect(result).toMatchObject({ success: true, hook_signals: [], hooks: [{ hook_id: 'a', outcome: 'background' }] });
    expect(traces[0]?.rows).toMatchObject([{ planned: 'run', outcome: 'background' }]);
    await hookSet.idle();
    expect(existsSync(join(hookSet.root, 'done'))).toBe(true);
  });

  test('R456 a failing one never blocks, whatever the host says about faults', async () => {
    const files = { 'a.yaml': declaration({ id: 'a', blocking: false, command: 'exit 1' }) };
    const hookSet = await loadTrusted(files, { onFault: 'fail' });
    expect(await runHooks(hookSet, 'PreAbilityCall', call)).toMatchObject({ success: true });
    await hookSet.idle();
  });

  test('R430 they are left out where blocking hooks only are asked for, and their row says so', async () => {
    const { traces, options } = traced();
    const hookSet = await loadTrusted(
      { 'a.yaml': declaration({ id: 'a', blocking: false, command: 'touch ran' }), 'b.yaml': declaration({ id: 'b' }) },
      options,
    );
    const result = await runHooks(hookSet, 'PreAbilityCall', call, { blockingOnly: true });
    expect(result.hooks.map(({ hook_id }) => hook_id)).toEqual(['b']);
    await hookSet.idle();
    expect(existsSync(join(hookSet.root, 'ran'))).toBe(false);
    expect(traces[0]?.rows).toMatchObject([
      { name: 'a', planned: 'skip', reason: 'disabled' },
      { name: 'b', outcome: 'silent' },
    ]);
    expect(traces[0]?.rows[0]?.hint).toContain('blocking hooks only');
  });

  test('P13 dispose ends them, and so does the signal that bounds them', async () => {
    const files = { 'a.yaml': declaration({ id: 'a', blocking: false, command: 'touch started; sleep 20' }) };
    const codes: (string | undefined)[] = [];
    const events = { onHookEnd: ({ code }: { code?: string | undefined }) => codes.push(code) };
    const disposed = await loadTrusted(files, { events });
    await runHooks(disposed, 'PreAbilityCall', call, { until: new AbortController().signal });
    await until('the hook has started', 5_000, () => existsSync(join(disposed.root, 'started')));
    const startedAt = performance.now();
    await disposed.dispose();
    expect(performance.now() - startedAt).toBeLessThan(3_000);

    const bounded = await loadTrusted(files, { events });
    await runHooks(bounded, 'PreAbilityCall', call, { until: AbortSignal.timeout(300) });
    await bounded.idle();
    expect(codes).toEqual(['cancelled', 'cancelled']);
  });

  test('they are bounded: a thousand may run or wait, one more is refused', async () => {
    const { traces, options } = traced({ limits: { concurrency: 2 } });
    const hookSet = await loadTrusted(
      { 'a.yaml': declaration({ id: 'a', blocking: false, command: 'sleep 20' }) },
      options,
    );
    const codes: (string | undefined)[] = [];
    const stop = await load(hookSet.root, {
      trustedFolder: true,
      limits: { concurrency: 2 },
      events: { onHookEnd: ({ code }) => codes.push(code) },
    });
    for (let index = 0; index < 1_001; index += 1) await runHooks(stop, 'PreAbilityCall', call);
    expect(codes).toEqual(['overloaded']);
    await stop.dispose();
    expect(codes.filter((code) => code === 'cancelled')).toHaveLength(1_000);
    expect(traces).toEqual([]);
  });
});

describe('rows', () => {
  test('every declared hook has one, with what became of every field it returned', async () => {
    const { traces, options } = traced();
    const misused = { hook_signals: [{ kind: 'routing_hint', code: 'ROUTE_SUGGESTION' }], logs: 3, usage: true };
    const hookSet = await loadTrusted(
      {
        'a.yaml': declaration({ id: 'permits', command: answers(signal('ABILITY_ALLOWED')) }),
        'b.yaml': declaration({ id: 'denies', command: denies('no') }),
        'c.yaml': declaration({ id: 'misused', command: answers(misused) }),
        'd.yaml': declaration({ id: 'off', enabled: false }),
        'e.yaml': 'id: broken\nevent_type: PreAbilityCall\n',
      },
      options,
    );
    await runHooks(hookSet, 'PreAbilityCall', call);
    expect(traces).toMatchObject([{ eventName: 'PreAbilityCall', subject: 'edit_file', mode: 'parallel' }]);
    expect(traces[0]?.rows).toMatchObject([
      {
        hookId: 'project/PreAbilityCall/permits',
        source: { kind: 'project', file: join(hookSet.directory, 'a.yaml'), line: 1 },
        outcome: 'answered',
        fields: { hook_signals: { fate: 'overridden', by: 'project/PreAbilityCall/denies' } },
      },
      { outcome: 'answered', fields: { hook_signals: { fate: 'applied' } } },
      {
        outcome: 'silent',
        fields: {
          'hook_signals[0]': { fate: 'unsupported' },
          logs: { fate: 'malformed' },
          usage: { fate: 'unsupported' },
        },
        warnings: expect.arrayContaining([
          expect.objectContaining({ code: 'misconfiguration', message: expect.stringContaining('hook_signals[0]') }),
        ]),
      },
      { planned: 'skip', reason: 'disabled', hint: expect.stringContaining('enabled: false') },
      { planned: 'skip', reason: 'invalid-config', hint: expect.stringContaining('enabled must be true or false') },
    ]);
  });

  test('F09 inspect says beforehand what a look at the machine tells', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'a', command: './no/such/guard.sh' }),
      'b.yaml': declaration({ id: 'b', command: './no/such/guard.sh', enabled: false }),
    });
    const [missing, off] = await hookSet.inspect('PreAbilityCall');
    expect(wordsOf(missing?.warnings)).toContain('executable-not-found');
    expect(off?.warnings).toBeUndefined();
  });

  test('an event for which nothing runs has its rows too', async () => {
    const { traces, options } = traced();
    const hookSet = await loadTrusted(
      { 'a.yaml': declaration({ id: 'a', more: 'match: {ability_scope: other}' }) },
      options,
    );
    await runHooks(hookSet, 'PreAbilityCall', call);
    expect(traces).toMatchObject([{ mode: 'none', rows: [{ reason: 'matcher-mismatch' }] }]);
  });

  test('F41 a glob that takes too long faults without starting the hook', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({
        id: 'a',
        command: 'touch ran',
        more: `match: {ability_scope: "{a,b}${'*a'.repeat(12)}*c"}`,
      }),
    });
    const result = await runHooks(hookSet, 'PreAbilityCall', { ability_id: 'a'.repeat(4_000), caller });
    expect(result.hooks).toMatchObject([{ outcome: 'faulted', code: 'matcher-timeout' }]);
    expect(existsSync(join(hookSet.root, 'ran'))).toBe(false);
  });
});
