import type { DialectsOption, ToolsOption } from '../agents/index.ts';
import type { Bus } from '../bus/index.ts';
import type { HookDeps, TriggerConfig } from '../config.ts';
import type { AgentEventName, EventBudgets, HookEventName, HostEvent } from '../events/index.ts';
import type { ConflictRule, HookDefinition, HookMode } from '../protocol/index.ts';
import type { DefinedHook } from './define-hook.ts';
import type { TeamOptions } from './team.ts';

/** Hooks by event as a settings file has them. What is written in code has no other keys than events. */
export type HooksInCode = {
  readonly [E in HookEventName | AgentEventName]?: readonly HookDefinition[] | undefined;
};

export interface CreateHooksOptions {
  /**
   * A host's own configuration. The engine shares its hook system, with the triggers that are given the same
   * configuration too; hooks given beside it are added to its own.
   */
  readonly config?: TriggerConfig | undefined;
  /** Reads the settings files of the project, the user and the system, as `loadConfig` does. */
  readonly load?: boolean | undefined;
  /** Hooks as in a settings file, or made with `defineHook`. */
  readonly hooks?: HooksInCode | readonly DefinedHook[] | undefined;
  /** Events that this host fires besides, made with `defineEvent`, or those of other agents in `agentEvents`. */
  readonly events?: readonly HostEvent[] | undefined;
  /** Names of guards without which it rejects: missing, switched off, not approved, or passing their canary. */
  readonly require?: readonly string[] | undefined;
  readonly bus?: Bus | undefined;
  /** A bus on which others answer, as hosts over NATS do: they are asked beside the hooks here, and the strictest verdict counts. */
  readonly team?: Bus | TeamOptions | undefined;
  readonly sessionId?: string | undefined;
  /** File of the conversation, which hooks read as `transcript_path`. */
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** Home directory whose settings count, where files are read, and in which hooks have their folders. */
  readonly home?: string | undefined;
  /** Other agents whose hooks run here as well; with `load`. */
  readonly agents?: DialectsOption | undefined;
  /** @deprecated Write `agents`. */
  readonly dialects?: DialectsOption | undefined;
  /**
   * The tools of this agent: `{run_shell: 'shell', deploy: 'other'}`, or the name of an agent whose names it uses. Calls are
   * translated by it for hooks of other agents. With a record, hooks that fit none of the tools are named in `problems`.
   */
  readonly tools?: ToolsOption | undefined;
  /** With `observe` hooks run and are explained, and nothing is blocked, asked or changed. `enforce` when left out. */
  readonly mode?: HookMode | undefined;
  /** With `deny` parallel hooks that change one field to different values deny. `last` when left out. */
  readonly onConflict?: ConflictRule | undefined;
  /** What all hooks of an event together may take, in milliseconds, by event. */
  readonly budgetMs?: EventBudgets | undefined;
  /**
   * Without a logger, guards that fail and hooks in their place that cannot start are warnings of the process, once each.
   * `false` switches that off.
   */
  readonly warnings?: boolean | undefined;
  /** With `load`: `false` keeps no decisions in the journal of the user. */
  readonly journal?: boolean | undefined;
  readonly deps?: HookDeps | undefined;
}
