/** The types in which a command is described as data: help, completion and docs/cli.md are generated from them. */
export type Completion = 'events' | 'hooks' | 'tools' | 'sessions' | 'files' | 'directories';

export interface FlagSpec {
  /** A switch takes no value; a list may be repeated, or have commas between its members. */
  readonly kind: 'switch' | 'text' | 'number' | 'list';
  readonly short?: string;
  /**
   * The former name of the flag, which works for one more release. If it was a switch, also the value that it stands
   * for.
   */
  readonly formerly?: string | { readonly name: string; readonly means: string };
  readonly value?: string;
  /** Refuse an empty list. */
  readonly filled?: true;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** The last argument may take all remaining words. */
  readonly rest?: boolean;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

export interface CommandSpec {
  /** One word; two for a command of a family (`task run`); a word and a switch for another form (`test --races`). */
  readonly name: string;
  /** The former name of the command. It is refused with the new one as a hint. */
  readonly formerly?: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description?: readonly string[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  readonly examples: readonly Example[];
  /** The meanings of exit codes 0 and 1; without `findings` the command never ends with 1. */
  readonly exit: { readonly ok: string; readonly findings?: string };
  /** The command writes items while it runs; with `--json`, one line for each. */
  readonly streams?: boolean;
  /** Left out of help and documentation. */
  readonly hidden?: boolean;
}

type FlagValue<Flag extends FlagSpec> = Flag['kind'] extends 'switch'
  ? boolean
  : Flag['kind'] extends 'list'
    ? readonly string[]
    : (Flag['kind'] extends 'number' ? number : string) | undefined;

type ArgumentValue<Argument extends ArgumentSpec> = Argument extends { readonly rest: true }
  ? readonly string[]
  : Argument extends { readonly required: true }
    ? string
    : string | undefined;

type FlagsIn<Spec> = Spec extends { readonly flags: infer Flags extends Readonly<Record<string, FlagSpec>> }
  ? { readonly [Name in keyof Flags]: FlagValue<Flags[Name]> }
  : unknown;

type ArgumentsIn<Spec> = Spec extends { readonly arguments: infer List extends readonly ArgumentSpec[] }
  ? { readonly [Argument in List[number] as Argument['name']]: ArgumentValue<Argument> }
  : unknown;

/** The values of the arguments and flags of a command, by their names. */
export type CommandValues<Spec extends CommandSpec> = ArgumentsIn<Spec> & FlagsIn<Spec>;

/** Keeps the literal types of a spec, from which `CommandValues` is derived. */
export const defineSpec = <const Spec extends CommandSpec>(spec: Spec): Spec => spec;

export const globalFlags = {
  json: { kind: 'switch', summary: 'print one JSON envelope, or JSON lines where a command streams' },
  cwd: {
    kind: 'text',
    value: 'dir',
    summary: 'work as if started in this directory',
    complete: 'directories',
  },
  help: { kind: 'switch', short: 'h', summary: 'show how to use a command, with examples' },
} as const satisfies Readonly<Record<string, FlagSpec>>;
