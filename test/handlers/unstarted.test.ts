import { expect, test } from 'vitest';
import { defaultHookTranslator, type HookConfig, HookSystem, type OnFault } from '../../src/index.ts';
import { ownNow } from '../support/own-clock.ts';

const systemWith = async (onFault: OnFault, deps = {}, config = {}) => {
  const guard: HookConfig = { type: 'runtime', name: 'guard', onFault, action: () => ({ decision: 'allow' }) };
  const hooks = { BeforeTool: [{ hooks: [guard] }], BeforeModel: [{ hooks: [guard] }] };
  const system = new HookSystem({ getSessionId: () => '', getHooks: () => hooks, ...config }, undefined, deps);
  await system.initialize();
  return system.getEventHandler();
};

/** Ways in which the engine fails after planning and before the first hook. */
const failures = {
  'a signal that has aborted': async (onFault: OnFault) =>
    (await systemWith(onFault)).fire('BeforeTool', { tool_name: 't', tool_input: {} }, { signal: AbortSignal.abort() }),
  'an input that is not JSON': async (onFault: OnFault) =>
    (await systemWith(onFault)).fire('BeforeTool', { tool_name: 't', tool_input: { at: new Date(0) } }),
  'a session without an id': async (onFault: OnFault) => {
    const getSessionId = (): never => {
      throw new Error('no session');
    };
    const handler = await systemWith(onFault, {}, { getSessionId });
    return handler.fire('BeforeTool', { tool_name: 't', tool_input: {} });
  },
  'a translator that throws': async (onFault: OnFault) => {
    const toHookLLMRequest = (): never => {
      throw new Error('unknown model');
    };
    const translator = Object.assign(Object.create(defaultHookTranslator), { toHookLLMRequest });
    return (await systemWith(onFault, { translator })).fire('BeforeModel', {
      llm_request: { model: 'm', messages: [] },
    });
  },
};

test.each(Object.entries(failures))('P5 %s does not get past a guard whose faults deny', async (_what, fire) => {
  const result = await fire('deny');
  expect(result).toMatchObject({ success: false, finalOutput: { decision: 'deny' } });
});

test.each(Object.entries(failures))('P5 %s asks where the faults of a guard ask', async (_what, fire) => {
  const result = await fire('ask');
  expect(result.finalOutput).toMatchObject({ decision: 'ask', hookSpecificOutput: { onFault: true } });
});

test.each(Object.entries(failures))('%s decides nothing where faults allow', async (_what, fire) => {
  const result = await fire('allow');
  expect(result).toMatchObject({ success: false, finalOutput: undefined });
});

test('an input whose parts are shared beyond all measure is refused in time', async () => {
  let shared: Record<string, unknown> = {};
  for (let level = 0; level < 60; level += 1) shared = { one: shared, other: shared };
  const handler = await systemWith('allow');
  const started = ownNow();
  const result = await handler.fire('BeforeTool', { tool_name: 't', tool_input: shared });
  expect(result.errors[0]?.message).toContain('250000 objects');
  expect(ownNow() - started).toBeLessThan(2_000);
});
