/** What a host says of its tools: their arguments and results follow from their names. Types only. */
import type { HookAnswer, HookEventName, HookInput } from '../events/index.ts';

/** One tool: what it takes, and what it gives where that is known. */
export interface ToolShape {
  readonly input: object;
  readonly output?: unknown;
}

/** Tools by name. An interface counts, too. */
export type ToolTable<Tools> = { readonly [Name in keyof Tools]: ToolShape };

/** Where a host says nothing of its tools. */
export type NoTools = Record<never, never>;

export type InputIn<Tools extends ToolTable<Tools>, Name extends keyof Tools> = {
  [Key in keyof Tools[Name]['input']]: Tools[Name]['input'][Key];
};

export type OutputIn<Tools extends ToolTable<Tools>, Name extends keyof Tools> = Tools[Name] extends {
  readonly output: infer Output;
}
  ? Output
  : unknown;

/** Events of calls of tools. */
export type ToolEvent = {
  [E in HookEventName]: HookInput<E> extends { tool_name: string; tool_input: object } ? E : never;
}[HookEventName];

/** One or another of the tools: the name says whose arguments these are. */
type CallsOf<Tools extends ToolTable<Tools>> = {
  [Name in keyof Tools & string]: { tool_name: Name; tool_input: InputIn<Tools, Name> };
}[keyof Tools & string];

export type NamedInput<E extends HookEventName, Tools extends ToolTable<Tools>> = E extends ToolEvent
  ? Omit<HookInput<E>, 'tool_name' | 'tool_input'> & CallsOf<Tools>
  : HookInput<E>;

/** What a hook may change of arguments: each of them, whichever of the tools it belongs to. */
type ChangesTo<Input> = { [Key in KeysOf<Input>]?: Input extends Partial<Record<Key, infer Value>> ? Value : never };
type KeysOf<Input> = Input extends unknown ? keyof Input : never;

type SpecificFor<Specific, Input> = string extends keyof Specific
  ? Specific
  : 'tool_input' extends keyof Specific
    ? Omit<Specific, 'tool_input'> & { tool_input?: ChangesTo<Input> }
    : Specific;

/** What a hook may answer about a tool whose arguments are known. */
export type AnswerFor<E extends HookEventName, Input> = string extends keyof Input
  ? HookAnswer<E>
  : Omit<HookAnswer<E>, 'hookSpecificOutput'> & {
      hookSpecificOutput?: SpecificFor<NonNullable<HookAnswer<E>['hookSpecificOutput']>, Input>;
    };

export type AnyInput<Tools extends ToolTable<Tools>> = { [Name in keyof Tools]: InputIn<Tools, Name> }[keyof Tools];

/** What a hook gets about a tool whose arguments are known. */
export type InputFor<E extends HookEventName, Input> = string extends keyof Input
  ? HookInput<E>
  : Omit<HookInput<E>, 'tool_input'> & { tool_input: Input };
