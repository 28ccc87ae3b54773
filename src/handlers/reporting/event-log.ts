// Logs a line per event and warns the user of failed hooks. Errors of the logger are ignored.
import { callSafely, getHookKey, type HookExecutionResult, isBlocking } from '../../protocol/index.ts';
import type { Firing, FiringOutcome, Plan } from '../firing.ts';
import { describeOverBudget } from './budget.ts';
import type { ReportDeps } from './observers.ts';

export class EventLog {
  readonly #deps: ReportDeps;
  /** Warnings shown per model request. Events of a streamed response fire for each chunk, but must warn once. */
  readonly #shownWarnings = new WeakMap<object, Set<string>>();

  constructor(deps: ReportDeps) {
    this.#deps = deps;
  }

  logSkipped({ eventName, subject }: Firing<unknown>): void {
    this.#deps.logger?.debug?.(`${eventName} fired${formatSubject(subject)}: 0 hooks matched, skipped`);
  }

  logRun<Result>(firing: Firing<Result>, plan: Plan, { result, results }: FiringOutcome<Result>, tookMs: number): void {
    if (results.length === 0) return;
    const { eventName, subject } = firing;
    if (this.#deps.logger?.debug !== undefined) {
      const health = results.every(isHealthy) ? 'success' : 'failure';
      const summary = `${formatHookCount(results.length)}, ${Math.round(tookMs)}ms, ${health}${firing.changeNote?.(result) ?? ''}`;
      this.#deps.logger.debug(`${eventName} fired${formatSubject(subject)}: ${summary}`);
    }
    this.#giveFeedback(firing, results);
    const budgetMs = this.#deps.budgetMs(eventName);
    const over = describeOverBudget(results, { eventName, budgetMs, tookMs, sequential: plan.sequential });
    if (over !== undefined) this.#deps.logger?.warn?.(over);
  }

  #giveFeedback({ eventName, payload }: Firing<unknown>, results: readonly HookExecutionResult[]): void {
    const failed = results.filter((result) => result.code !== undefined);
    if (this.#deps.events?.onFeedback === undefined || failed.length === 0) return;
    const names = failed.map(({ hookConfig, code }) => `"${getHookKey(hookConfig)}" (${code})`).join(', ');
    const message = `${eventName}: ${failed.length === 1 ? 'a hook' : formatHookCount(failed.length)} failed: ${names}`;
    const request = 'llm_request' in payload ? payload.llm_request : undefined;
    if (typeof request === 'object' && request !== null) {
      const shown = this.#shownWarnings.get(request) ?? new Set();
      this.#shownWarnings.set(request, shown);
      if (shown.has(message)) return;
      shown.add(message);
    }
    const { logger, events } = this.#deps;
    callSafely(logger, 'onFeedback', () => events?.onFeedback?.({ severity: 'warning', message }));
  }
}

/** A hook that blocks with exit code 2 has not failed. */
export const isHealthy = ({ success, code, output }: HookExecutionResult): boolean =>
  code === undefined && (success || isBlocking(output?.decision));

const formatHookCount = (count: number): string => (count === 1 ? '1 hook' : `${count} hooks`);

const formatSubject = (subject: string | undefined): string => (subject === undefined ? '' : ` for '${subject}'`);
