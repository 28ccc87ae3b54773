import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoadAbilityHooksOptions } from '../../src/abilities/index.ts';
import { type AbilityHookSet, runHooks } from '../../src/abilities/index.ts';
import { interpretGuard } from '../../src/events/index.ts';
import type { HookExecutionTrace, RowSource } from '../../src/protocol/index.ts';
import { answers, caller, type Declared, declaration, hooksRepository, load, loadTrusted } from './hooks-support.ts';
import { ability, toolsWith } from './support.ts';

const call = (ability_id: string) => ({ ability_id, caller });
const denial = answers({ hook_signals: [{ code: 'ABILITY_DENIED', payload: { reason: 'not on Fridays' } }] });
const scope = (glob: string): string => `match: {ability_scope: "${glob}"}`;

/** A guard that denies, and before it in the order of the names a file that has the same id. */
const pair = (first: Partial<Declared>, guard: Partial<Declared> = {}): Record<string, string> => ({
  'a.yaml': declaration({ id: 'guard', command: 'exit 1', ...first }),
  'z.yaml': declaration({ id: 'guard', command: denial, more: scope('deploy*'), ...guard }),
});

const reasons = (hooks: AbilityHookSet): (string | undefined)[] =>
  hooks.explain('PreAbilityCall').map(({ planned, reason }) => reason ?? planned);

describe('a blocking hook whose id another file has', () => {
  test.each([
    ['breaks', {}],
    ['answers', { command: answers({ logs: ['hello'] }) }],
    ['is not blocking', { blocking: false }],
    ['is for another event', { event: 'SessionStop' }],
    ['is never active here', { more: scope('nothing_here') }],
  ])('is not passed over: what it would check is refused, also when the other one %s', async (_what, first) => {
    const hooks = await loadTrusted(pair(first));
    const result = await runHooks(hooks, 'PreAbilityCall', call('deploy'));
    expect(result).toMatchObject({ success: false, error: { code: 'not-supported', hook_id: 'guard' } });
    expect(result.error?.message).toContain('z.yaml does not run: its id is taken by a.yaml');
    expect(interpretGuard(result)).toMatchObject({ outcome: 'denied' });
    await hooks.idle();
  });

  test('keeps the tool runner from executing, and the person reads why', async () => {
    const hooks = await loadTrusted(pair({}));
    const executed: string[] = [];
    const tools = toolsWith({
      root: hooks.root,
      hooks,
      abilities: ['deploy', 'read'].map((id) => ability(id, () => executed.push(id))),
    });
    expect(await tools.runAbility('deploy', {})).toMatchObject({
      executed: false,
      reason: expect.stringContaining('give one of the two another id'),
    });
    expect(await tools.runAbility('read', {})).toMatchObject({ executed: true });
    expect(executed).toEqual(['read']);
  });

  test('is not started, keeps its row, and is in the log and the trace of the event', async () => {
    const traces: HookExecutionTrace[] = [];
    const files = pair({ command: 'true' }, { command: 'touch ran' });
    const hooks = await loadTrusted(files, { onTrace: (trace) => traces.push(trace) });
    await runHooks(hooks, 'PreAbilityCall', call('deploy'));
    await hooks.idle();
    expect(existsSync(join(hooks.root, 'ran'))).toBe(false);
    expect(traces[0]?.rows).toMatchObject([
      { planned: 'run', outcome: 'silent' },
      { planned: 'skip', reason: 'duplicate', outcome: 'faulted', code: 'not-supported' },
    ]);
    const log = readFileSync(join(hooks.root, '.system/logs/hooks.jsonl'), 'utf8').trim().split('\n');
    // Nobody waits for a hook that is not started, so that its line may come first.
    expect(log).toHaveLength(2);
    expect(log.map((line): unknown => JSON.parse(line))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ status: 'success', outcome: 'silent' }),
        expect.objectContaining({ hook_id: 'guard', status: 'failure', code: 'not-supported', on_fault: 'fail' }),
      ]),
    );
  });

  test('stays out of what it would not have looked at', async () => {
    const hooks = await loadTrusted(pair({ command: 'true' }));
    expect(await runHooks(hooks, 'PreAbilityCall', call('read'))).toMatchObject({ success: true });
    expect(
      await runHooks(hooks, 'PreAbilityCreate', {
        ability_ref: { kind: 'ability_id', value: 'deploy' },
        input_summary: '',
        environment: 'ci',
        caller,
      }),
    ).toMatchObject({ success: true });
  });

  test('is there for a caller that wants blocking hooks only', async () => {
    const hooks = await loadTrusted(pair({ blocking: false }));
    const result = await runHooks(hooks, 'PreAbilityCall', call('deploy'), { blockingOnly: true });
    expect(result).toMatchObject({ success: false, error: { hook_id: 'guard' } });
    await hooks.idle();
  });

  test('fails nothing when it is not blocking, switched off or not trusted; the first of its id is heard', async () => {
    const trusts = (name: string): LoadAbilityHooksOptions => ({
      trustCheck: ({ source }: { source: RowSource }) => source.file?.endsWith(name) === true,
    });
    const first = { command: 'true' };
    const loose = await loadTrusted(pair(first, { blocking: false }));
    const off = await loadTrusted(pair(first, { enabled: false }));
    const untrusted = await load(hooksRepository(pair(first)), trusts('a.yaml'));
    expect([reasons(loose), reasons(off), reasons(untrusted)]).toEqual([
      ['run', 'duplicate'],
      ['run', 'disabled'],
      ['run', 'untrusted'],
    ]);
    for (const hooks of [loose, off, untrusted]) {
      expect(await runHooks(hooks, 'PreAbilityCall', call('deploy'))).toMatchObject({ success: true });
    }
    // What is not trusted takes no id from what is.
    const kept = await load(hooksRepository(pair(first)), trusts('z.yaml'));
    expect(reasons(kept)).toEqual(['untrusted', 'run']);
    const result = await runHooks(kept, 'PreAbilityCall', call('deploy'));
    expect(interpretGuard(result)).toMatchObject({ outcome: 'denied', reason: 'not on Fridays' });
    expect(kept.problems).toMatchObject([
      { code: 'awaiting-approval', severity: 'warning' },
      { skipped: false, message: expect.stringContaining('a.yaml too') },
    ]);
  });
});
