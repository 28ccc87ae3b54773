/** Types of the host's tools. Arguments and results of calls follow from the tool's name. */
import type { HookAnswer, HookEventName, HookInput } from '../events/index.ts';

/** A tool's arguments and, if known, its result. */
export interface ToolShape {
  readonly input: object;
  readonly output?: unknown;
}

/** Tools by name; an interface is accepted too. */
export type ToolTable<Tools> = { readonly [Name in keyof Tools]: ToolShape };

/** For hosts that do not describe their tools. */
export type NoTools = Record<never, never>;

export type InputIn<Tools extends ToolTable<Tools>, Name extends keyof Tools> = {
  [Key in keyof Tools[Name]['input']]: Tools[Name]['input'][Key];
};

export type OutputIn<Tools extends ToolTable<Tools>, Name extends keyof Tools> = Tools[Name] extends {
  readonly output: infer Output;
}
  ? Output
  : unknown;

/** Events of tool calls. */
export type ToolEvent = {
  [E in HookEventName]: HookInput<E> extends { tool_name: string; tool_input: object } ? E : never;
}[HookEventName];

/** A call of one of the tools: the name decides the type of the arguments. */
type CallsOf<Tools extends ToolTable<Tools>> = {
  [Name in keyof Tools & string]: { tool_name: Name; tool_input: InputIn<Tools, Name> };
}[keyof Tools & string];

export type NamedInput<E extends HookEventName, Tools extends ToolTable<Tools>> = E extends ToolEvent
  ? Omit<HookInput<E>, 'tool_name' | 'tool_input'> & CallsOf<Tools>
  : HookInput<E>;

/** Changes that a hook may make: members of any of the tools' arguments. */
type ChangesTo<Input> = { [Key in KeysOf<Input>]?: Input extends Partial<Record<Key, infer Value>> ? Value : never };
type KeysOf<Input> = Input extends unknown ? keyof Input : never;

type SpecificFor<Specific, Input> = string extends keyof Specific
  ? Specific
  : 'tool_input' extends keyof Specific
    ? Omit<Specific, 'tool_input'> & { tool_input?: ChangesTo<Input> }
    : Specific;

/** Answers of a hook for a tool with known arguments. */
export type AnswerFor<E extends HookEventName, Input> = string extends keyof Input
  ? HookAnswer<E>
  : Omit<HookAnswer<E>, 'hookSpecificOutput'> & {
      hookSpecificOutput?: SpecificFor<NonNullable<HookAnswer<E>['hookSpecificOutput']>, Input>;
    };

export type AnyInput<Tools extends ToolTable<Tools>> = { [Name in keyof Tools]: InputIn<Tools, Name> }[keyof Tools];

/** Input of a hook for a tool with known arguments. */
export type InputFor<E extends HookEventName, Input> = string extends keyof Input
  ? HookInput<E>
  : Omit<HookInput<E>, 'tool_input'> & { tool_input: Input };
