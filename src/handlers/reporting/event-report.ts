// Reports one event to its observers: messages on the bus, the trace, and the callbacks of the host.
import {
  callSafely,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  HookType,
  MessageBusType,
  ranOrFaulted,
  toHookEnding,
  toObservedRow,
} from '../../protocol/index.ts';
import { getFaultText, type OnHookStart } from '../../runners/index.ts';
import type { Firing, Plan } from '../firing.ts';
import { warnOverBudget } from './budget.ts';
import { isHealthy } from './event-log.ts';
import { type HookCall, type HookNotice, type ReportDeps, reportDecision } from './observers.ts';
import { addResultToRow, addRunToRow, findRunningRows, toAbortedRows } from './trace-rows.ts';

export class EventReport {
  readonly #deps: ReportDeps;
  readonly #firing: Firing<unknown>;
  readonly #plan: Plan | undefined;
  readonly #isObserved: boolean;
  readonly #isSequence: boolean;
  readonly #startedAt: string;
  readonly #begin = performance.now();
  readonly #plannedRows: readonly HookRow[] | undefined;
  readonly #rows: readonly HookRow[];
  readonly #hookStarts: (string | undefined)[] = [];
  /** Indexes of the hooks that ran twice, in the order of their second results. */
  #again: readonly number[] = [];
  /** Reports on background hooks that ended before their event. They wait until the trace of the event is published. */
  #early: (() => void)[] | undefined = [];
  #id: string | undefined;

  constructor(deps: ReportDeps, firing: Firing<unknown>, plan: Plan | undefined, isObserved: boolean) {
    this.#deps = deps;
    this.#firing = firing;
    this.#plan = plan;
    this.#isObserved = isObserved;
    this.#isSequence = plan?.sequential === true;
    this.#startedAt = deps.timestamp();
    // The planned rows are read now, because a hook may change the configuration later.
    this.#plannedRows = callSafely(deps.logger, 'explain', () => firing.rows());
    const findRows = () => findRunningRows(this.#plannedRows, plan?.hooks ?? [], firing.eventName);
    this.#rows = callSafely(deps.logger, 'explain', findRows) ?? [];
  }

  noteRecheck(hookIndexes: readonly number[]): void {
    this.#again = hookIndexes;
  }

  reportOutcome(results: readonly HookExecutionResult[]): void {
    const { eventName } = this.#firing;
    const sequential = this.#isSequence;
    this.#trace((tookMs, budgetMs) =>
      this.#rowsWith(warnOverBudget(results, { eventName, budgetMs, tookMs, sequential })),
    );
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const report of early) report();
  }

  #rowsWith(results: readonly HookExecutionResult[]): HookRow[] {
    const running = this.#rows;
    const again = this.#again;
    const hookIds = [...running, ...again.flatMap((index) => running[index] ?? [])].map(({ hookId }) => hookId);
    const fates = this.#firing.fates(results, hookIds, this.#isSequence);
    const rowAt = (row: HookRow, index: number): HookRow =>
      addResultToRow(row, results[index], this.#hookStarts[index], fates[index]);
    const rowsOf = (row: HookRow, hookIndex: number): HookRow | HookRow[] => {
      const first = rowAt(row, hookIndex);
      const secondAt = again.indexOf(hookIndex);
      return secondAt === -1 ? first : [first, { ...rowAt(row, running.length + secondAt), recheck: true }];
    };
    if (this.#plannedRows === undefined) return running.flatMap(rowsOf);
    let count = 0;
    return this.#plannedRows.flatMap((row) => {
      const ran = ranOrFaulted(row) ? running[count] : undefined;
      if (ran === undefined) return row;
      count += 1;
      return rowsOf(ran, count - 1);
    });
  }

  reportAbort(): void {
    this.#trace(() => toAbortedRows(this.#plannedRows ?? []));
  }

  onStart(first: number): OnHookStart {
    return (_hook, at) => this.#started(first + at);
  }

  #started(index: number): void {
    const hookIndex = this.#hookIndexOf(index);
    this.#hookStarts[index] = this.#deps.timestamp();
    this.#safely('onHookStart', () => this.#deps.events?.onHookStart?.(this.#notice(hookIndex)));
    this.#publish(MessageBusType.HOOK_STARTED, (base) => ({ ...base, ...this.#notice(hookIndex) }));
  }

  reportHookEnd(index: number, result: HookExecutionResult): void {
    const hookIndex = this.#hookIndexOf(index);
    this.#reportEnd(hookIndex, result);
    if (this.#plan?.isBackground(hookIndex) !== true || result.background === true) return;
    const report = (): void => this.#endedLater(index, hookIndex, result);
    if (this.#early === undefined) report();
    else this.#early.push(report);
  }

  #reportEnd(hookIndex: number, result: HookExecutionResult): void {
    const { code, duration: durationMs, exitCode, output } = result;
    const outcome = toHookEnding(result).kind;
    const { telemetry, events } = this.#deps;
    const notice = this.#notice(hookIndex);
    if (telemetry !== undefined || events?.onHookEnd !== undefined) {
      const { source: _source, ...identity } = notice;
      const hookType = this.#plan?.hooks[hookIndex]?.type ?? HookType.Command;
      const failure = code === undefined ? {} : { code, error: getFaultText(result) };
      const exit = exitCode === undefined ? {} : { exitCode };
      const success = isHealthy(result);
      const call: HookCall<string> = { ...identity, hookType, durationMs, success, outcome, ...failure, ...exit };
      this.#safely('telemetry', () => telemetry?.(call));
      this.#safely('onHookEnd', () => events?.onHookEnd?.(call));
    }
    const fault = code === undefined ? {} : { code };
    this.#publish(MessageBusType.HOOK_FINISHED, (base) => ({ ...base, ...notice, outcome, ...fault, durationMs }));
    const message = output?.systemMessage;
    if (message === undefined || message.trim() === '') return;
    this.#safely('onSystemMessage', () => events?.onSystemMessage?.({ ...notice, message }));
    const { eventName, hookId, hookName } = notice;
    this.#publish(MessageBusType.HOOK_SYSTEM_MESSAGE, (base) => ({ ...base, eventName, hookId, hookName, message }));
  }

  #endedLater(index: number, hookIndex: number, result: HookExecutionResult): void {
    this.#trace(() => {
      const row = this.#rows[hookIndex];
      if (row === undefined) return [];
      const [fields] = this.#firing.fates([result], [row.hookId], this.#isSequence);
      return [{ ...addRunToRow(row, result, this.#hookStarts[index], fields), background: true as const }];
    });
  }

  /** Converts the index of a result to the index of its hook. Results beyond the number of hooks are second runs. */
  #hookIndexOf(index: number): number {
    const count = this.#plan?.hooks.length ?? 0;
    return index < count ? index : (this.#again[index - count] ?? index);
  }

  get #correlationId(): string {
    this.#id ??= this.#firing.correlationId ?? this.#deps.newId();
    return this.#id;
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
    const { bus, onTrace, onDecision, listeners } = this.#deps;
    if (onDecision === undefined && !listeners().traces) return;
    const type = MessageBusType.HOOK_EXECUTION_TRACE;
    this.#safely('trace', () => {
      const { eventName, subject } = this.#firing;
      const mode = this.#plan === undefined ? 'none' : this.#plan.sequential ? 'sequential' : 'parallel';
      const budgetMs = this.#deps.budgetMs(eventName);
      const durationMs = performance.now() - this.#begin;
      const correlationId = this.#correlationId;
      const startedAt = this.#startedAt;
      const made = rowsOf(durationMs, budgetMs);
      const rows = this.#isObserved ? made.map(toObservedRow) : made;
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
    if (trace.rows.some(({ background }) => background === true)) reportDecision(this.#deps, () => [trace]);
    else this.#firing.trace = trace;
  }

  #publish<Type extends HookMessage['type']>(
    type: Type,
    make: (base: { readonly type: Type; readonly correlationId: string }) => HookMessage,
  ): void {
    const { bus } = this.#deps;
    if (bus === undefined || !bus.isWatched(type)) return;
    this.#safely(type, () => bus.publish(make({ type, correlationId: this.#correlationId })));
  }

  #safely(what: string, call: () => unknown): void {
    callSafely(this.#deps.logger, what, call);
  }
}
