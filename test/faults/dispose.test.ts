import { describe, expect, test } from 'vitest';
import { HookSystem, MessageBus } from '../../src/index.ts';
import { answers, engineOnBus, fn, groupOf, hangs, requestFor, sleep } from '../support/engine.ts';
import { deferred, hostWith } from '../support/host.ts';
import { atMost, expectNothingLeft, holdings, watchTroubles } from '../support/processes.ts';

/** How long the engine's defaults let a process take to end, and what P13 adds to it. */
const KILL_GRACE_MS = 500;
const PATIENCE_MS = 250;

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
};

describe('F72 dispose', () => {
  test.each([
    ['that waits for it', true],
    ['that goes on', false],
  ])('from inside a hook %s ends both, and the request is answered as disposed', async (_title, waits) => {
    const inside = deferred<number>();
    const disposes = fn('disposes', async () => {
      const disposing = timed(() => engine.system.dispose());
      disposing.then(inside.resolve, inside.reject);
      if (waits) await disposing;
      return {};
    });
    const block = answers('blocks', { decision: 'block', reason: 'no' });
    const engine = engineOnBus({ hooks: { BeforeTool: groupOf(block, disposes, hangs('hangs')) } });
    engine.bus.publish(requestFor('a'));
    expect(await engine.answerTo('a')).toMatchObject({ error: { code: 'disposed' }, output: { decision: 'block' } });
    expect(await inside.promise).toBeLessThan(atMost(KILL_GRACE_MS + PATIENCE_MS));
    engine.bus.publish(requestFor('b'));
    await sleep(20);
    expect(engine.responses.filter(({ correlationId }) => correlationId === 'a')).toHaveLength(1);
  });

  test('while hooks are loaded ends in time, and what waits for them is refused', async () => {
    const loading = deferred<undefined>();
    const bus = new MessageBus();
    const system = new HookSystem(hostWith({ getHooks: () => loading.promise }), bus);
    const initializing = system.initialize();
    expect(await timed(() => system.dispose())).toBeLessThan(atMost(PATIENCE_MS));
    loading.resolve(undefined);
    await initializing;
    expect((await system.getEventHandler().fireBeforeAgentEvent('hi')).errors).toMatchObject([{ code: 'disposed' }]);
  });

  test.skipIf(process.platform === 'win32')(
    'P13 with commands that ignore being asked is over when they are gone, called twice as once',
    async () => {
      watchTroubles();
      const before = holdings();
      const stubborn = { type: 'command', command: "trap '' TERM; sleep 30; sleep 30" } as const;
      const engine = engineOnBus({
        hooks: { BeforeTool: groupOf(stubborn, stubborn, { ...stubborn, command: 'setsid sleep 30 & sleep 30' }) },
        host: { getWorkingDir: () => process.cwd() },
      });
      engine.bus.publish(requestFor('a'));
      await sleep(300);
      const took = await timed(() => Promise.all([engine.system.dispose(), engine.system.dispose()]));
      expect(took).toBeLessThan(atMost(KILL_GRACE_MS + PATIENCE_MS + 50));
      expect(engine.responses).toMatchObject([{ error: { code: 'disposed' } }]);
      await expectNothingLeft({ before, runIds: [], withinMs: 1_000 });
    },
  );
});
