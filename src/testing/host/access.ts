import { type Bus, MessageBus } from '../../bus/index.ts';
import { busOf, Config, hookSystemOf, type TriggerConfig } from '../../config.ts';
import { invalidArgument } from '../../errors.ts';
import type { HookSystem } from '../../hook-system.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { type AnyHookTranslator, defaultHookTranslator } from '../../models/index.ts';
import { MessageBusType } from '../../protocol/index.ts';
import { depsOf } from '../../triggers/index.ts';
import type { HostAccess } from './driver.ts';

/** How the kit gets at an agent's hooks. */
export interface Access {
  readonly bus: Bus;
  /** Where it can add hooks of its own; there is none when somebody else answers on the agent's bus. */
  readonly system: HookSystem | undefined;
  readonly translator: AnyHookTranslator;
  readonly close: () => Promise<void>;
}

const nothingToClose = (): Promise<void> => Promise.resolve();

const ofConfig = (config: TriggerConfig): Access => {
  const system = hookSystemOf(config, new MessageBus());
  if (system === undefined) throw invalidArgument('hostCoverage: hooks are switched off in the given config');
  const bus = busOf(config);
  if (bus === undefined) {
    throw invalidArgument('hostCoverage: the hook system of the given config has no bus to watch; give the config one');
  }
  const translator = depsOf(config).translator ?? defaultHookTranslator;
  return { bus, system, translator, close: nothingToClose };
};

const ofBus = (bus: Bus): Access => {
  const isServed = bus.isHeard(MessageBusType.HOOK_EXECUTION_REQUEST);
  if (isServed) return { bus, system: undefined, translator: defaultHookTranslator, close: nothingToClose };
  const access = ofConfig(new Config({ enableHooks: true, bus }));
  return { ...access, close: async () => access.system?.dispose() };
};

export const accessTo = (driver: HostAccess): Access => {
  const given: unknown = driver;
  if (!isRecord(given)) throw invalidArgument(`hostCoverage needs a driver, got ${describeValue(given)}`);
  if ('hooks' in driver) {
    const { bus, system } = driver.hooks;
    return { bus, system, translator: defaultHookTranslator, close: nothingToClose };
  }
  if ('config' in driver) return ofConfig(driver.config);
  if ('bus' in driver) return ofBus(driver.bus);
  throw invalidArgument(
    'hostCoverage: the driver needs `config`, `hooks` or `bus`, to say where the agent’s hooks are',
  );
};
