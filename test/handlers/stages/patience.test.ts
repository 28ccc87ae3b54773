import { from, NEVER } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { patience } from '../../../src/handlers/stages/patience.ts';
import { run } from '../../../src/handlers/stages/run.ts';
import { Ticket } from '../../../src/handlers/ticket.ts';
import { HookwrightError } from '../../../src/index.ts';
import { first, hook, partsWith, watched } from './support.ts';

const cancelled = new HookwrightError('cancelled', 'enough');

describe('the stage patience', () => {
  test('gives what had finished when the event was ended early, and of the others the fault', async () => {
    const parts = partsWith([
      hook('quick', () => ({ decision: 'allow' })),
      hook('deaf', () => new Promise<never>(() => undefined), { onFault: 'deny' }),
    ]);
    const ticket = new Ticket({}, true);
    const { watched: running } = watched(parts, ticket);
    const deaf = patience(running, (inner) => {
      inner.watch.ended(0, { hookConfig: { type: 'runtime' }, eventName: 'BeforeTool', success: true, duration: 1 });
      return NEVER;
    });
    const results = first(deaf);
    ticket.end(cancelled);
    expect((await results).map(({ code, output }) => [code, output?.decision])).toEqual([
      [undefined, undefined],
      ['cancelled', 'deny'],
    ]);
  });

  test('is not needed where hooks end by themselves', async () => {
    const parts = partsWith([hook('one', () => ({ decision: 'allow' }))]);
    const { told, watched: running } = watched(parts);
    const results = await first(patience(running, (inner) => from(first(run(parts, inner)))));
    expect(results.map(({ output }) => output?.decision)).toEqual(['allow']);
    expect(told).toEqual(['started 0', 'ended 0']);
  });
});
