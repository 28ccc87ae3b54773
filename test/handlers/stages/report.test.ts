import { describe, expect, test } from 'vitest';
import { report } from '../../../src/handlers/stages/report.ts';
import { run } from '../../../src/handlers/stages/run.ts';
import { Ticket } from '../../../src/handlers/ticket.ts';
import { type HookExecutionTrace, HookwrightError } from '../../../src/index.ts';
import { first, hook, partsWith, timed } from './support.ts';

const listening = () => {
  const traces: HookExecutionTrace[] = [];
  const told: string[] = [];
  const events = {
    onHookStart: ({ hookName }: { hookName: string }) => told.push(`${hookName} starts`),
    onHookEnd: ({ hookName }: { hookName: string }) => told.push(`${hookName} ends`),
  };
  const parts = partsWith([hook('one', () => ({ decision: 'deny' }))], {
    audience: { bus: undefined, events, onTrace: (trace) => traces.push(trace) },
  });
  return { parts, told, traces };
};

describe('the stage report', () => {
  test('tells what becomes of each hook, and of all of them in a trace', async () => {
    const { parts, told, traces } = listening();
    await first(report(parts, timed(parts), (inner) => run(parts, inner)));
    expect(told).toEqual(['one starts', 'one ends']);
    expect(traces.map(({ mode, rows }) => [mode, rows.map(({ outcome }) => outcome)])).toEqual([
      ['parallel', ['answered']],
    ]);
  });

  test('starts nothing for an event that was ended before, and fails with the reason', async () => {
    const { parts, told, traces } = listening();
    const ticket = new Ticket({}, true);
    const reason = new HookwrightError('cancelled', 'enough');
    ticket.end(reason);
    const results$ = report(parts, timed(parts, ticket), () => expect.unreachable('nothing is to start'));
    await expect(first(results$)).rejects.toBe(reason);
    expect([told, traces.length]).toEqual([[], 1]);
  });
});
