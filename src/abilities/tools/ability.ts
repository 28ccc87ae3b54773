import type { AbilityCaller } from '../../events/index.ts';
import type { StandardSchema } from '../../kit/index.ts';
import type { FunctionHandler, HttpHandler } from './execution.ts';
import type { InputSchema } from './input-schema.ts';

/** What an ability reads: a script on stdin, an endpoint as the body, a function as its argument. */
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
  /** A command line, started in the repository by the rules for hooks. */
  readonly command: string;
  /** Arguments, one by one; then no shell is involved. */
  readonly args?: readonly string[] | undefined;
}

export type AbilityHandler = ScriptHandler | HttpHandler | FunctionHandler<AbilityCall>;

/** Something the AI, a job, a pipeline or a person can have done. */
export interface Ability {
  readonly id: string;
  /** Helps a model or person to choose among abilities. */
  readonly summary?: string | undefined;
  /** Other names of it, by what is done: a task may be asked for by one of these. */
  readonly operations?: readonly string[] | undefined;
  /** What it takes. In code also a schema of zod or another library that speaks Standard Schema. */
  readonly input?: InputSchema | StandardSchema | undefined;
  /** Where it may be used; without it everywhere. */
  readonly environments?: readonly string[] | undefined;
  /** What has to be there: variables that are set, files of the repository. */
  readonly requires?: AbilityNeeds | undefined;
  /** 300,000 by default. */
  readonly timeoutMs?: number | undefined;
  readonly handler: AbilityHandler;
  /** False: known but not usable yet, because the user has not approved its file. */
  readonly trusted?: boolean | undefined;
  /** The file it was read from. */
  readonly file?: string | undefined;
}

export interface AbilityNeeds {
  readonly env?: readonly string[] | undefined;
  readonly files?: readonly string[] | undefined;
}

/** An ability as hooks know it: a scope may name any of these. */
export const namesOf = ({
  id,
  operations = [],
}: Ability): { readonly ability_id: string; readonly operations?: string[] } => ({
  ability_id: id,
  ...(operations.length === 0 ? {} : { operations: [...operations] }),
});

/** What a model or person who chooses an ability may see of it; its handler is private. */
export interface AbilityListing {
  readonly id: string;
  readonly summary?: string;
  readonly operations?: readonly string[];
  readonly input?: InputSchema;
}
