import { map, of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { deadline } from '../../../src/handlers/stages/deadline.ts';
import type { Ticket } from '../../../src/handlers/ticket.ts';
import { first, hook, partsWith, planned } from './support.ts';

const request = { isRequest: true, correlationId: 'r-1' };

describe('the stage deadline', () => {
  test('ends a request when its time is over, and an answered one no more', async () => {
    const parts = partsWith([hook('one', () => undefined)]);
    const { firing, plan } = planned(parts);
    const options = { timeoutMs: 10 };
    const outcome = await first(
      deadline(parts, { firing: { ...firing, ...request, options }, plan }, ({ ticket }) =>
        ticket.ended$.pipe(map((error) => ({ result: parts.family.empty('BeforeTool', plan), results: [], error }))),
      ),
    );
    expect(outcome.error?.code).toBe('deadline_exceeded');
  });

  test('a request can be cancelled by its id until it has its outcome', async () => {
    const parts = partsWith([hook('one', () => undefined)]);
    const { firing, plan } = planned(parts);
    const tickets: Ticket[] = [];
    const fire = (isCancelled: boolean) =>
      first(
        deadline(parts, { firing: { ...firing, ...request }, plan }, ({ ticket }) => {
          tickets.push(ticket);
          if (isCancelled) parts.inFlight.cancel('r-1');
          return of({ result: parts.family.empty('BeforeTool', plan), results: [] });
        }),
      );
    await fire(true);
    await fire(false);
    parts.inFlight.cancel('r-1');
    expect(tickets.map(({ ended }) => ended?.code)).toEqual(['cancelled', undefined]);
  });

  test('a direct call that nobody limits has no clock, and no signal to pay for', async () => {
    const parts = partsWith([hook('one', () => undefined)]);
    const given = planned(parts);
    const outcome$ = deadline(parts, given, ({ ticket }) => {
      expect(ticket.signal).toBeUndefined();
      return of({ result: parts.family.empty('BeforeTool', given.plan), results: [] });
    });
    expect((await first(outcome$)).error).toBeUndefined();
  });
});
