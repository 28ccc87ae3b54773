/** Options of `createHooks`. */
import type { DialectsOption, ToolsOption } from '../agents/index.ts';
import type { Bus } from '../bus/index.ts';
import type { HookDeps, TriggerConfig } from '../config.ts';
import type { AgentEventName, EventBudgets, HookEventName, HostEvent } from '../events/index.ts';
import type { ConflictRule, HookDefinition, HookMode } from '../protocol/index.ts';
import type { DefinedHook } from './define-hook.ts';
import type { TeamOptions } from './team.ts';

/** Hooks by event, as in a settings file. */
export type HooksInCode = {
  readonly [E in HookEventName | AgentEventName]?: readonly HookDefinition[] | undefined;
};

export interface CreateHooksOptions {
  /** A configuration with its own hooks; the `fire…` functions use the engine's hooks too. */
  readonly config?: TriggerConfig | undefined;
  /** Reads the settings files of project, user and system, as `loadConfig` does. */
  readonly load?: boolean | undefined;
  /** Hooks as in a settings file, or a list of hooks from `defineHook`. */
  readonly hooks?: HooksInCode | readonly DefinedHook[] | undefined;
  /** Further events of this host, from `defineEvent` or `agentEvents`. */
  readonly events?: readonly HostEvent[] | undefined;
  /** Guards that must work: `createHooks` rejects if one is missing, disabled, not approved or fails its canary. */
  readonly require?: readonly string[] | undefined;
  readonly bus?: Bus | undefined;
  /** A bus to the hooks of other hosts, for example over NATS. The strictest verdict counts. */
  readonly team?: Bus | TeamOptions | undefined;
  readonly sessionId?: string | undefined;
  /** The conversation file, in the input of hooks as `transcript_path`. */
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** The home directory with the user's settings. Default: the user's. */
  readonly home?: string | undefined;
  /** With `load`: other agents, such as Claude Code, whose hooks also run. */
  readonly agents?: DialectsOption | undefined;
  /** @deprecated Write `agents`. */
  readonly dialects?: DialectsOption | undefined;
  /**
   * The agent's tools with their kind, such as `{run_shell: 'shell', deploy: 'other'}`, or an agent with the same
   * tools. Hooks of other agents need it.
   */
  readonly tools?: ToolsOption | undefined;
  /** With `observe`, hooks run and are reported, but have no effect. Default: `enforce`. */
  readonly mode?: HookMode | undefined;
  /** With `deny`, parallel hooks that change a field to different values deny the action. Default: `last`. */
  readonly onConflict?: ConflictRule | undefined;
  /** Milliseconds for all hooks of an event together. */
  readonly budgetMs?: EventBudgets | undefined;
  /** Without a logger, failing guards and hooks become process warnings; `false` disables these. */
  readonly warnings?: boolean | undefined;
  /** With `load`: `false` keeps decisions out of the user's journal. */
  readonly journal?: boolean | undefined;
  readonly deps?: HookDeps | undefined;
}
