import { HookwrightError, invalidArgument } from '../../errors.ts';
import type { AbilityRef, SessionStopContext } from '../../events/index.ts';
import { describeThrown, describeValue } from '../../kit/index.ts';
import type { Clock, Logger } from '../../protocol/index.ts';
import { type AbilityHookSet, runHooks } from '../hook-set.ts';
import type { CreateTaskResult, RunAbilityResult } from '../tools/results.ts';
import type { RunTaskOptions, ToolCallOptions, ToolRunner } from '../tools/tool-runner.ts';
import { AbilityAction, type ReadAction, readAction } from './actions.ts';
import { type ActionAnswer, tellCreated, tellRun } from './answers.ts';
import { type ChangedFiles, pathsOf } from './changed-files.ts';
import type { Planner } from './planner.ts';
import { SessionSummary } from './session-summary.ts';
import { runTurn, type TurnResult } from './turn.ts';

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
  /** How long hooks that nobody waits for may go on when the session is over. */
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
   * Ends the session and says what it was. Nobody waits for the hooks of the end; `settled` tells when they are done, and
   * after their time they are ended.
   */
  end({ changedFiles = [] }: EndOptions = {}): SessionStopContext {
    this.#expectOpen('end()');
    const { told, answered } = this.#stop(changedFiles);
    this.#isOver = true;
    this.#settled = this.#settle(answered);
    return told;
  }

  /** Ends at once, telling nobody: for a runtime that is disposed of. */
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
