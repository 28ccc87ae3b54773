import { map, of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { deadline } from '../../../src/handlers/stages/deadline.ts';
import { Ticket } from '../../../src/handlers/ticket.ts';
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

  test.each([
    [{}, 1_000],
    [{ onFault: 'deny' }, 2_000],
    [{ onFault: 'deny', recheck: false }, 1_000],
  ] as const)('without one of its own a request has the time of a round, with %j %d ms', async (more, hooksMs) => {
    const parts = partsWith([hook('one', () => undefined, { timeout: 1_000, ...more })]);
    const limited: number[] = [];
    class Noting extends Ticket {
      override limitTo(timeoutMs: number): void {
        limited.push(timeoutMs);
        super.limitTo(timeoutMs);
      }
    }
    const given = planned(parts);
    const fired = { ...given.firing, ticket: new Noting({}, true) };
    await first(
      deadline(parts, { ...given, firing: fired }, () =>
        of({ result: parts.family.empty('BeforeTool', given.plan), results: [] }),
      ),
    );
    const { killGraceMs, drainMs } = parts.family.limits();
    const rounds = hooksMs / 1_000;
    expect(limited).toEqual([hooksMs + rounds * (killGraceMs + drainMs)]);
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
