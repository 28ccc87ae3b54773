/** Types for a host that names its tools: arguments and results of a call follow from the tool's name. */
import type { HookAnswer, HookEventName, HookInput } from '../events/index.ts';

/** Types of a tool's arguments and, if known, its result. */
export interface ToolShape {
  readonly input: object;
  readonly output?: unknown;
}

/** Tool name → types of the tool. An interface is accepted too. */
export type ToolTable<Tools> = { readonly [Name in keyof Tools]: ToolShape };

export type NoTools = Record<never, never>;

export type InputIn<Tools extends ToolTable<Tools>, Name extends keyof Tools> = {
  [Key in keyof Tools[Name]['input']]: Tools[Name]['input'][Key];
};

export type OutputIn<Tools extends ToolTable<Tools>, Name extends keyof Tools> = Tools[Name] extends {
  readonly output: infer Output;
}
  ? Output
  : unknown;

export type ToolEvent = {
  [E in HookEventName]: HookInput<E> extends { tool_name: string; tool_input: object } ? E : never;
}[HookEventName];

type CallsOfTools<Tools extends ToolTable<Tools>> = {
  [Name in keyof Tools & string]: { tool_name: Name; tool_input: InputIn<Tools, Name> };
}[keyof Tools & string];

export type NamedInput<E extends HookEventName, Tools extends ToolTable<Tools>> = E extends ToolEvent
  ? Omit<HookInput<E>, 'tool_name' | 'tool_input'> & CallsOfTools<Tools>
  : HookInput<E>;

/** A hook may change every argument that at least one tool has. */
type ChangesTo<Input> = { [Key in KeysOf<Input>]?: Input extends Partial<Record<Key, infer Value>> ? Value : never };
type KeysOf<Input> = Input extends unknown ? keyof Input : never;

type SpecificFor<Specific, Input> = string extends keyof Specific
  ? Specific
  : 'tool_input' extends keyof Specific
    ? Omit<Specific, 'tool_input'> & { tool_input?: ChangesTo<Input> }
    : Specific;

export type AnswerFor<E extends HookEventName, Input> = string extends keyof Input
  ? HookAnswer<E>
  : Omit<HookAnswer<E>, 'hookSpecificOutput'> & {
      hookSpecificOutput?: SpecificFor<NonNullable<HookAnswer<E>['hookSpecificOutput']>, Input>;
    };

export type AnyInput<Tools extends ToolTable<Tools>> = { [Name in keyof Tools]: InputIn<Tools, Name> }[keyof Tools];

export type InputFor<E extends HookEventName, Input> = string extends keyof Input
  ? HookInput<E>
  : Omit<HookInput<E>, 'tool_input'> & { tool_input: Input };
