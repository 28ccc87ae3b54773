import { of } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { admit } from '../../../src/handlers/stages/admit.ts';
import { untyped } from '../../support/untyped.ts';
import { firing, first, partsWith } from './support.ts';

const through = async (parts = partsWith(), event = firing) => {
  const went: unknown[] = [];
  const outcome = await first(
    admit(parts, event, (admitted) => {
      went.push(admitted);
      return of({
        result: parts.family.empty('BeforeTool', parts.family.plan('BeforeTool', firing.payload, {})),
        results: [],
      });
    }),
  );
  return { went, code: outcome.error?.code };
};

describe('the stage admit', () => {
  test('hands on an event of the family as it came', async () => {
    expect(await through()).toEqual({ went: [firing], code: undefined });
  });

  test('refuses an event that the family does not have', async () => {
    const strange = { ...firing, eventName: untyped<'BeforeTool'>('BeforeTol') };
    expect(await through(partsWith(), strange)).toEqual({ went: [], code: 'unsupported_event' });
  });

  test('refuses every event once the engine is over', async () => {
    expect(await through(partsWith([], { isOver: () => true }))).toEqual({ went: [], code: 'disposed' });
  });

  const loading = (ready: () => Promise<void>, timeoutMs?: number) => {
    const parts = partsWith();
    return through({ ...parts, family: { ...parts.family, ready } }, { ...firing, options: { timeoutMs } });
  };

  test('waits until the hooks are loaded, and says so where they cannot be', async () => {
    const { went, code } = await loading(async () => undefined);
    expect(went).toMatchObject([{ eventName: 'BeforeTool', ticket: { ended: undefined } }]);
    expect(code).toBeUndefined();
    const failing = loading(() => Promise.reject(new Error('no such file')));
    expect(await failing).toEqual({ went: [], code: 'internal_error' });
  });

  test('waits no longer than the deadline allows', async () => {
    expect(await loading(() => new Promise(() => {}), 1)).toEqual({ went: [], code: 'deadline_exceeded' });
  });
});
