// Runs the background hooks of events, which do not wait for them, and keeps their late answers.
import { type MaybePromise, onAbort, waitWithinMs } from '../kit/index.ts';
import { getHookKey, type HookConfig, type HookExecutionResult, type HookOutput, notice } from '../protocol/index.ts';
import { createFaultResult, type OnHookEnd, type OnHookStart, type RunOptions } from '../runners/index.ts';
import type { Plan } from './firing.ts';

const MAX_BACKGROUND_HOOKS = 1_000;

type HookRunFunction = (hooks: readonly HookConfig[], how: RunOptions) => MaybePromise<readonly HookExecutionResult[]>;

export interface HooksToRun {
  readonly plan: Plan;
  readonly eventName: string;
  readonly how: RunOptions;
  readonly until?: AbortSignal | undefined;
  readonly runAwaited: HookRunFunction;
  readonly runInBackground: HookRunFunction;
}

const selectHooks = ({ plan, how }: HooksToRun, isBackground: boolean) => {
  const indexes = [...plan.hooks.keys()].filter((index) => plan.isBackground(index) === isBackground);
  const onStart: OnHookStart = (hook, at) => how.onStart?.(hook, indexes[at] ?? at);
  const onEnd: OnHookEnd = (hook, result, at) => how.onEnd?.(hook, result, indexes[at] ?? at);
  return { indexes, hooks: indexes.flatMap((index) => plan.hooks[index] ?? []), onStart, onEnd };
};

export class BackgroundHooks {
  readonly #running = new Map<AbortController, Promise<void>>();
  readonly #hooks: HookConfig[] = [];

  /** Starts the background hooks and awaits the other hooks. The results are in the order of the plan. */
  async run(round: HooksToRun): Promise<readonly HookExecutionResult[]> {
    const { plan, eventName, how, runAwaited } = round;
    this.#start(round);
    const { indexes, hooks, onStart, onEnd } = selectHooks(round, false);
    const results = hooks.length === 0 ? [] : await runAwaited(hooks, { ...how, onStart, onEnd });
    return plan.hooks.map((hook, index) => results[indexes.indexOf(index)] ?? createPendingResult(hook, eventName));
  }

  #start(round: HooksToRun): void {
    const { eventName, until, runInBackground } = round;
    const { hooks, onStart, onEnd } = selectHooks(round, true);
    const left = Math.max(0, MAX_BACKGROUND_HOOKS - this.#hooks.length);
    const accepted = hooks.slice(0, left);
    const message = `${MAX_BACKGROUND_HOOKS} hooks run or wait in the background`;
    for (const [index, hook] of hooks.slice(left).entries()) {
      onEnd(hook, createFaultResult(hook, eventName, { code: 'overloaded', message }), index + left);
    }
    if (accepted.length === 0) return;
    this.#hooks.push(...accepted);
    const ended: OnHookEnd = (hook, result, index) => {
      this.#hooks.splice(this.#hooks.indexOf(hook), 1);
      onEnd(hook, result, index);
    };
    const controller = new AbortController();
    const stopListening = until && onAbort(until, () => controller.abort(until.reason));
    if (until?.aborted) controller.abort(until.reason);
    // A failure of the runner has been reported to `onEnd` already, so a rejection is handled like success.
    const done = (): void => {
      stopListening?.();
      this.#running.delete(controller);
    };
    const run = runInBackground(accepted, { onStart, onEnd: ended, ending: controller.signal });
    this.#running.set(controller, Promise.resolve(run).then(done, done));
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async settle(graceMs: number): Promise<readonly string[]> {
    await waitWithinMs(graceMs, this.idle());
    return this.#hooks.map(getHookKey);
  }

  async end(): Promise<void> {
    for (const controller of [...this.#running.keys()]) controller.abort();
    await this.idle();
  }
}

export const createPendingResult = (hookConfig: HookConfig, eventName: string): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  background: true,
  duration: 0,
});

const SESSION_OVER_NOTE = 'its session ended first: what it said reaches no event';

const EVENT_OVER_NOTE = 'the event did not wait for this hook: it runs in the background';

/** Reduces the answer of a background hook to its context and message, because its event is over. */
export const toLateAnswer = (result: HookExecutionResult, isOver = false): HookExecutionResult => {
  const { output: given, outputFormat, fieldProblems = [], warnings = [], ...rest } = result;
  if (given === undefined) return result;
  const { systemMessage, hookSpecificOutput = {}, ...others } = given;
  const { additionalContext, hookEventName: _name, ...specific } = hookSpecificOutput;
  // The `allow` of plain text is a default, not a verdict.
  const fields = outputFormat === 'text' ? [] : [...Object.keys(others), ...Object.keys(specific)];
  const late = fields.filter((field) => field !== 'suppressOutput');
  const output: HookOutput = {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(additionalContext === undefined ? {} : { hookSpecificOutput: { additionalContext } }),
  };
  const notices = [
    ...(late.length === 0 ? [] : [notice('no-effect', `${late.join(', ')}: ${EVENT_OVER_NOTE}`)]),
    ...(isOver && Object.keys(output).length > 0 ? [notice('no-effect', SESSION_OVER_NOTE)] : []),
  ];
  return {
    ...rest,
    output,
    outputFormat: 'json',
    fieldProblems: [
      ...fieldProblems,
      ...late.map((field) => ({ field, fate: 'unsupported' as const, note: EVENT_OVER_NOTE })),
    ],
    warnings: [...warnings, ...notices],
  };
};

const MAX_LATE_ANSWERS = 100;

export const keepLateAnswer = (answers: HookExecutionResult[], result: HookExecutionResult): void => {
  const { systemMessage, hookSpecificOutput } = result.output ?? {};
  if (systemMessage === undefined && hookSpecificOutput === undefined) return;
  answers.push(result);
  if (answers.length > MAX_LATE_ANSWERS) answers.shift();
};
