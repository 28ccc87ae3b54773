/** Measures all hooks of one event together, as an agent runs them. */
import { catalogue, type HookEventName } from '../../events/index.ts';
import type { HookSystem } from '../../hook-system.ts';
import { isRecord } from '../../kit/index.ts';
import type { PlanContext } from '../../planner/index.ts';
import type { HookRow } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import { type DurationSamples, summarizeDurations, type TimeLimit } from './bench.ts';

export interface EventMeasurement extends DurationSamples {
  readonly eventName: HookEventName;
  readonly subject: string | undefined;
  readonly hooks: readonly string[];
  readonly budgetMs: number | undefined;
  readonly isOverBudget: boolean;
}

interface InputWithHooks {
  readonly input: object;
  readonly context: PlanContext | undefined;
  readonly rows: readonly HookRow[];
}

const EVENT_RUN_COUNT = 3;
const REPEAT_TIME_FRACTION = 0.4;

const toPlanContext = (eventName: HookEventName, input: object): PlanContext | undefined => {
  const { subject } = catalogue[eventName];
  const value = subject === undefined || !isRecord(input) ? undefined : input[subject.field];
  return subject === undefined || typeof value !== 'string' ? undefined : { [subject.from]: value };
};

const findInputWithMostHooks = async (
  system: HookSystem,
  eventName: HookEventName,
  inputs: readonly object[],
): Promise<InputWithHooks | undefined> => {
  let best: InputWithHooks | undefined;
  for (const input of inputs) {
    const context = toPlanContext(eventName, input);
    const rows = (await system.explain(eventName, context)).filter(({ planned }) => planned === 'run');
    if (rows.length > (best?.rows.length ?? 0)) best = { input, context, rows };
  }
  return best;
};

export const measureEvent = async (
  eventName: HookEventName,
  inputs: readonly object[],
  { system, config, limit }: { system: HookSystem; config: LoadedConfig; limit: TimeLimit },
): Promise<EventMeasurement | undefined> => {
  const found = await findInputWithMostHooks(system, eventName, inputs);
  const read = found === undefined ? undefined : catalogue[eventName].read(found.input);
  if (found === undefined || read?.ok !== true) return undefined;
  const times: number[] = [];
  for (let run = 0; run < EVENT_RUN_COUNT && !limit.isOver(run === 0 ? 1 : REPEAT_TIME_FRACTION); run += 1) {
    const startedAt = performance.now();
    await system.getEventHandler().fire(eventName, read.payload, { signal: limit.signal });
    if (!limit.signal.aborted) times.push(performance.now() - startedAt);
  }
  if (times.length === 0) return undefined;
  const samples = summarizeDurations(times);
  const budgetMs = config.getBudgetMs(eventName);
  const subject = found.context?.toolName ?? found.context?.trigger;
  return {
    eventName,
    subject,
    hooks: found.rows.map(({ name }) => name),
    ...samples,
    budgetMs,
    isOverBudget: budgetMs !== undefined && samples.p50Ms > budgetMs,
  };
};
