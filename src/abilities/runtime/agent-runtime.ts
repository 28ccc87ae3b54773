// The sessions of an agent, with the hooks around their turns and tasks.
import { createId } from '../../bus/internal.ts';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import { CallerSource } from '../../events/index.ts';
import { omitUndefined } from '../../kit/index.ts';
import { type AbilityHook, createPartLogger, DEFAULT_TIMEOUT_MS, systemClock } from '../../protocol/index.ts';
import type { AbilityHookSet } from '../hook-set.ts';
import { ToolRunner, type ToolRunnerOptions } from '../tools/tool-runner.ts';
import { AgentSession } from './agent-session.ts';
import type { Planner } from './turn-planner.ts';

export interface AgentRuntimeOptions<Plan> extends Omit<ToolRunnerOptions, 'caller'> {
  readonly planner: Planner<Plan>;
  /**
   * How long hooks may run in total after their session has ended; 300,000 by default. Each hook also has its own
   * timeout.
   */
  readonly backgroundMs?: number | undefined;
}

export interface StartSessionOptions {
  readonly sessionId?: string | undefined;
  /** The person or program that started the session; passed to hooks. */
  readonly triggeredBy?: string | undefined;
}

const DEFAULT_BACKGROUND_MS = 300_000;
const SESSION_END_EVENT = 'SessionStop';

const getTimeoutMs = ({ config }: AbilityHook): number => config.timeout ?? DEFAULT_TIMEOUT_MS;

/** Manages the sessions of an agent. Runtimes share no state, even with the same hooks. */
export class AgentRuntime<Plan = unknown> {
  readonly #options: AgentRuntimeOptions<Plan>;
  readonly #tools: ToolRunner;
  readonly #sessions = new Map<string, AgentSession<Plan>>();
  #isDisposed = false;

  constructor(options: AgentRuntimeOptions<Plan>) {
    if (typeof options.planner !== 'function') {
      throw createInvalidArgument('planner: expected a function that plans a turn');
    }
    this.#options = options;
    this.#tools = new ToolRunner({ ...options, caller: { source: CallerSource.AiSession } });
    const logger = createPartLogger(options.logger, 'runtime');
    for (const problem of this.problems) logger?.warn?.(problem);
  }

  get #endHooks(): readonly AbilityHook[] {
    return (
      this.#options.hooks?.hooks.filter(({ enabled, eventType }) => enabled && eventType === SESSION_END_EVENT) ?? []
    );
  }

  get #backgroundMs(): number {
    return this.#options.backgroundMs ?? DEFAULT_BACKGROUND_MS;
  }

  /** Hooks of `SessionStop` whose timeout exceeds `backgroundMs`. */
  get problems(): readonly string[] {
    const allowed = this.#backgroundMs;
    return this.#endHooks
      .filter((hook) => getTimeoutMs(hook) > allowed)
      .map(
        (hook) =>
          `hook "${hook.id}" of ${SESSION_END_EVENT} may take ${getTimeoutMs(hook)} ms, and this runtime ends it after ${allowed}; raise backgroundMs`,
      );
  }

  /** How long hooks may run after a session has ended: a host waits this long before it exits. */
  get endMs(): number {
    return Math.min(this.#backgroundMs, Math.max(0, ...this.#endHooks.map(getTimeoutMs)));
  }

  get hooks(): AbilityHookSet | undefined {
    return this.#options.hooks;
  }

  /** Sessions that have not ended or still have running hooks. */
  get sessions(): readonly AgentSession<Plan>[] {
    return [...this.#sessions.values()];
  }

  startSession({ sessionId = createId(), triggeredBy }: StartSessionOptions = {}): AgentSession<Plan> {
    if (this.#isDisposed) throw new HookwrightError('disposed', 'the runtime was disposed of; create a new one');
    if (sessionId === '' || this.#sessions.has(sessionId)) {
      throw createInvalidArgument(`sessionId: expected an id that no session has, got "${sessionId}"`);
    }
    const { hooks, planner, clock = systemClock } = this.#options;
    const ends = new AbortController();
    const caller = omitUndefined({ source: CallerSource.AiSession, session_id: sessionId, triggered_by: triggeredBy });
    const session = new AgentSession<Plan>({
      id: sessionId,
      hooks,
      tools: this.#tools.as(caller, { until: ends.signal }),
      planner,
      clock,
      logger: createPartLogger(this.#options.logger, 'runtime'),
      backgroundMs: this.#backgroundMs,
      ends,
      onSettled: ({ id }) => this.#sessions.delete(id),
    });
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** The tools for a caller other than an AI, with the same hooks and checks. */
  toolsFor(caller: ToolRunnerOptions['caller']): ToolRunner {
    return this.#tools.as(caller);
  }

  /** Ends all sessions and their runs. Does not dispose of the hooks, which the host loaded. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const session of this.#sessions.values()) session.abandon();
    this.#sessions.clear();
    await this.#tools.dispose();
  }
}
