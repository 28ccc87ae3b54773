import type { Bus } from '../../bus/index.ts';
import {
  endingOf,
  type HookConfig,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  HookType,
  type Logger,
  MessageBusType,
  observedRow,
} from '../../protocol/index.ts';
import { faultText } from '../../runners/index.ts';
import type { FatesOf } from '../firing.ts';
import { withSpending } from './budget.ts';
import { isHealthy } from './log-lines.ts';
import { callSafely, type EngineObservers, type HookCall, type HookNotice } from './observers.ts';
import type { Timestamps } from './timestamps.ts';
import { abortedRows, rowWithRun, runningRows, traceRows } from './trace.ts';

export interface Audience extends EngineObservers {
  readonly bus: Bus | undefined;
  readonly logger?: Logger | undefined;
}

/** What is reported on: one event and the hooks planned for it. */
export interface ReportedEvent {
  readonly eventName: string;
  readonly subject: string | undefined;
  readonly mode: HookExecutionTrace['mode'];
  readonly hooks: readonly HookConfig[];
  /** The rows of the plan, made only if there are listeners. */
  readonly plannedRows: () => readonly HookRow[] | undefined;
  readonly correlationId: () => string;
  /** What became of every field the hooks returned. */
  readonly fates: FatesOf;
  /** Whether nothing of it counts. */
  readonly observed: boolean;
  /** What all of it may take. */
  readonly budgetMs: number | undefined;
  /** Is given the trace besides, where decisions are watched. */
  readonly keepTrace: ((trace: HookExecutionTrace) => void) | undefined;
}

const told = [
  MessageBusType.HOOK_EXECUTION_TRACE,
  MessageBusType.HOOK_STARTED,
  MessageBusType.HOOK_FINISHED,
  MessageBusType.HOOK_SYSTEM_MESSAGE,
] as const;

export const hasAudience = ({ bus, events, onTrace, telemetry }: Audience): boolean =>
  events !== undefined ||
  onTrace !== undefined ||
  telemetry !== undefined ||
  (bus !== undefined && told.some((type) => bus.isWatched(type)));

/** Whether a listener wants the trace, the only report of an event that no hook runs for. */
export const isTraced = ({ bus, onTrace }: Audience): boolean =>
  onTrace !== undefined || bus?.isWatched(MessageBusType.HOOK_EXECUTION_TRACE) === true;

/** Reports an event's progress to listeners; made only if there are any. */
export class LiveReport {
  readonly #audience: Audience;
  readonly #subject: ReportedEvent;
  readonly #timestamps: Timestamps;
  readonly #startedAt: string;
  readonly #begin = performance.now();
  readonly #hookStarts: (string | undefined)[];
  #plannedRows: readonly HookRow[] | undefined;
  #running: readonly HookRow[] | undefined;
  #id: string | undefined;

  constructor(audience: Audience, subject: ReportedEvent, timestamps: Timestamps) {
    this.#audience = audience;
    this.#subject = subject;
    this.#timestamps = timestamps;
    this.#startedAt = timestamps.now();
    this.#hookStarts = new Array(subject.hooks.length);
    // Before anything runs: a hook that changes the hooks must not change the rows of this event.
    this.#safely('explain', () => {
      this.#plannedRows = subject.plannedRows();
    });
  }

  get #correlationId(): string {
    this.#id ??= this.#subject.correlationId();
    return this.#id;
  }

  #notice(index: number): HookNotice<string> & { source: HookRow['source']['kind'] } {
    const { eventName, hooks } = this.#subject;
    this.#running ??= runningRows(this.#plannedRows, hooks, eventName);
    const row = this.#running[index];
    return {
      eventName,
      hookId: row?.hookId ?? '',
      hookName: row?.name ?? '',
      source: row?.source.kind ?? 'runtime',
      position: index + 1,
      total: hooks.length,
    };
  }

  /** `place` is that of the hook where this is its second run. */
  started(index: number, place = index): void {
    this.#hookStarts[index] = this.#timestamps.now();
    const onHookStart = this.#audience.events?.onHookStart;
    if (onHookStart !== undefined) this.#safely('onHookStart', () => onHookStart(this.#notice(place)));
    this.#publish(MessageBusType.HOOK_STARTED, (type) => ({
      type,
      correlationId: this.#correlationId,
      ...this.#notice(place),
    }));
  }

  ended(index: number, result: HookExecutionResult, place = index): void {
    const { code, duration: durationMs } = result;
    const { telemetry, events } = this.#audience;
    if (telemetry !== undefined || events?.onHookEnd !== undefined) {
      const outcome = endingOf(result).kind;
      const failure = code === undefined ? {} : { code, error: faultText(result) };
      const { source: _source, ...notice } = this.#notice(place);
      const exit = result.exitCode === undefined ? {} : { exitCode: result.exitCode };
      const hookType = this.#subject.hooks[place]?.type ?? HookType.Command;
      const success = isHealthy(result);
      const call: HookCall<string> = { ...notice, hookType, durationMs, success, outcome, ...failure, ...exit };
      if (telemetry !== undefined) this.#safely('telemetry', () => telemetry(call));
      this.#safely('onHookEnd', () => events?.onHookEnd?.(call));
    }
    this.#publish(MessageBusType.HOOK_FINISHED, (type) => ({
      type,
      correlationId: this.#correlationId,
      ...this.#notice(place),
      outcome: endingOf(result).kind,
      ...(code === undefined ? {} : { code }),
      durationMs,
    }));
    this.#tellSystemMessage(place, result.output?.systemMessage);
  }

  #tellSystemMessage(index: number, message: string | undefined): void {
    if (message === undefined || message.trim() === '') return;
    this.#safely('onSystemMessage', () =>
      this.#audience.events?.onSystemMessage?.({ ...this.#notice(index), message }),
    );
    this.#publish(MessageBusType.HOOK_SYSTEM_MESSAGE, (type) => {
      const { eventName, hookId, hookName } = this.#notice(index);
      return { type, correlationId: this.#correlationId, eventName, hookId, hookName, message };
    });
  }

  concluded(results: readonly HookExecutionResult[], again: readonly number[] = []): void {
    const { eventName, hooks, fates, observed, mode, budgetMs } = this.#subject;
    const startedAt = this.#hookStarts;
    const planned = this.#plannedRows;
    this.#trace((tookMs) => {
      const sequential = mode === 'sequential';
      const spending = budgetMs === undefined ? undefined : { eventName, budgetMs, tookMs, sequential };
      const told = withSpending(results, spending);
      const rows = traceRows({ eventName, planned, hooks, results: told, again, startedAt, fates });
      return observed ? rows.map(observedRow) : rows;
    });
  }

  /** A hook that the event did not wait for has ended: its second row. */
  endedLater(index: number, result: HookExecutionResult, place: number): void {
    const { eventName, hooks, fates, observed } = this.#subject;
    this.#trace(() => {
      this.#running ??= runningRows(this.#plannedRows, hooks, eventName);
      const row = this.#running[place];
      if (row === undefined) return [];
      const [fields] = fates([result], [row.hookId]);
      const later = { ...rowWithRun(row, result, this.#hookStarts[index], fields), background: true as const };
      return [observed ? observedRow(later) : later];
    });
  }

  aborted(): void {
    this.#trace(() => abortedRows(this.#plannedRows ?? []));
  }

  #trace(rows: (durationMs: number) => HookRow[]): void {
    const { keepTrace } = this.#subject;
    if (keepTrace === undefined && !isTraced(this.#audience)) return;
    const { bus, onTrace } = this.#audience;
    const type = MessageBusType.HOOK_EXECUTION_TRACE;
    this.#safely('trace', () => {
      const { eventName, subject, mode, budgetMs } = this.#subject;
      const durationMs = performance.now() - this.#begin;
      const correlationId = this.#correlationId;
      const startedAt = this.#startedAt;
      // A spread within a literal takes as long as all the rest of it.
      const told: HookExecutionTrace =
        subject === undefined
          ? { type, correlationId, eventName, mode, startedAt, durationMs, rows: rows(durationMs) }
          : { type, correlationId, eventName, subject, mode, startedAt, durationMs, rows: rows(durationMs) };
      const trace = budgetMs === undefined ? told : { ...told, budgetMs };
      keepTrace?.(trace);
      if (onTrace !== undefined) this.#safely('onTrace', () => onTrace(trace));
      if (bus?.isWatched(type) === true) bus.publish(trace);
    });
  }

  #publish<Type extends HookMessage['type']>(type: Type, make: (type: Type) => HookMessage): void {
    const { bus } = this.#audience;
    if (bus === undefined || !bus.isWatched(type)) return;
    this.#safely(type, () => bus.publish(make(type)));
  }

  /** A callback must not disturb the run, by a throw or by a rejected promise. */
  #safely(what: string, tell: () => unknown): void {
    callSafely(this.#audience.logger, what, tell);
  }
}
