export type Completion = 'events' | 'hooks' | 'tools' | 'sessions' | 'files' | 'directories';

export interface FlagSpec {
  /** A switch takes no value; a list may be given several times or with commas between its members. */
  readonly kind: 'switch' | 'text' | 'number' | 'list';
  readonly short?: string;
  /** Its older name, which is read for one more release; of a switch that is a value now, with that value. */
  readonly formerly?: string | { readonly name: string; readonly means: string };
  readonly value?: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  /** Takes all that is left; only the last argument can. */
  readonly rest?: boolean;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

/** All that is to be known of a command before it runs: help, completion and docs/cli.md are made from it. */
export interface CommandSpec {
  /** One word, two for a command of a family (`task run`), or a word and a switch for another form of a command (`test --races`). */
  readonly name: string;
  /** What it was called before: the name is refused, with this one. */
  readonly formerly?: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description?: readonly string[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  readonly examples: readonly Example[];
  /** What 0 and 1 mean here. A command without `findings` never ends with 1. */
  readonly exit: { readonly ok: string; readonly findings?: string };
  /** Writes as it goes; with `--json` a line for each item. */
  readonly streams?: boolean;
  /** For the shell's own use: neither in help nor in the documentation. */
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

/** What the command line gave to a command: its arguments and flags by their names. */
export type Given<Spec extends CommandSpec> = ArgumentsIn<Spec> & FlagsIn<Spec>;

/** Keeps the literal types of a record, from which those of its arguments and flags follow. */
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
