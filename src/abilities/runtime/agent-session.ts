import { HookwrightError, invalidArgument } from '../../errors.ts';
import type { AbilityRef, PromptSubmitContext, SessionStopContext } from '../../events/index.ts';
import { describeThrown, describeValue } from '../../kit/index.ts';
import type { AbilityEventResult, Clock, HookSignal, Logger } from '../../protocol/index.ts';
import { type AbilityHookSet, type RunHooksOptions, runHooks } from '../hook-set.ts';
import type { AbilityStatus } from '../tools/execution.ts';
import type { CreateTaskResult, RunAbilityResult } from '../tools/results.ts';
import type { RunTaskOptions, ToolCallOptions, ToolRunner } from '../tools/tool-runner.ts';
import { AbilityAction, type ReadAction, readAction } from './actions.ts';
import { type ActionAnswer, tellCreated, tellRun } from './answers.ts';
import type { Planner, PlannerTools, StartControl, TurnContext } from './turn-planner.ts';

export interface SubmitOptions extends ToolCallOptions {
  /** Files the user has open or points at. */
  readonly currentFiles?: readonly string[] | undefined;
}

export interface EndOptions {
  readonly changedFiles?: ChangedFiles | undefined;
}

/** What a session of a runtime is made of. */
export interface SessionParts<Plan> {
  readonly id: string;
  readonly hooks: AbilityHookSet | undefined;
  /** Calls as this session. */
  readonly tools: ToolRunner;
  readonly planner: Planner<Plan>;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  /** How long hooks that the session does not wait for may run on after its end. */
  readonly backgroundMs: number;
  /** Aborted by the session when nothing of it may go on. */
  readonly ends: AbortController;
  readonly onSettled: (session: AgentSession<Plan>) => void;
}

/** One conversation. Its turns come one after another; what it did is told to the hooks when it ends. */
export class AgentSession<Plan = unknown> {
  readonly id: string;
  readonly #parts: SessionParts<Plan>;
  #summary = new SessionSummary();
  #startedAt: number;
  #isInTurn = false;
  #isOver = false;
  #settled: Promise<void> = Promise.resolve();

  /** Made by `AgentRuntime.startSession`. */
  constructor(parts: SessionParts<Plan>) {
    this.id = parts.id;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
  }

  /** Once the session has ended: resolves when its hooks are over, or were ended because their time was. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** One turn: asks the hooks what is to be known, then hands over to the planner. Rejects with what the planner throws. */
  async submit(userRawInput: string, { currentFiles, signal }: SubmitOptions = {}): Promise<TurnResult<Plan>> {
    this.#expectOpen('submit()');
    if (typeof userRawInput !== 'string')
      throw invalidArgument(`submit(): expected text, got ${describeValue(userRawInput)}`);
    if (this.#isInTurn)
      throw invalidArgument(`session ${this.id} is in a turn; await it before submit() is called again`);
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

  /** Does what an AI asks for. Never rejects: an action that makes no sense is answered too. */
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

  /** Runs an ability without a task. */
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

  /** Tells the hooks that a phase is over, and begins to count anew. The session goes on. */
  endPhase({ changedFiles = [] }: EndOptions = {}): SessionStopContext {
    this.#expectOpen('endPhase()');
    const { told } = this.#stop(changedFiles);
    this.#summary = new SessionSummary();
    this.#startedAt = this.#parts.clock.now();
    return told;
  }

  /**
   * Ends the session and returns its context. It does not wait for the hooks of the end: `settled` resolves when they are
   * done, and they are stopped after their time.
   */
  end({ changedFiles = [] }: EndOptions = {}): SessionStopContext {
    this.#expectOpen('end()');
    const { told, answered } = this.#stop(changedFiles);
    this.#isOver = true;
    this.#settled = this.#settle(answered);
    return told;
  }

  /** Ends at once, without an event: for a runtime that is disposed of. */
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
        return tellCreated(await this.createTask(action.ref, action.input, options));
      case AbilityAction.RunTask:
        return tellRun(await this.runTask(action.task_key, options));
      case 'INVALID':
        return { type: 'INVALID_ACTION', message: action.message };
    }
  }

  #stop(changedFiles: ChangedFiles): { told: SessionStopContext; answered: Promise<unknown> } {
    const { hooks, clock, ends } = this.#parts;
    const told: SessionStopContext = {
      session_id: this.id,
      changed_files: pathsOf(changedFiles),
      abilities_used: this.#summary.abilitiesUsed,
      tasks_summary: this.#summary.tasksSummary,
      started_at: new Date(this.#startedAt).toISOString(),
      ended_at: new Date(clock.now()).toISOString(),
    };
    if (hooks === undefined) return { told, answered: Promise.resolve() };
    return { told, answered: runHooks(hooks, 'SessionStop', told, { signal: ends.signal, until: ends.signal }) };
  }

  async #settle(answered: Promise<unknown>): Promise<void> {
    const { tools, backgroundMs, ends, onSettled } = this.#parts;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const outOfTime = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, backgroundMs);
      ends.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([answered.then(() => tools.idle()), outOfTime]);
    clearTimeout(timer);
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

/** What a session changed: paths, or a diff as `git diff` prints it. */
export type ChangedFiles = readonly string[] | { readonly diff: string };

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

/** Git quotes names with unusual characters, byte by byte. */
const unquote = (name: string): string => {
  if (!name.startsWith('"')) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3}|.)|([^\\]+)/gs, (_whole, escaped: string | undefined, plain: string | undefined) => {
      if (escaped === undefined) return Buffer.from(plain ?? '').toString('latin1');
      return escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : (ESCAPES[escaped] ?? escaped);
    });
  return Buffer.from(bytes, 'latin1').toString();
};

const pathIn = (line: string): string | undefined => {
  const [, name] = /^(?:---|\+\+\+|rename (?:from|to)|copy to) ("(?:[^"\\]|\\.)*"|[^\t]+)/.exec(line) ?? [];
  if (name === undefined || name === '/dev/null') return undefined;
  const path = unquote(name);
  return /^(?:---|\+\+\+) /.test(line) ? path.replace(/^[ab]\//, '') : path;
};

/** Lines of a hunk may look like headers, so hunks are counted through. */
const headerLines = (diff: string): string[] => {
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

/** Names the file where nothing else does: an empty, a binary one, or one of which only the mode changed. */
const pathInTitle = (line: string): string | undefined => {
  const [, names] = /^diff --git (.*)$/.exec(line) ?? [];
  if (names === undefined) return undefined;
  // Where the two names are the same they are as long as each other; a blank within them is no end.
  const half = (names.length - 1) / 2;
  const [before, after] = [unquote(names.slice(0, half)), unquote(names.slice(half + 1))];
  const path = before.slice('a/'.length);
  return before === `a/${path}` && after === `b/${path}` ? path : undefined;
};

/** The paths that were changed, each once, in order. */
export const pathsOf = (changed: ChangedFiles): string[] => {
  if (!('diff' in changed)) return [...new Set(changed)];
  return [...new Set(headerLines(changed.diff).flatMap((line) => pathIn(line) ?? pathInTitle(line) ?? []))];
};

/** What was done in a session, or in a phase of it. */
class SessionSummary {
  readonly #abilities = new Set<string>();
  /** A task that never ran is none of them. */
  readonly #tasks = new Map<string, { ability_id: string; status: AbilityStatus }>();

  noteRun(result: RunAbilityResult): void {
    if (!result.executed) return;
    const { ability_id, task_key, status } = result;
    this.#abilities.add(ability_id);
    if (task_key !== undefined) this.#tasks.set(task_key, { ability_id, status });
  }

  /** In the order in which they were first used. */
  get abilitiesUsed(): string[] {
    return [...this.#abilities];
  }

  get tasksSummary(): NonNullable<SessionStopContext['tasks_summary']> {
    return [...this.#tasks].map(([task_key, task]) => ({ task_key, ...task }));
  }
}

const EVENT = 'PromptSubmit';

/** A turn that was planned, or one that failed before it began. */
export type TurnResult<Plan> =
  | {
      readonly ready: true;
      readonly control: StartControl;
      readonly context: TurnContext;
      /** What the planner returned. */
      readonly plan: Plan;
      /** What became of the actions it returned, in order. */
      readonly answers?: readonly ActionAnswer[];
      /** What is wrong with what it returned, if anything is. */
      readonly problem?: string;
    }
  | {
      readonly ready: false;
      readonly error: { readonly code: string; readonly message: string; readonly hook_id?: string };
      readonly hook_signals: readonly HookSignal[];
    };

const ask = async (
  hooks: AbilityHookSet | undefined,
  context: PromptSubmitContext,
  options: RunHooksOptions,
): Promise<Pick<AbilityEventResult, 'success' | 'error' | 'hook_signals'>> =>
  hooks === undefined ? { success: true, hook_signals: [] } : runHooks(hooks, EVENT, context, options);

/**
 * From what the user wrote to what the planner made of it. The planner is not called when a hook that must not fail did:
 * what it would have said may be what the turn depends on.
 */
const runTurn = async <Plan>(
  hooks: AbilityHookSet | undefined,
  planner: Planner<Plan>,
  submitted: PromptSubmitContext,
  tools: PlannerTools,
  until: AbortSignal,
): Promise<TurnResult<Plan>> => {
  const { success, error, hook_signals } = await ask(hooks, submitted, { signal: tools.signal, until });
  if (!success) {
    const failure = error ?? { code: 'internal_error', message: 'the event failed without a reason' };
    return { ready: false, error: failure, hook_signals };
  }
  const context: TurnContext = { user_raw_input: submitted.user_raw_input, hook_signals };
  const control: StartControl = { type: 'control', turn_ready: true, source_event: EVENT, hook_signals };
  let drivesItself = false;
  const act = (action: unknown): Promise<ActionAnswer> => {
    drivesItself = true;
    return tools.act(action);
  };
  const plan = await planner(control, context, { ...tools, act });
  const turn = { ready: true, control, context, plan } as const;
  if (!drivesItself) return { ...turn, ...(await carryOut(plan, tools)) };
  return hasActions(plan) ? { ...turn, problem: BOTH } : turn;
};

const BOTH =
  'the planner called act and also returned a list of actions; the list was ignored, since it may have been done already';

/** A planner that drives itself may return what it likes; actions it may have meant to be carried out are no silent matter. */
const hasActions = (plan: unknown): boolean =>
  Array.isArray(plan) && plan.some((item: unknown) => readAction(item).type !== 'INVALID');

interface CarriedOut {
  readonly answers?: readonly ActionAnswer[];
  readonly problem?: string;
}

/** Does what a planner returned, one after the other, as if it had asked for each; nothing for one that wants nothing. */
const carryOut = async (plan: unknown, { act, signal }: PlannerTools): Promise<CarriedOut> => {
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
