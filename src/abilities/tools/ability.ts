// Types of abilities and their calls.
import type { AbilityCaller } from '../../events/index.ts';
import type { StandardSchema } from '../../kit/index.ts';
import type { FunctionHandler, HttpHandler } from './execution.ts';
import type { InputSchema } from './input-schema.ts';

/** The input of a handler: stdin of a script, body of a request, or argument of a function. */
export interface AbilityCall {
  readonly ability_id: string;
  readonly input?: unknown;
  readonly task_key?: string;
  readonly session_id?: string;
  readonly environment?: unknown;
  readonly caller: AbilityCaller;
}

export interface ScriptHandler {
  readonly kind: 'script';
  /** A command line, started in the repository. */
  readonly command: string;
  /** With arguments, no shell is used. */
  readonly args?: readonly string[] | undefined;
}

export type AbilityHandler = ScriptHandler | HttpHandler | FunctionHandler<AbilityCall>;

/** A task that an AI, a job, a pipeline or a person can request. */
export interface Ability {
  readonly id: string;
  readonly summary?: string | undefined;
  /** Names of operations; a task can be requested by one of them. */
  readonly operations?: readonly string[] | undefined;
  /** In code also a schema of zod or another Standard Schema library. */
  readonly input?: InputSchema | StandardSchema | undefined;
  readonly environments?: readonly string[] | undefined;
  readonly requires?: AbilityNeeds | undefined;
  readonly timeoutMs?: number | undefined;
  readonly handler: AbilityHandler;
  /** False if the user has not approved the file of the ability. */
  readonly trusted?: boolean | undefined;
  readonly file?: string | undefined;
}

export interface AbilityNeeds {
  readonly env?: readonly string[] | undefined;
  readonly files?: readonly string[] | undefined;
}

export const getScopeNames = ({
  id,
  operations = [],
}: Ability): { readonly ability_id: string; readonly operations?: string[] } => ({
  ability_id: id,
  ...(operations.length === 0 ? {} : { operations: [...operations] }),
});

/** The public part of an ability, for a model or person who chooses one. */
export interface AbilityListing {
  readonly id: string;
  readonly summary?: string;
  readonly operations?: readonly string[];
  readonly input?: InputSchema;
}
