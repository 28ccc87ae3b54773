// One conversation with an agent: its turns, the tasks of the AI, and the hooks around them.
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import type { AbilityRef, PromptSubmitContext, SessionStopContext } from '../../events/index.ts';
import { describeThrown, describeValue, onAbort, waitWithinMs } from '../../kit/index.ts';
import { type Clock, createEmptyAbilityResult, type HookSignal, type Logger } from '../../protocol/index.ts';
import { type AbilityHookSet, runHooks } from '../hook-set.ts';
import type { AbilityStatus } from '../tools/execution.ts';
import type { CreateTaskResult, RunAbilityResult } from '../tools/results.ts';
import type { RunTaskOptions, ToolCallOptions, ToolRunner } from '../tools/tool-runner.ts';
import { AbilityAction, type ReadAction, readAction } from './actions.ts';
import { type ActionAnswer, toCreateTaskAnswer, toRunTaskAnswer } from './answers.ts';
import type { Planner, PlannerTools, StartControl, TurnContext } from './turn-planner.ts';

export interface SubmitOptions extends ToolCallOptions {
  /** Files that the user has open or selected. */
  readonly currentFiles?: readonly string[] | undefined;
}

export interface EndOptions {
  readonly changedFiles?: ChangedFiles | undefined;
}

export interface SessionParts<Plan> {
  readonly id: string;
  readonly hooks: AbilityHookSet | undefined;
  readonly tools: ToolRunner;
  readonly planner: Planner<Plan>;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly backgroundMs: number;
  readonly ends: AbortController;
  readonly onSettled: (session: AgentSession<Plan>) => void;
}

export class AgentSession<Plan = unknown> {
  readonly id: string;
  readonly #parts: SessionParts<Plan>;
  #summary = new SessionSummary();
  #startedAt: number;
  #isInTurn = false;
  #isOver = false;
  #settled: Promise<void> = Promise.resolve();

  constructor(parts: SessionParts<Plan>) {
    this.id = parts.id;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
  }

  /** After `end()`: resolves when the hooks of `SessionStop` have ended or were stopped. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Runs the hooks of one turn, then the planner. Rejects with the planner's error. */
  async submit(userRawInput: string, { currentFiles, signal }: SubmitOptions = {}): Promise<TurnResult<Plan>> {
    this.#expectOpen('submit()');
    if (typeof userRawInput !== 'string')
      throw createInvalidArgument(`submit(): expected text, got ${describeValue(userRawInput)}`);
    if (this.#isInTurn)
      throw createInvalidArgument(`session ${this.id} is in a turn; await it before submit() is called again`);
    this.#isInTurn = true;
    const { hooks, planner, logger } = this.#parts;
    const ends = this.#signal(signal);
    const current_files = currentFiles === undefined ? {} : { current_files: [...currentFiles] };
    try {
      const turn = await runTurn(
        hooks,
        planner,
        { session_id: this.id, user_raw_input: userRawInput, ...current_files },
        { act: (action) => this.act(action, { signal }), signal: ends },
        this.#parts.ends.signal,
      );
      if (turn.ready && turn.problem !== undefined) logger?.warn?.(`session ${this.id}: ${turn.problem}`);
      return turn;
    } finally {
      this.#isInTurn = false;
    }
  }

  /** Carries out an action of an AI. Never rejects: invalid actions get an answer as well. */
  async act(action: unknown, options: ToolCallOptions = {}): Promise<ActionAnswer> {
    try {
      return await this.#act(readAction(action), options);
    } catch (error) {
      return { type: 'ACTION_FAILED', message: describeThrown(error) };
    }
  }

  async createTask(
    ability: string | AbilityRef,
    input?: unknown,
    options: ToolCallOptions = {},
  ): Promise<CreateTaskResult> {
    this.#expectOpen('createTask()');
    return this.#parts.tools.createTask(ability, input, { signal: this.#signal(options.signal) });
  }

  async runTask(key: string, options: RunTaskOptions = {}): Promise<RunAbilityResult> {
    this.#expectOpen('runTask()');
    const result = await this.#parts.tools.runTask(key, { ...options, signal: this.#signal(options.signal) });
    this.#summary.noteRun(result);
    return result;
  }

  async runAbility(
    ability: string | AbilityRef,
    input?: unknown,
    options: ToolCallOptions = {},
  ): Promise<RunAbilityResult> {
    this.#expectOpen('runAbility()');
    const result = await this.#parts.tools.runAbility(ability, input, { signal: this.#signal(options.signal) });
    this.#summary.noteRun(result);
    return result;
  }

  /** Fires `SessionStop` for a phase and starts a new summary. The session continues. */
  endPhase({ changedFiles = [] }: EndOptions = {}): SessionStopContext {
    this.#expectOpen('endPhase()');
    const { context } = this.#stop(changedFiles);
    this.#summary = new SessionSummary();
    this.#startedAt = this.#parts.clock.now();
    return context;
  }

  /** Ends the session and returns the context of `SessionStop`. Does not wait for its hooks: `settled` does. */
  end({ changedFiles = [] }: EndOptions = {}): SessionStopContext {
    this.#expectOpen('end()');
    const { context, answered } = this.#stop(changedFiles);
    this.#isOver = true;
    this.#settled = this.#settle(answered);
    return context;
  }

  abandon(): void {
    this.#isOver = true;
    this.#parts.ends.abort();
  }

  async #act(action: ReadAction, options: ToolCallOptions): Promise<ActionAnswer> {
    this.#expectOpen('act()');
    switch (action.type) {
      case AbilityAction.ListAbilities:
        return { type: 'ABILITIES', abilities: this.#parts.tools.listAbilities() };
      case AbilityAction.CreateTask:
        return toCreateTaskAnswer(await this.createTask(action.ref, action.input, options));
      case AbilityAction.RunTask:
        return toRunTaskAnswer(await this.runTask(action.task_key, options));
      case 'INVALID':
        return { type: 'INVALID_ACTION', message: action.message };
    }
  }

  #stop(changedFiles: ChangedFiles): { context: SessionStopContext; answered: Promise<unknown> } {
    const { hooks, clock, ends } = this.#parts;
    const context: SessionStopContext = {
      session_id: this.id,
      changed_files: readChangedPaths(changedFiles),
      abilities_used: this.#summary.abilitiesUsed,
      tasks_summary: this.#summary.tasksSummary,
      started_at: new Date(this.#startedAt).toISOString(),
      ended_at: new Date(clock.now()).toISOString(),
    };
    if (hooks === undefined) return { context, answered: Promise.resolve() };
    return { context, answered: runHooks(hooks, 'SessionStop', context, { signal: ends.signal, until: ends.signal }) };
  }

  async #settle(answered: Promise<unknown>): Promise<void> {
    const { tools, backgroundMs, ends, onSettled } = this.#parts;
    const ended = new Promise<void>((resolve) => onAbort(ends.signal, resolve));
    await waitWithinMs(backgroundMs, Promise.race([answered.then(() => tools.idle()), ended]));
    ends.abort();
    onSettled(this);
  }

  #signal(signal: AbortSignal | undefined): AbortSignal {
    const { ends } = this.#parts;
    return signal === undefined ? ends.signal : AbortSignal.any([signal, ends.signal]);
  }

  #expectOpen(method: string): void {
    if (!this.#isOver) return;
    throw new HookwrightError('disposed', `session ${this.id} has ended: ${method} was called; start another session`);
  }
}

export type ChangedFiles = readonly string[] | { readonly diff: string };

const characterByEscape: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** Git quotes unusual names byte by byte. */
const unquoteGitPath = (name: string): string => {
  if (!name.startsWith('"')) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)|([^\\]+)/gs, (_whole, escaped: string | undefined, plain: string | undefined) => {
      if (escaped === undefined) return Buffer.from(plain ?? '').toString('latin1');
      return escaped.length === 3
        ? String.fromCharCode(Number.parseInt(escaped, 8))
        : (characterByEscape[escaped] ?? escaped);
    });
  return Buffer.from(bytes, 'latin1').toString();
};

const readHeaderPath = (line: string): string | undefined => {
  const [, name] = /^(?:---|\+\+\+|rename (?:from|to)|copy to) ("(?:[^"\\]|\\.)*"|[^\t]+)/.exec(line) ?? [];
  if (name === undefined || name === '/dev/null') return undefined;
  const path = unquoteGitPath(name);
  return /^(?:---|\+\+\+) /.test(line) ? path.replace(/^[ab]\//, '') : path;
};

/** Skips hunks by their line counts, because lines of a hunk can look like headers. */
const readHeaderLines = (diff: string): string[] => {
  const headers: string[] = [];
  let left = { old: 0, new: 0 };
  for (const line of diff.split('\n')) {
    const [, before = '1', after = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    if (line.startsWith('@@ ')) left = { old: Number(before), new: Number(after) };
    else if (left.old > 0 || left.new > 0) {
      if (!line.startsWith('+')) left.old -= 1;
      if (!line.startsWith('-')) left.new -= 1;
      if (line.startsWith('\\')) left = { old: left.old + 1, new: left.new + 1 };
    } else headers.push(line);
  }
  return headers;
};

const readTitlePath = (line: string): string | undefined => {
  const [, names] = /^diff --git (.*)$/.exec(line) ?? [];
  if (names === undefined) return undefined;
  // In `a/<path> b/<path>` both halves are equally long, so the middle separates them even if the path has blanks.
  const half = (names.length - 1) / 2;
  const [before, after] = [unquoteGitPath(names.slice(0, half)), unquoteGitPath(names.slice(half + 1))];
  const path = before.slice('a/'.length);
  return before === `a/${path}` && after === `b/${path}` ? path : undefined;
};

export const readChangedPaths = (changed: ChangedFiles): string[] => {
  const readPath = (line: string): string | undefined => readHeaderPath(line) ?? readTitlePath(line);
  const paths = 'diff' in changed ? readHeaderLines(changed.diff).flatMap((line) => readPath(line) ?? []) : changed;
  return [...new Set(paths)];
};

class SessionSummary {
  readonly #abilities = new Set<string>();
  readonly #tasks = new Map<string, { ability_id: string; status: AbilityStatus }>();

  noteRun(result: RunAbilityResult): void {
    if (!result.executed) return;
    const { ability_id, task_key, status } = result;
    this.#abilities.add(ability_id);
    if (task_key !== undefined) this.#tasks.set(task_key, { ability_id, status });
  }

  get abilitiesUsed(): string[] {
    return [...this.#abilities];
  }

  get tasksSummary(): NonNullable<SessionStopContext['tasks_summary']> {
    return [...this.#tasks].map(([task_key, task]) => ({ task_key, ...task }));
  }
}

const TURN_START_EVENT = 'PromptSubmit';

export type TurnResult<Plan> =
  | {
      readonly ready: true;
      readonly control: StartControl;
      readonly context: TurnContext;
      readonly plan: Plan;
      /** Answers to the actions that the planner returned, in order. */
      readonly answers?: readonly ActionAnswer[];
      /** A mistake in the value that the planner returned. */
      readonly problem?: string;
    }
  | {
      readonly ready: false;
      readonly error: { readonly code: string; readonly message: string; readonly hook_id?: string };
      readonly hook_signals: readonly HookSignal[];
    };

/** If a hook with `on_fault: fail` fails, the planner is not called: the turn may depend on the hook's answer. */
const runTurn = async <Plan>(
  hooks: AbilityHookSet | undefined,
  planner: Planner<Plan>,
  submitted: PromptSubmitContext,
  tools: PlannerTools,
  until: AbortSignal,
): Promise<TurnResult<Plan>> => {
  const { success, error, hook_signals } =
    hooks === undefined
      ? createEmptyAbilityResult(TURN_START_EVENT)
      : await runHooks(hooks, TURN_START_EVENT, submitted, { signal: tools.signal, until });
  if (!success) {
    const failure = error ?? { code: 'internal_error', message: 'the event failed without a reason' };
    return { ready: false, error: failure, hook_signals };
  }
  const context: TurnContext = { user_raw_input: submitted.user_raw_input, hook_signals };
  const control: StartControl = { type: 'control', turn_ready: true, source_event: TURN_START_EVENT, hook_signals };
  let drivesItself = false;
  const act = (action: unknown): Promise<ActionAnswer> => {
    drivesItself = true;
    return tools.act(action);
  };
  const plan = await planner(control, context, { ...tools, act });
  const turn = { ready: true, control, context, plan } as const;
  if (!drivesItself) return { ...turn, ...(await carryOutPlan(plan, tools)) };
  return hasActions(plan) ? { ...turn, problem: ACTIONS_IGNORED_PROBLEM } : turn;
};

const ACTIONS_IGNORED_PROBLEM =
  'the planner called act and also returned a list of actions; the list was ignored, since it may have been done already';

const hasActions = (plan: unknown): boolean =>
  Array.isArray(plan) && plan.some((item: unknown) => readAction(item).type !== 'INVALID');

interface PlanOutcome {
  readonly answers?: readonly ActionAnswer[];
  readonly problem?: string;
}

const carryOutPlan = async (plan: unknown, { act, signal }: PlannerTools): Promise<PlanOutcome> => {
  if (plan === undefined || plan === null) return {};
  if (!Array.isArray(plan)) {
    const problem = `the planner returned ${describeValue(plan)}: expected a list of actions, or nothing if it calls act`;
    return { problem };
  }
  const answers: ActionAnswer[] = [];
  for (const action of plan) {
    if (signal.aborted) return { answers, problem: `cancelled after ${answers.length} of ${plan.length} actions` };
    answers.push(await act(action));
  }
  return { answers };
};
