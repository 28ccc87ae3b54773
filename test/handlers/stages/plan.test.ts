import { of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/handlers/stages/plan.ts';
import { keepLines } from '../../support/host.ts';
import { firing, first, hook, partsWith } from './support.ts';

describe('the stage plan', () => {
  test('answers an event for which nothing runs itself, and says so in the log', async () => {
    const { logger, debug } = keepLines();
    const parts = partsWith([], { audience: { bus: undefined, logger } });
    const outcome = await first(plan(parts, firing, () => expect.unreachable('nothing is to run')));
    expect(outcome).toMatchObject({ result: { success: true, allOutputs: [] }, results: [] });
    expect(debug).toEqual(["BeforeTool fired for 'shell': 0 hooks matched, skipped"]);
  });

  test('hands on what runs, in the order of the planner', async () => {
    const hooks = [hook('one', () => undefined), hook('two', () => undefined)];
    const parts = partsWith(hooks);
    const names: unknown[] = [];
    await first(
      plan(parts, firing, ({ plan: made }) => {
        names.push(
          made.hooks.map(({ name }) => name),
          made.subject,
          made.sequential,
        );
        return of({ result: parts.family.empty('BeforeTool', made), results: [] });
      }),
    );
    expect(names).toEqual([['one', 'two'], 'shell', false]);
  });
});
