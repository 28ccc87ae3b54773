import type { HookEventName } from '../../events/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import type { HostAbilities, HostAbility, SampleTool } from './driver.ts';
import type { Walk } from './walk.ts';

export interface PathContext {
  readonly walk: Walk;
  readonly driver: HostAbilities<object, object>;
  readonly tools: readonly [SampleTool, SampleTool];
  readonly translator: AnyHookTranslator;
}

/** One way through an agent, and what has to be seen on it. */
export interface CoveragePath {
  readonly name: string;
  /** Any of these will do. */
  readonly needs: readonly HostAbility[];
  /** True where the kit has to add a hook to see what the agent makes of its answer. */
  readonly needsHook: boolean;
  readonly expected: readonly HookEventName[];
  readonly go: (context: PathContext) => Promise<void>;
}
