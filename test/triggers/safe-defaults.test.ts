import { describe, expect, test } from 'vitest';
import {
  Config,
  createHooks,
  executeToolWithHooks,
  fireAfterAgentHook,
  fireAfterModelHook,
  fireAfterToolHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  fireBeforeToolHook,
  fireBeforeToolSelectionHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
  HookEventName,
  HookSystem,
  MessageBus,
  requestHooks,
  type TriggerConfig,
} from '../../src/index.ts';
import { processWarningsOf } from '../support/process-warnings.ts';
import { untyped } from '../support/untyped.ts';
import { hook, listening } from './support.ts';

const request = { model: 'm', contents: 'hi' };
const response = { candidates: [] };
const result = { llmContent: 'done' };

/** Every trigger, with what it gives where there is nothing to give. */
const triggers: [string, (config: TriggerConfig) => Promise<unknown>, unknown][] = [
  ['fireBeforeToolHook', (config) => fireBeforeToolHook(config, 'shell', {}), undefined],
  ['fireAfterToolHook', (config) => fireAfterToolHook(config, 'shell', {}, result), undefined],
  ['executeToolWithHooks', (config) => executeToolWithHooks(config, 'shell', {}, () => result), result],
  ['fireBeforeModelHook', (config) => fireBeforeModelHook(config, request), { blocked: false }],
  ['fireAfterModelHook', (config) => fireAfterModelHook(config, request, response), { response }],
  ['fireBeforeToolSelectionHook', (config) => fireBeforeToolSelectionHook(config, request), {}],
  ['fireBeforeAgentHook', (config) => fireBeforeAgentHook(config, 'hi'), { blocked: false, prompt: 'hi' }],
  ['fireAfterAgentHook', (config) => fireAfterAgentHook(config, 'hi', 'ho'), { retry: false, clearContext: false }],
  ['fireSessionStartHook', (config) => fireSessionStartHook(config, 'startup'), undefined],
  ['fireSessionEndHook', (config) => fireSessionEndHook(config, 'exit'), undefined],
  ['firePreCompressHook', (config) => firePreCompressHook(config, 'auto'), undefined],
  ['fireNotificationHook', (config) => fireNotificationHook(config, 'Idle', 'hi'), undefined],
];

/** A deny for every event: what a trigger must not get to see when the engine cannot be used. */
const denying = Object.fromEntries(
  Object.keys(HookEventName).map((eventName) => [eventName, [hook({ decision: 'deny' })]]),
);

const boom = (): never => {
  throw new Error('boom');
};

const duck = (members: Partial<TriggerConfig> = {}): TriggerConfig => ({
  getSessionId: () => 'duck',
  getHooks: () => denying,
  ...members,
});

describe('the safe default, and never a throw', () => {
  const failing: [string, (logger: { warn: (message: string) => void }) => TriggerConfig][] = [
    ['getHooks throws', (logger) => duck({ getHooks: boom, getDeps: () => ({ logger }) })],
    ['getHooks rejects', (logger) => duck({ getHooks: async () => boom(), getDeps: () => ({ logger }) })],
    ['getSessionId throws', (logger) => duck({ getSessionId: boom, getDeps: () => ({ logger }) })],
    ['getWorkingDir throws', (logger) => duck({ getWorkingDir: boom, getDeps: () => ({ logger }) })],
    ['getMessageBus throws', (logger) => duck({ getMessageBus: boom, getDeps: () => ({ logger }) })],
    ['getEnableHooks throws', (logger) => duck({ getEnableHooks: boom, getDeps: () => ({ logger }) })],
    ['getHookSystem throws', (logger) => duck({ getHookSystem: boom, getDeps: () => ({ logger }) })],
    [
      'the engine is closed',
      (logger) => {
        const system = new HookSystem(duck(), undefined, { logger });
        void system.dispose();
        return duck({ getHookSystem: () => system, getDeps: () => ({ logger }) });
      },
    ],
  ];

  describe.each(failing)('when %s', (_why, configOf) => {
    test.each(triggers)('%s', async (_name, fire, fallback) => {
      const { warnings, logger } = listening();
      expect(await fire(configOf(logger))).toEqual(fallback);
      expect(warnings).not.toEqual([]);
    });
  });

  test.each(triggers)('%s, when even the deps and the logger throw', async (_name, fire, fallback) => {
    expect(await fire(duck({ getHooks: boom, getDeps: boom }))).toEqual(fallback);
    expect(await fire(duck({ getHooks: boom, getDeps: () => ({ logger: { warn: boom } }) }))).toEqual(fallback);
  });

  test.each(triggers)('%s, when hooks are off', async (_name, fire, fallback) => {
    expect(await fire(new Config({ hooks: denying }))).toEqual(fallback);
    expect(await fire(duck({ getEnableHooks: () => false }))).toEqual(fallback);
    expect(await fire(duck({ getHookSystem: () => undefined }))).toEqual(fallback);
  });

  test('R1974 is a warning of the process without a logger, once for a configuration', async () => {
    const warnings = await processWarningsOf(async () => {
      const config = duck({ getHooks: boom });
      await executeToolWithHooks(config, 'shell', {}, () => result);
      await executeToolWithHooks(config, 'shell', {}, () => result);
      await executeToolWithHooks(
        duck({ getHooks: boom, getDeps: () => ({ warnings: false }) }),
        'shell',
        {},
        () => result,
      );
      const signal = AbortSignal.abort();
      await executeToolWithHooks(duck(), 'shell', {}, () => result, { signal });
    });
    expect(warnings).toEqual([
      {
        code: 'HOOKWRIGHT_NOT_FIRED',
        message: 'BeforeTool hooks could not be fired, the agent goes on without them: boom',
      },
    ]);
  });

  test('an engine that failed to load is asked again with the next event', async () => {
    let broken = true;
    const config = duck({ getHooks: () => (broken ? boom() : denying) });
    expect(await fireBeforeToolHook(config, 'shell', {})).toBeUndefined();
    broken = false;
    expect((await fireBeforeToolHook(config, 'shell', {}))?.decision).toBe('deny');
  });
});

describe('a configuration that only looks like one', () => {
  test.each(triggers)('is enough for %s', async (_name, fire, fallback) => {
    expect(await fire(duck({ getHooks: () => ({}) }))).toEqual(fallback);
    expect(await fire(duck())).not.toEqual(fallback);
  });

  test('has one hook system, made for the first event', async () => {
    let loads = 0;
    const config = duck({
      getHooks: () => {
        loads += 1;
        return denying;
      },
    });
    await fireBeforeToolHook(config, 'shell', {});
    await fireBeforeModelHook(config, request);
    expect(loads).toBe(1);
    await fireBeforeToolHook(duck({ getHooks: config.getHooks }), 'shell', {});
    expect(loads).toBe(2);
  });

  test('has its system on its bus, with its deps', async () => {
    const bus = new MessageBus();
    const traces: string[] = [];
    const config = duck({
      getMessageBus: () => bus,
      getDeps: () => ({ onTrace: ({ eventName }) => traces.push(eventName) }),
    });
    await fireBeforeToolHook(config, 'shell', {});
    const asked = await requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
    expect(asked.finalOutput?.decision).toBe('deny');
    expect(traces).toEqual(['BeforeTool', 'BeforeTool']);
  });

  test('may switch its hooks on later', async () => {
    let enabled = false;
    const config = duck({ getEnableHooks: () => enabled });
    expect(await fireBeforeToolHook(config, 'shell', {})).toBeUndefined();
    enabled = true;
    expect((await fireBeforeToolHook(config, 'shell', {}))?.decision).toBe('deny');
  });

  test('may use the name other agents give the working directory', async () => {
    const seen: unknown[] = [];
    const definition = hook((input: { cwd: string }) => void seen.push(input.cwd));
    await fireBeforeToolHook(
      duck({ getTargetDir: () => '/target', getHooks: () => ({ BeforeTool: [definition] }) }),
      'x',
      {},
    );
    expect(seen).toEqual(['/target']);
  });
});

describe('something that is no configuration at all', () => {
  test.each(triggers)('is refused by %s, which would otherwise go on without any hook', async (_name, trigger) => {
    await expect(trigger(untyped(undefined))).rejects.toThrow('a trigger takes a config, such as new Config({…})');
    await expect(trigger(untyped({}))).rejects.toThrow('got an object');
    await expect(trigger(untyped(await createHooks()))).rejects.toThrow('has methods of its own, such as beforeTool');
  });
});
