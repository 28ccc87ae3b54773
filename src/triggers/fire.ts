import { type HookDeps, hookSystemOf, type TriggerConfig } from '../config.ts';
import type { HookEventName, OutputOf, PayloadOf } from '../events/catalogue.ts';
import type { FireOptions } from '../handlers/hook-event-handler.ts';
import { describeThrown } from '../protocol/json.ts';

export const depsOf = (config: TriggerConfig): HookDeps => {
  try {
    return config.getDeps?.() ?? {};
  } catch {
    // A host whose getter throws has brought nothing along; what it throws is its own to report.
    return {};
  }
};

export const warn = (config: TriggerConfig, message: string): void => depsOf(config).logger?.warn?.(message);

/**
 * Fires one event and gives the merged answer, or nothing: hooks are off, none had anything to say, or the engine
 * failed. A trigger never throws; a failing hook layer must not keep an agent from working.
 */
export const fireEvent = async <E extends HookEventName>(
  config: TriggerConfig,
  eventName: E,
  payload: PayloadOf<E>,
  { timeoutMs, signal }: FireOptions = {},
): Promise<OutputOf<E> | undefined> => {
  try {
    const system = hookSystemOf(config);
    if (system === undefined) return undefined;
    await system.initialize(signal);
    const options = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) };
    const result = await system.getEventHandler().fire(eventName, payload, options);
    return result.finalOutput;
  } catch (error) {
    warn(config, `${eventName} hooks could not be fired, the agent goes on without them: ${describeThrown(error)}`);
    return undefined;
  }
};
