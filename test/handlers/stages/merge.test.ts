import { of, throwError } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { merge } from '../../../src/handlers/stages/merge.ts';
import { run } from '../../../src/handlers/stages/run.ts';
import { Ticket } from '../../../src/handlers/ticket.ts';
import { HookwrightError } from '../../../src/index.ts';
import { first, hook, partsWith, timed, watched } from './support.ts';

const deny = hook('guard', () => ({ decision: 'deny', reason: 'no' }), { onFault: 'deny' });

describe('the stage merge', () => {
  test('makes one outcome of many results, and keeps them', async () => {
    const parts = partsWith([hook('one', () => ({ decision: 'allow' })), deny]);
    const { result, results, error } = await first(
      merge(parts, timed(parts), () => run(parts, watched(parts).watched)),
    );
    expect([result.finalOutput?.decision, result.finalOutput?.reason, results.length, error]).toEqual([
      'deny',
      'no',
      2,
      undefined,
    ]);
  });

  test('says why an event was ended early', async () => {
    const parts = partsWith([deny]);
    const ticket = new Ticket({}, true);
    ticket.end(new HookwrightError('cancelled', 'enough'));
    const { result, error } = await first(merge(parts, timed(parts, ticket), () => of([])));
    expect([result.success, error?.code]).toEqual([false, 'cancelled']);
  });

  test('hears the fault of a guard where what follows fails, and of no other hook', async () => {
    const failing = () => throwError(() => new Error('the disk is gone'));
    const guarded = partsWith([hook('other', () => undefined), deny]);
    const { result, results } = await first(merge(guarded, timed(guarded), failing));
    expect(result.finalOutput?.decision).toBe('deny');
    expect(results.map(({ hookConfig, code }) => [hookConfig.name, code])).toEqual([['guard', 'threw']]);
    const open = partsWith([hook('other', () => undefined)]);
    expect((await first(merge(open, timed(open), failing))).result.finalOutput).toBeUndefined();
  });
});
