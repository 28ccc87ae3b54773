import { describe, expect, test } from 'vitest';
import { type HookSystemDeps, type HostConfig, MessageBus, MessageBusType } from '../../src/index.ts';
import { answers, engineOf, groupOf, systemOn } from '../support/engine.ts';
import { keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const breaks = (): never => {
  throw new Error('no such thing');
};

describe('R1930 a callback of the host that throws', () => {
  test.each<keyof HostConfig>([
    'getBudgetMs',
    'getMode',
    'getOnConflict',
    'getHooksOffUntil',
    'getTranscriptPath',
    'getEventDir',
  ])('%s: the deny of a hook counts beside an advisory hook, and the log has a line', async (name) => {
    const { logger, warn } = keepLines();
    const deny = answers('no', { decision: 'deny', reason: 'not here' });
    const hooks = { BeforeTool: groupOf(answers('advice', {}, { advisory: true }), deny) };
    const system = await engineOf({ hooks, host: { [name]: breaks }, deps: { logger } });
    const { finalOutput, success } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect({ success, ...finalOutput }).toMatchObject({ success: true, decision: 'deny', reason: 'not here' });
    expect(warn.join('\n')).toContain(`${name} threw and was ignored: no such thing`);
  });

  test('idGenerator and the bus, which show a direct call: the deny of a hook counts, and the log has a line', async () => {
    const { logger, warn } = keepLines();
    const bus = new MessageBus();
    bus.subscribe(MessageBusType.HOOK_EXECUTION_REQUEST, () => {});
    const hooks = { BeforeTool: groupOf(answers('no', { decision: 'deny' })) };
    const system = systemOn(bus, { hooks, deps: { logger, idGenerator: breaks } });
    await system.initialize();
    Object.assign(bus, { publish: breaks });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput).toMatchObject({ decision: 'deny' });
    expect(warn.join('\n')).toMatch(/idGenerator threw[\s\S]*publish threw and was ignored: no such thing/);
  });

  test.each(['isWatched', 'version'])('R1973 %s of the bus: hooks are asked as without listeners', async (member) => {
    const { logger, warn } = keepLines();
    const bus = new MessageBus();
    const system = systemOn(bus, {
      hooks: { BeforeTool: groupOf(answers('no', { decision: 'deny' })) },
      deps: { logger },
    });
    await system.initialize();
    Object.defineProperty(bus, member, { get: breaks });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput).toMatchObject({ decision: 'deny' });
    expect(warn.join('\n')).toContain('isWatched or version of the bus threw and was ignored: no such thing');
  });

  test.each([
    ['throws', breaks],
    ['gives no time', () => Number.NaN],
  ])('R1981 clock that %s: the deny of a hook counts, and the log has a line', async (_how, now) => {
    const { logger, warn } = keepLines();
    const hooks = { BeforeTool: groupOf(answers('no', { decision: 'deny' })) };
    const bus = new MessageBus();
    bus.stream().subscribe();
    const system = systemOn(bus, { hooks, deps: { logger, clock: { now } } });
    await system.initialize();
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput).toMatchObject({ decision: 'deny' });
    expect(warn.join('\n')).toContain('clock failed, and the time of the system is used: ');
  });

  test('getRequired: a tool call is refused, because a required guard may be missing', async () => {
    const system = await engineOf({ hooks: {}, host: { getRequired: breaks } });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('getRequired threw: no such thing'),
    });
  });

  test('getProjectDir: an `if` that cannot be compared with it does not keep another hook from denying', async () => {
    const { logger, warn } = keepLines();
    const conditional = answers('conditional', {}, { if: 'Edit(src/**)' });
    const hooks = { BeforeTool: groupOf(conditional, answers('no', { decision: 'deny', reason: 'not here' })) };
    const system = await engineOf({ hooks, host: { getProjectDir: breaks }, deps: { logger } });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('edit', { file_path: 'src/a.ts' });
    expect(finalOutput).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(warn.join('\n')).toContain('getProjectDir threw and was ignored: no such thing');
  });

  test('getSessionId: a guard without its input refuses, with a log and without', async () => {
    const hooks = { BeforeTool: groupOf(answers('no', {}, { onFault: 'deny' })) };
    for (const deps of [{}, { logger: {} }]) {
      const system = await engineOf({ hooks, host: { getSessionId: breaks }, deps });
      const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
      expect(finalOutput).toMatchObject({ decision: 'deny' });
    }
  });

  test('a logger that rejects is ignored like one that throws', async () => {
    const rejected: unknown[] = [];
    const keep = (reason: unknown): unknown => rejected.push(reason);
    process.on('unhandledRejection', keep);
    const logger = untyped<NonNullable<HookSystemDeps['logger']>>({ debug: async () => breaks() });
    const system = await engineOf({ deps: { logger } });
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', keep);
    expect(rejected).toEqual([]);
  });
});
