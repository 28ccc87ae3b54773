/** Options of `createHooks`. */
import type { DialectsOption, ToolsOption } from '../agents/index.ts';
import type { Bus } from '../bus/index.ts';
import type { HookDeps, TriggerConfig } from '../config.ts';
import type { AgentEventName, EventBudgets, HookEventName, HostEvent } from '../events/index.ts';
import type { ConflictRule, HookDefinition, HookMode } from '../protocol/index.ts';
import type { DefinedHook } from './define-hook.ts';
import type { TeamOptions } from './team.ts';

/** Hooks by event, as the `hooks` object of a settings file. Unknown event names do not compile. */
export type HooksInCode = {
  readonly [E in HookEventName | AgentEventName]?: readonly HookDefinition[] | undefined;
};

export interface CreateHooksOptions {
  /**
   * The host's configuration, with its own hooks. The `fire…` functions with this configuration use the engine's hooks
   * too.
   */
  readonly config?: TriggerConfig | undefined;
  /** Reads the settings files of project, user and system, as `loadConfig` does. */
  readonly load?: boolean | undefined;
  /** Hooks as in a settings file, or a list of hooks from `defineHook`. */
  readonly hooks?: HooksInCode | readonly DefinedHook[] | undefined;
  /** Further events that this host fires: its own from `defineEvent`, or other agents' from `agentEvents`. */
  readonly events?: readonly HostEvent[] | undefined;
  /**
   * Names of guards that must work. `createHooks` rejects if one is missing, switched off or not approved, or does not
   * deny its canary call.
   */
  readonly require?: readonly string[] | undefined;
  readonly bus?: Bus | undefined;
  /** A bus to the hooks of other hosts, for example over NATS. The strictest verdict counts. */
  readonly team?: Bus | TeamOptions | undefined;
  readonly sessionId?: string | undefined;
  /** Path of the conversation file. Hooks get it as `transcript_path`. */
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** Home directory with the user's settings. Default: the user's. */
  readonly home?: string | undefined;
  /** With `load`: other agents, such as Claude Code, whose hooks also run. */
  readonly agents?: DialectsOption | undefined;
  /** @deprecated Write `agents`. */
  readonly dialects?: DialectsOption | undefined;
  /**
   * The agent's tools with their kind, such as `{run_shell: 'shell', deploy: 'other'}`, or the name of an agent with
   * the same tools. Hooks written for other agents need it. Hooks that fit none of the tools are reported.
   */
  readonly tools?: ToolsOption | undefined;
  /** With `observe`, hooks run and are reported, but block, ask and change nothing. Default: `enforce`. */
  readonly mode?: HookMode | undefined;
  /** With `deny`, an action is denied if parallel hooks change one field to different values. Default: `last`. */
  readonly onConflict?: ConflictRule | undefined;
  /** Milliseconds that all hooks of an event may take together, by event name. */
  readonly budgetMs?: EventBudgets | undefined;
  /**
   * Without a logger, failing guards and hooks that cannot start become process warnings. `false` switches these off.
   */
  readonly warnings?: boolean | undefined;
  /** With `load`: `false` keeps decisions out of the user's journal. */
  readonly journal?: boolean | undefined;
  readonly deps?: HookDeps | undefined;
}
