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
import type { Firing, Plan } from '../firing.ts';
import { withSpending } from './budget.ts';
import { isHealthy } from './log-lines.ts';
import { callSafely, type EngineObservers, type HookCall, type HookNotice, type OnDecision } from './observers.ts';
import type { Timestamps } from './timestamps.ts';
import { abortedRows, rowWithRun, runningRows, traceRows } from './trace.ts';

/** Those to whom an engine reports, and what it needs to do so. */
export interface Audience extends EngineObservers {
  readonly bus: Bus | undefined;
  readonly logger: Logger | undefined;
  readonly timestamps: Timestamps;
  readonly newId: () => string;
  /** What all hooks of an event may take together. */
  readonly budgetMs: (eventName: string) => number | undefined;
  /** Set when decisions are watched. */
  onDecision?: OnDecision;
}

const told = [
  MessageBusType.HOOK_EXECUTION_TRACE,
  MessageBusType.HOOK_STARTED,
  MessageBusType.HOOK_FINISHED,
  MessageBusType.HOOK_SYSTEM_MESSAGE,
] as const;

/** `undefined` without listeners, so that it costs nothing. */
export const reportOn = (
  audience: Audience,
  firing: Firing<unknown>,
  plan: Plan | undefined,
  isObserved: boolean,
): LiveReport | undefined => {
  const { bus, events, onTrace, telemetry, onDecision } = audience;
  const isHeard =
    (onDecision ?? events ?? onTrace ?? telemetry) !== undefined ||
    (bus !== undefined && told.some((type) => bus.isWatched(type)));
  return isHeard ? new LiveReport(audience, firing, plan, isObserved) : undefined;
};

/** Hands on what became of an event, where decisions are watched. */
export const tellDecision = ({ logger, onDecision }: Audience, messages: () => readonly HookMessage[]): void =>
  callSafely(logger, 'onDecision', () => onDecision?.(messages()));

/** Whether a listener wants the trace, the only report of an event that no hook runs for. */
export const isTraced = ({ bus, onTrace }: Audience): boolean =>
  onTrace !== undefined || bus?.isWatched(MessageBusType.HOOK_EXECUTION_TRACE) === true;

/** Reports an event's progress to listeners; made only if there are any. */
export class LiveReport {
  readonly #audience: Audience;
  readonly #firing: Firing<unknown>;
  readonly #plan: Plan | undefined;
  /** Whether nothing of it counts. */
  readonly #isObserved: boolean;
  readonly #hooks: readonly HookConfig[];
  readonly #startedAt: string;
  readonly #begin = performance.now();
  readonly #hookStarts: (string | undefined)[];
  #plannedRows: readonly HookRow[] | undefined;
  #running: readonly HookRow[] | undefined;
  #id: string | undefined;

  constructor(audience: Audience, firing: Firing<unknown>, plan: Plan | undefined, isObserved: boolean) {
    this.#audience = audience;
    this.#firing = firing;
    this.#plan = plan;
    this.#isObserved = isObserved;
    this.#hooks = plan?.hooks ?? [];
    this.#startedAt = audience.timestamps.now();
    this.#hookStarts = new Array(this.#hooks.length);
    // Before anything runs: a hook that changes the hooks must not change the rows of this event.
    this.#safely('explain', () => {
      this.#plannedRows = firing.rows();
    });
  }

  get #correlationId(): string {
    this.#id ??= this.#firing.correlationId ?? this.#audience.newId();
    return this.#id;
  }

  /** The rows of the hooks that run; a planner of the host's may have none. */
  get #rows(): readonly HookRow[] {
    this.#running ??= runningRows(this.#plannedRows, this.#hooks, this.#firing.eventName);
    return this.#running;
  }

  #notice(index: number): HookNotice<string> & { source: HookRow['source']['kind'] } {
    const row = this.#rows[index];
    return {
      eventName: this.#firing.eventName,
      hookId: row?.hookId ?? '',
      hookName: row?.name ?? '',
      source: row?.source.kind ?? 'runtime',
      position: index + 1,
      total: this.#hooks.length,
    };
  }

  /** `place` is that of the hook where this is its second run. */
  started(index: number, place: number): void {
    this.#hookStarts[index] = this.#audience.timestamps.now();
    const onHookStart = this.#audience.events?.onHookStart;
    if (onHookStart !== undefined) this.#safely('onHookStart', () => onHookStart(this.#notice(place)));
    this.#publish(MessageBusType.HOOK_STARTED, (type) => ({
      type,
      correlationId: this.#correlationId,
      ...this.#notice(place),
    }));
  }

  ended(place: number, result: HookExecutionResult): void {
    const { code, duration: durationMs } = result;
    const { telemetry, events } = this.#audience;
    if (telemetry !== undefined || events?.onHookEnd !== undefined) {
      const outcome = endingOf(result).kind;
      const failure = code === undefined ? {} : { code, error: faultText(result) };
      const { source: _source, ...notice } = this.#notice(place);
      const exit = result.exitCode === undefined ? {} : { exitCode: result.exitCode };
      const hookType = this.#hooks[place]?.type ?? HookType.Command;
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
    const { eventName } = this.#firing;
    this.#trace((tookMs, budgetMs) => {
      const sequential = this.#plan?.sequential === true;
      const spending = budgetMs === undefined ? undefined : { eventName, budgetMs, tookMs, sequential };
      const fates = this.#firing.fates(this.#plan);
      const told = withSpending(results, spending);
      const [planned, running, startedAt] = [this.#plannedRows, this.#rows, this.#hookStarts];
      return traceRows({ planned, running, results: told, again, startedAt, fates });
    });
  }

  /** A hook that the event did not wait for has ended: its second row. */
  endedLater(index: number, result: HookExecutionResult, place: number): void {
    this.#trace(() => {
      const row = this.#rows[place];
      if (row === undefined) return [];
      const [fields] = this.#firing.fates(this.#plan)([result], [row.hookId]);
      return [{ ...rowWithRun(row, result, this.#hookStarts[index], fields), background: true as const }];
    });
  }

  aborted(): void {
    this.#trace(() => abortedRows(this.#plannedRows ?? []));
  }

  #trace(rowsOf: (durationMs: number, budgetMs: number | undefined) => HookRow[]): void {
    const { bus, onTrace, onDecision } = this.#audience;
    if (onDecision === undefined && !isTraced(this.#audience)) return;
    const type = MessageBusType.HOOK_EXECUTION_TRACE;
    this.#safely('trace', () => {
      const { eventName, subject } = this.#firing;
      const mode = this.#plan === undefined ? 'none' : this.#plan.sequential ? 'sequential' : 'parallel';
      const budgetMs = this.#audience.budgetMs(eventName);
      const durationMs = performance.now() - this.#begin;
      const correlationId = this.#correlationId;
      const startedAt = this.#startedAt;
      const made = rowsOf(durationMs, budgetMs);
      const rows = this.#isObserved ? made.map(observedRow) : made;
      // A spread within a literal takes as long as all the rest of it.
      const told: HookExecutionTrace =
        subject === undefined
          ? { type, correlationId, eventName, mode, startedAt, durationMs, rows }
          : { type, correlationId, eventName, subject, mode, startedAt, durationMs, rows };
      const trace = budgetMs === undefined ? told : { ...told, budgetMs };
      if (onDecision !== undefined) this.#keep(trace);
      if (onTrace !== undefined) this.#safely('onTrace', () => onTrace(trace));
      if (bus?.isWatched(type) === true) bus.publish(trace);
    });
  }

  /** A decision is handed on with its response; hooks in the background end later. */
  #keep(trace: HookExecutionTrace): void {
    if (trace.rows.some(({ background }) => background === true)) tellDecision(this.#audience, () => [trace]);
    else this.#firing.trace = trace;
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
