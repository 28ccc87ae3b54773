import { parseArgs } from 'node:util';
import { isRecord, nearest, suggestion, textOf } from '../../kit/index.ts';
import { UsageError } from '../usage-error.ts';
import { type ArgumentSpec, type CommandSpec, type FlagSpec, type Given, globalFlags } from './spec.ts';

type Flags = Readonly<Record<string, FlagSpec>>;

/** Flags that every command takes. */
export interface GlobalGiven {
  readonly json: boolean;
  readonly cwd: string | undefined;
  readonly help: boolean;
  /** Flags that were given under their older names: `--events is now --event`. */
  readonly renamed: readonly string[];
}

export interface ParsedArguments<Spec extends CommandSpec> {
  readonly given: Given<Spec>;
  readonly global: GlobalGiven;
}

const flagsOf = (spec: CommandSpec): Flags => ({ ...spec.flags, ...globalFlags });

const seeHelp = (spec: CommandSpec): string => `hookwright ${spec.name} --help shows its arguments and flags`;

const takesValue = ({ kind }: FlagSpec): boolean => kind !== 'switch';

const flagSuggestion = (name: string, flags: Flags): string => {
  const near = nearest(name, Object.keys(flags));
  return near === undefined ? '' : `; did you mean "--${near}"?`;
};

const unknownFlag = (rawName: string, name: string, spec: CommandSpec, flags: Flags): UsageError =>
  new UsageError(`${spec.name} has no flag ${rawName}${flagSuggestion(name, flags)}`, seeHelp(spec));

const checkChoice = (what: string, value: string, choices: readonly string[] | undefined): void => {
  if (choices === undefined || choices.includes(value)) return;
  throw new UsageError(
    `${what} must be one of ${choices.join(', ')}, found ${JSON.stringify(value)}${suggestion(value, choices)}`,
  );
};

const toNumber = (flag: string, value: string): number => {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`${flag} must be a number from 0 on, found ${JSON.stringify(value)}`);
};

const placeholder = ({ value = 'value' }: FlagSpec): string => `<${value}>`;

class FlagValues {
  readonly #spec: CommandSpec;
  readonly #flags: Flags;
  readonly values: Record<string, unknown> = {};

  constructor(spec: CommandSpec, flags: Flags) {
    this.#spec = spec;
    this.#flags = flags;
    for (const [name, { kind }] of Object.entries(flags)) {
      this.values[name] = kind === 'switch' ? false : kind === 'list' ? [] : undefined;
    }
  }

  add(name: string, rawName: string, value: string | undefined, isInline: boolean): void {
    const flag = Object.hasOwn(this.#flags, name) ? this.#flags[name] : undefined;
    if (flag === undefined) throw unknownFlag(rawName, name, this.#spec, this.#flags);
    if (!takesValue(flag)) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value, found ${JSON.stringify(value)}`);
      this.values[name] = true;
      return;
    }
    if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${placeholder(flag)}`);
    if (!isInline && value.length > 1 && value.startsWith('-')) {
      const hint = `if that is the value, write --${name}=${value}`;
      throw new UsageError(`${rawName} needs a value, found the flag ${value}`, hint);
    }
    this.#set(name, rawName, value, flag);
  }

  #set(name: string, rawName: string, value: string, flag: FlagSpec): void {
    const members = flag.kind === 'list' ? value.split(',').map((member) => member.trim()) : [value];
    for (const member of members) checkChoice(rawName, member, flag.choices);
    const before = this.values[name];
    if (flag.kind === 'list') {
      this.values[name] = [...(Array.isArray(before) ? before : []), ...members.filter((member) => member !== '')];
      return;
    }
    if (before !== undefined) throw new UsageError(`${rawName} was given twice`);
    this.values[name] = flag.kind === 'number' ? toNumber(rawName, value) : value;
  }
}

const assignArguments = (spec: CommandSpec, words: readonly string[]): Record<string, unknown> => {
  const wanted: readonly ArgumentSpec[] = spec.arguments ?? [];
  const values: Record<string, unknown> = {};
  let next = 0;
  for (const { name, required, rest, choices } of wanted) {
    const value = rest ? words.slice(next) : words[next];
    next += rest ? words.length : 1;
    const isMissing = rest ? value === undefined || value.length === 0 : value === undefined;
    if (required && isMissing) {
      const known = choices === undefined ? '' : `: one of ${choices.join(', ')}`;
      throw new UsageError(`${spec.name} needs <${name}>${known}`, seeHelp(spec));
    }
    if (typeof value === 'string') checkChoice(`<${name}>`, value, choices);
    values[name] = value;
  }
  const extra = words[next];
  if (extra !== undefined) {
    const hint = spec.flags?.tool === undefined ? seeHelp(spec) : `if that is a tool: --tool ${extra}`;
    throw new UsageError(`${spec.name} takes no argument ${JSON.stringify(extra)}`, hint);
  }
  return values;
};

const isOf = (value: unknown, { kind }: FlagSpec): boolean => {
  if (kind === 'switch') return typeof value === 'boolean';
  if (kind === 'list') return Array.isArray(value);
  return value === undefined || typeof value === (kind === 'number' ? 'number' : 'string');
};

/** Both parts are made from the record, so this holds; it is what the compiler cannot see. */
const fits = <Spec extends CommandSpec>(spec: Spec, values: unknown): values is Given<Spec> =>
  isRecord(values) &&
  Object.entries(spec.flags ?? {}).every(([name, flag]) => isOf(values[name], flag)) &&
  (spec.arguments ?? []).every(({ name }) => name in values);

/** Older name → the flag that it is now. */
const olderNames = (
  flags: Flags,
): ReadonlyMap<string, { name: string; now: string; isSwitch: boolean; means?: string }> =>
  new Map(
    Object.entries(flags).flatMap(([name, flag]) => {
      const { formerly } = flag;
      if (formerly === undefined) return [];
      if (typeof formerly === 'string') return [[formerly, { name, now: name, isSwitch: !takesValue(flag) }] as const];
      const { name: before, means } = formerly;
      return [[before, { name, now: `${name} ${means}`, isSwitch: true, means }] as const];
    }),
  );

/** Reads the words behind a command. Throws a `UsageError` that says what to write instead. */
export const parseArguments = <Spec extends CommandSpec>(
  spec: Spec,
  words: readonly string[],
): ParsedArguments<Spec> => {
  const flags = flagsOf(spec);
  const collected = new FlagValues(spec, flags);
  const older = olderNames(flags);
  const options = Object.fromEntries([
    ...Object.entries(flags).map(([name, flag]) => {
      const type = takesValue(flag) ? ('string' as const) : ('boolean' as const);
      return [name, flag.short === undefined ? { type } : { type, short: flag.short }] as const;
    }),
    ...[...older].map(([before, { isSwitch }]) => [before, { type: isSwitch ? 'boolean' : 'string' }] as const),
  ]);
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  const positionals: string[] = [];
  const renamed: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const former = older.get(token.name);
    if (former !== undefined) renamed.push(`${token.rawName} is now --${former.now}`);
    const { name = token.name, means } = { name: former?.name, means: former?.means };
    collected.add(name, token.rawName, means ?? token.value, token.inlineValue === true);
  }
  const { json, cwd, help } = collected.values;
  const global = { json: json === true, cwd: textOf(cwd), help: help === true, renamed };
  // A request for help need not get the rest right.
  const named = global.help
    ? Object.fromEntries((spec.arguments ?? []).map(({ name, rest }) => [name, rest ? [] : undefined]))
    : assignArguments(spec, positionals);
  const given: object = { ...collected.values, ...named };
  if (!fits(spec, given)) throw new TypeError(`unreachable: the values of ${spec.name} are made from its record`);
  return { given, global };
};
