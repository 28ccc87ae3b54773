import { type HookDeps, hookSystemOf, type TriggerConfig } from '../../config.ts';
import { HookwrightError, invalidArgument } from '../../errors.ts';
import {
  catalogue,
  type HookEventName,
  type HookInput,
  hookEventNames,
  isHookEventName,
  type PayloadOf,
} from '../../events/index.ts';
import { describeValue, suggestion } from '../../kit/index.ts';
import { HookAggregator } from '../../merging/index.ts';
import { type AnyHookTranslator, defaultHookTranslator } from '../../models/index.ts';
import { HookPlanner } from '../../planner/index.ts';
import type { HookExecutionResult, HookRow } from '../../protocol/index.ts';
import type { HookRegistry } from '../../registry/index.ts';
import { HookRunner } from '../../runners/index.ts';
import type { Decision, DecisionFault } from './deciding/decision.ts';
import { isSame } from './values.ts';

/**
 * The parts of an engine for trials: same planner, runner and merge, but nothing is reported to a bus or to the host.
 */
export interface Lab {
  readonly config: TriggerConfig;
  readonly registry: HookRegistry;
  readonly planner: HookPlanner;
  readonly aggregator: HookAggregator;
  readonly translator: AnyHookTranslator;
  readonly deps: Pick<HookDeps, 'translator' | 'clock' | 'logger'>;
  /** Runs hooks for real. The caller disposes of it. */
  createRunner(): HookRunner;
}

/** `undefined` if hooks are off. Rejects if the hooks cannot be loaded. */
export const openLab = async (config: TriggerConfig): Promise<Lab | undefined> => {
  const system = hookSystemOf(config);
  if (system === undefined) return undefined;
  await system.initialize();
  const registry = system.getRegistry();
  const deps = config.getDeps?.() ?? {};
  const { translator, clock, logger } = deps;
  return {
    config,
    registry,
    planner: new HookPlanner(registry, deps),
    aggregator: new HookAggregator(deps),
    translator: translator ?? defaultHookTranslator,
    deps: { translator, clock, logger },
    createRunner: () => new HookRunner(config, { ...deps, isTrial: true }),
  };
};

export interface TriedOutcome {
  readonly decision: Decision;
  readonly notes: readonly string[];
}

export const faultsIn = (
  rows: readonly HookRow[],
  results: readonly (HookExecutionResult | undefined)[],
): DecisionFault[] =>
  rows.flatMap(({ name }, index) => {
    const code = results[index]?.code;
    return code === undefined ? [] : [{ hook: name, code }];
  });

/** Fields of the engine, which differ from run to run. */
const base = { session_id: '', transcript_path: '', cwd: '', hook_event_name: '', timestamp: '' };

export const firstInput = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
  translator: AnyHookTranslator,
): HookInput<E> => ({ ...base, ...catalogue[eventName].toFields(payload, translator) });

/** Whether two inputs are equal, the fields of the engine apart. */
export const readsTheSame = (a: object, b: object): boolean => isSame({ ...a, ...base }, { ...b, ...base });

export const refuseAborted = (signal: AbortSignal | undefined, what: string): void => {
  if (signal?.aborted) throw new HookwrightError('cancelled', `${what} was cancelled`, { cause: signal.reason });
};

export const expectNames = (option: string, names: readonly string[] | undefined): void => {
  if (names === undefined) return;
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return;
  throw invalidArgument(`${option} must be a list of names, got ${describeValue(names)}`);
};

export const expectKnown = (what: string, names: readonly string[] | undefined, known: readonly string[]): void => {
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidArgument(`${what} is called "${unknown}"${suggestion(unknown, known)}`);
};

export const expectEvents = (names: readonly string[] | undefined): void =>
  expectKnown('no event', names, hookEventNames);

export const expectEvent = (name: string): HookEventName => {
  if (isHookEventName(name)) return name;
  const message = `${describeValue(name)} is not an event${suggestion(String(name), hookEventNames)}`;
  throw new HookwrightError('unsupported_event', message, { details: { eventName: name, known: hookEventNames } });
};

export const expectCount = (option: string, value: number | undefined): void => {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return;
  throw invalidArgument(`${option} must be a whole number over 0, got ${describeValue(value)}`);
};
