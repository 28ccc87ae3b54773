/** Types that describe a command as data. Parsing, help, completion and docs/cli.md are generated from them. */
export type Completion = 'events' | 'hooks' | 'tools' | 'sessions' | 'files' | 'directories';

export interface FlagSpec {
  readonly kind: 'switch' | 'text' | 'number' | 'list';
  readonly short?: string;
  /** The former name works for one more release. `means` is the value that a former switch sets. */
  readonly formerly?: string | { readonly name: string; readonly means: string };
  readonly value?: string;
  readonly filled?: true;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly rest?: boolean;
  readonly choices?: readonly string[];
  readonly complete?: Completion;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly formerly?: string;
  readonly summary: string;
  readonly description?: readonly string[];
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  readonly examples: readonly Example[];
  /** The meanings of exit codes 0 and 1. A command without `findings` never exits with 1. */
  readonly exit: { readonly ok: string; readonly findings?: string };
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

type FlagValues<Spec> = Spec extends { readonly flags: infer Flags extends Readonly<Record<string, FlagSpec>> }
  ? { readonly [Name in keyof Flags]: FlagValue<Flags[Name]> }
  : unknown;

type ArgumentValues<Spec> = Spec extends { readonly arguments: infer List extends readonly ArgumentSpec[] }
  ? { readonly [Argument in List[number] as Argument['name']]: ArgumentValue<Argument> }
  : unknown;

export type CommandValues<Spec extends CommandSpec> = ArgumentValues<Spec> & FlagValues<Spec>;

type WrittenSpec = Omit<CommandSpec, 'examples'> & { readonly examples: Readonly<Record<string, string>> };

export const defineSpec = <const Spec extends WrittenSpec>({ examples, ...spec }: Spec) => ({
  ...spec,
  examples: Object.entries(examples).map(([command, does]): Example => ({ command, does })),
});

export const defineFlags = <const Flags extends Readonly<Record<string, FlagSpec>>>(flags: Flags): Flags => flags;

export const globalFlags = defineFlags({
  json: { kind: 'switch', summary: 'print one JSON envelope, or JSON lines where a command streams' },
  cwd: {
    kind: 'text',
    value: 'dir',
    summary: 'work as if started in this directory',
    complete: 'directories',
  },
  help: { kind: 'switch', short: 'h', summary: 'show how to use a command, with examples' },
});
