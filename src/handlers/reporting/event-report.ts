import type { Bus } from '../../bus/index.ts';
import {
  type Exchange,
  endingOf,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  HookType,
  type Logger,
  MessageBusType,
  observedRow,
} from '../../protocol/index.ts';
import { faultText, type OnHookStart } from '../../runners/index.ts';
import type { Firing, Plan } from '../firing.ts';
import { withSpending } from './budget.ts';
import { isHealthy } from './event-log.ts';
import { callSafely, type EngineObservers, type HookCall, type HookNotice, type OnDecision } from './observers.ts';
import type { Timestamps } from './timestamps.ts';
import { abortedRows, rowWithRun, runningRows, traceRows } from './trace.ts';

export interface ReportDeps extends EngineObservers {
  readonly bus: Bus | undefined;
  readonly watched: () => Watched;
  readonly logger: Logger | undefined;
  readonly timestamps: Timestamps;
  readonly newId: () => string;
  readonly budgetMs: (eventName: string) => number | undefined;
  onDecision?: OnDecision;
}

interface Watched {
  /** Whether direct calls are published for listeners. */
  readonly calls: boolean;
  readonly traces: boolean;
  readonly hooks: boolean;
}

/** Caches which listeners exist until the bus changes, because every event needs to know. */
export const createEventWatcher = (
  bus: Bus | undefined,
  { request, answer }: Exchange,
  { events, onTrace, telemetry }: EngineObservers,
): (() => Watched) => {
  const isWatched = (type: MessageBusType): boolean => bus?.isWatched(type) === true;
  const hookMessages = [MessageBusType.HOOK_STARTED, MessageBusType.HOOK_FINISHED, MessageBusType.HOOK_SYSTEM_MESSAGE];
  let found: Watched | undefined;
  let version: number | undefined;
  return () => {
    const isSame = bus === undefined || (version !== undefined && version === bus.version);
    if (found !== undefined && isSame) return found;
    version = bus?.version;
    const traces = onTrace !== undefined || isWatched(MessageBusType.HOOK_EXECUTION_TRACE);
    const hooks = traces || (events ?? telemetry) !== undefined || hookMessages.some(isWatched);
    found = { calls: isWatched(request) || isWatched(answer), traces, hooks };
    return found;
  };
};

export const reportDecision = ({ logger, onDecision }: ReportDeps, messages: () => readonly HookMessage[]): void =>
  callSafely(logger, 'onDecision', () => onDecision?.(messages()));

export class EventReport {
  readonly #observation: ReportDeps;
  readonly #firing: Firing<unknown>;
  readonly #plan: Plan | undefined;
  readonly #isObserved: boolean;
  readonly #startedAt: string;
  readonly #begin = performance.now();
  readonly #hookStarts: (string | undefined)[] = [];
  /** Indexes of the hooks that ran twice, in the order of their second results. */
  #again: readonly number[] = [];
  #isConcluded = false;
  /** Traces of background hooks that ended before their event. They follow the trace of the event. */
  readonly #early: (() => void)[] = [];
  #plannedRows: readonly HookRow[] | undefined;
  #running: readonly HookRow[] | undefined;
  #id: string | undefined;

  constructor(observation: ReportDeps, firing: Firing<unknown>, plan: Plan | undefined, isObserved: boolean) {
    this.#observation = observation;
    this.#firing = firing;
    this.#plan = plan;
    this.#isObserved = isObserved;
    this.#startedAt = observation.timestamps.now();
    // Rows are read before a hook can change the configuration.
    this.#safely('explain', () => {
      this.#plannedRows = firing.rows();
    });
  }

  again(hookIndexes: readonly number[]): void {
    this.#again = hookIndexes;
  }

  concluded(results: readonly HookExecutionResult[]): void {
    this.#isConcluded = true;
    const { eventName } = this.#firing;
    const isSequence = this.#plan?.sequential === true;
    this.#trace((tookMs, budgetMs) =>
      traceRows({
        planned: this.#plannedRows,
        running: this.#rows,
        results: withSpending(results, { eventName, budgetMs, tookMs, sequential: isSequence }),
        again: this.#again,
        startedAt: this.#hookStarts,
        firing: this.#firing,
        isSequence,
      }),
    );
    for (const report of this.#early) report();
  }

  aborted(): void {
    this.#trace(() => abortedRows(this.#plannedRows ?? []));
  }

  onStart(first: number): OnHookStart {
    return (_hook, at) => this.#started(first + at);
  }

  #started(index: number): void {
    const hookIndex = this.#hookIndexOf(index);
    this.#hookStarts[index] = this.#observation.timestamps.now();
    this.#safely('onHookStart', () => this.#observation.events?.onHookStart?.(this.#notice(hookIndex)));
    this.#publish(MessageBusType.HOOK_STARTED, (type) => ({
      type,
      correlationId: this.#correlationId,
      ...this.#notice(hookIndex),
    }));
  }

  ended(index: number, result: HookExecutionResult): void {
    const hookIndex = this.#hookIndexOf(index);
    this.#reportEnd(hookIndex, result);
    if (this.#plan?.isBackground(hookIndex) !== true || result.background === true) return;
    const report = (): void => this.#endedLater(index, hookIndex, result);
    if (this.#isConcluded) report();
    else this.#early.push(report);
  }

  #reportEnd(hookIndex: number, result: HookExecutionResult): void {
    const { code, duration: durationMs, exitCode, output } = result;
    const outcome = endingOf(result).kind;
    const { telemetry, events } = this.#observation;
    if (telemetry !== undefined || events?.onHookEnd !== undefined) {
      const { source: _source, ...notice } = this.#notice(hookIndex);
      const hookType = this.#plan?.hooks[hookIndex]?.type ?? HookType.Command;
      const failure = code === undefined ? {} : { code, error: faultText(result) };
      const exit = exitCode === undefined ? {} : { exitCode };
      const success = isHealthy(result);
      const call: HookCall<string> = { ...notice, hookType, durationMs, success, outcome, ...failure, ...exit };
      this.#safely('telemetry', () => telemetry?.(call));
      this.#safely('onHookEnd', () => events?.onHookEnd?.(call));
    }
    this.#publish(MessageBusType.HOOK_FINISHED, (type) => ({
      type,
      correlationId: this.#correlationId,
      ...this.#notice(hookIndex),
      outcome,
      ...(code === undefined ? {} : { code }),
      durationMs,
    }));
    const message = output?.systemMessage;
    if (message === undefined || message.trim() === '') return;
    this.#safely('onSystemMessage', () => events?.onSystemMessage?.({ ...this.#notice(hookIndex), message }));
    this.#publish(MessageBusType.HOOK_SYSTEM_MESSAGE, (type) => {
      const { eventName, hookId, hookName } = this.#notice(hookIndex);
      return { type, correlationId: this.#correlationId, eventName, hookId, hookName, message };
    });
  }

  #endedLater(index: number, hookIndex: number, result: HookExecutionResult): void {
    this.#trace(() => {
      const row = this.#rows[hookIndex];
      if (row === undefined) return [];
      const [fields] = this.#firing.fates([result], [row.hookId], this.#plan?.sequential === true);
      return [{ ...rowWithRun(row, result, this.#hookStarts[index], fields), background: true as const }];
    });
  }

  /** Indexes after the last hook of the plan are second runs. */
  #hookIndexOf(index: number): number {
    const count = this.#plan?.hooks.length ?? 0;
    return index < count ? index : (this.#again[index - count] ?? index);
  }

  get #correlationId(): string {
    this.#id ??= this.#firing.correlationId ?? this.#observation.newId();
    return this.#id;
  }

  get #rows(): readonly HookRow[] {
    this.#running ??= runningRows(this.#plannedRows, this.#plan?.hooks ?? [], this.#firing.eventName);
    return this.#running;
  }

  #notice(hookIndex: number): HookNotice<string> & { source: HookRow['source']['kind'] } {
    const row = this.#rows[hookIndex];
    return {
      eventName: this.#firing.eventName,
      hookId: row?.hookId ?? '',
      hookName: row?.name ?? '',
      source: row?.source.kind ?? 'runtime',
      position: hookIndex + 1,
      total: this.#plan?.hooks.length ?? 0,
    };
  }

  #trace(rowsOf: (durationMs: number, budgetMs: number | undefined) => HookRow[]): void {
    const { bus, onTrace, onDecision, watched } = this.#observation;
    if (onDecision === undefined && !watched().traces) return;
    const type = MessageBusType.HOOK_EXECUTION_TRACE;
    this.#safely('trace', () => {
      const { eventName, subject } = this.#firing;
      const mode = this.#plan === undefined ? 'none' : this.#plan.sequential ? 'sequential' : 'parallel';
      const budgetMs = this.#observation.budgetMs(eventName);
      const durationMs = performance.now() - this.#begin;
      const correlationId = this.#correlationId;
      const startedAt = this.#startedAt;
      const made = rowsOf(durationMs, budgetMs);
      const rows = this.#isObserved ? made.map(observedRow) : made;
      // V8 builds an object literal without a spread twice as fast.
      const base: HookExecutionTrace =
        subject === undefined
          ? { type, correlationId, eventName, mode, startedAt, durationMs, rows }
          : { type, correlationId, eventName, subject, mode, startedAt, durationMs, rows };
      const trace = budgetMs === undefined ? base : { ...base, budgetMs };
      if (onDecision !== undefined) this.#keep(trace);
      if (onTrace !== undefined) this.#safely('onTrace', () => onTrace(trace));
      if (bus?.isWatched(type) === true) bus.publish(trace);
    });
  }

  #keep(trace: HookExecutionTrace): void {
    if (trace.rows.some(({ background }) => background === true)) reportDecision(this.#observation, () => [trace]);
    else this.#firing.trace = trace;
  }

  #publish<Type extends HookMessage['type']>(type: Type, make: (type: Type) => HookMessage): void {
    const { bus } = this.#observation;
    if (bus === undefined || !bus.isWatched(type)) return;
    this.#safely(type, () => bus.publish(make(type)));
  }

  #safely(what: string, call: () => unknown): void {
    callSafely(this.#observation.logger, what, call);
  }
}
