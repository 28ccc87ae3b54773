/** Options of `createHooks`. */
import type { DialectsOption, ToolsOption } from '../agents/index.ts';
import type { Bus } from '../bus/index.ts';
import type { HookDeps, TriggerConfig } from '../config.ts';
import type { AgentEventName, EventBudgets, HookEventName, HostEvent } from '../events/index.ts';
import type { ConflictRule, HookDefinition, HookMode } from '../protocol/index.ts';
import type { DefinedHook } from './define-hook.ts';
import type { TeamOptions } from './team.ts';

/** Hooks by event as in a settings file, but with no other keys than events. */
export type HooksInCode = {
  readonly [E in HookEventName | AgentEventName]?: readonly HookDefinition[] | undefined;
};

export interface CreateHooksOptions {
  /**
   * The host's configuration. The engine shares its hook system with triggers of the same configuration and adds
   * `hooks`.
   */
  readonly config?: TriggerConfig | undefined;
  /** Reads the settings files of project, user and system, as `loadConfig` does. */
  readonly load?: boolean | undefined;
  /** Hooks as in a settings file, or from `defineHook`. */
  readonly hooks?: HooksInCode | readonly DefinedHook[] | undefined;
  /** Further events that this host fires: from `defineEvent`, or other agents' from `agentEvents`. */
  readonly events?: readonly HostEvent[] | undefined;
  /** Guards that must be ready: rejects if one is missing, switched off, not approved, or lets its canary pass. */
  readonly require?: readonly string[] | undefined;
  readonly bus?: Bus | undefined;
  /** A bus to other hosts' hooks, for example over NATS. They also decide, and the strictest verdict counts. */
  readonly team?: Bus | TeamOptions | undefined;
  readonly sessionId?: string | undefined;
  /** Path of the conversation file; hooks get it as `transcript_path`. */
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** Home directory with the user's settings and the folders of hooks. */
  readonly home?: string | undefined;
  /** With `load`: other agents whose hooks also run. */
  readonly agents?: DialectsOption | undefined;
  /** @deprecated Write `agents`. */
  readonly dialects?: DialectsOption | undefined;
  /**
   * The tools of this agent: `{run_shell: 'shell', deploy: 'other'}`, or an agent whose tool names it uses. Translates
   * calls for hooks of other agents. A record also reports hooks that fit none of the tools.
   */
  readonly tools?: ToolsOption | undefined;
  /** With `observe` hooks run and are explained, but block, ask and change nothing. Default: `enforce`. */
  readonly mode?: HookMode | undefined;
  /** With `deny` parallel hooks that set a field to different values deny. Default: `last`. */
  readonly onConflict?: ConflictRule | undefined;
  /** Milliseconds that all hooks of an event together may take, by event. */
  readonly budgetMs?: EventBudgets | undefined;
  /**
   * Without a logger, failing guards and hooks that cannot start are process warnings, once each. `false` disables
   * them.
   */
  readonly warnings?: boolean | undefined;
  /** With `load`: `false` keeps no decisions in the user's journal. */
  readonly journal?: boolean | undefined;
  readonly deps?: HookDeps | undefined;
}
