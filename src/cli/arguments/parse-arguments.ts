/** Parses the words after a command into the values that its spec declares. */
import { parseArgs } from 'node:util';
import { formatSuggestion, isRecord, omitUndefined, textOf } from '../../kit/index.ts';
import { UsageError } from '../usage-error.ts';
import { type CommandSpec, type CommandValues, type FlagSpec, globalFlags } from './spec.ts';

type FlagSpecs = Readonly<Record<string, FlagSpec>>;

export interface GlobalFlagValues {
  readonly json: boolean;
  readonly cwd: string | undefined;
  readonly help: boolean;
  readonly renamed: readonly string[];
}

export const parseArguments = <Spec extends CommandSpec>(
  spec: Spec,
  words: readonly string[],
): { readonly given: CommandValues<Spec>; readonly global: GlobalFlagValues } => {
  const flags: FlagSpecs = { ...spec.flags, ...globalFlags };
  const accepted = mapAcceptedFlags(flags);
  const options = Object.fromEntries([...accepted].map(([name, { option }]) => [name, option]));
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true });
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(flags).map(([name, { kind }]) => [
      name,
      kind === 'switch' ? false : kind === 'list' ? [] : undefined,
    ]),
  );
  const positionals: string[] = [];
  const renamed: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const found = accepted.get(token.name);
    if (found === undefined) throw createUnknownFlagError(token.rawName, token.name, spec, flags);
    const { name, flag, now, means } = found;
    if (now !== undefined) renamed.push(`${token.rawName} is now --${now}`);
    const word = { name, rawName: token.rawName, value: means ?? token.value, isInline: token.inlineValue };
    values[name] = parseFlagValue(flag, word, values[name]);
  }
  const { json, cwd, help } = values;
  const global = { json: json === true, cwd: textOf(cwd), help: help === true, renamed };
  const named = global.help
    ? Object.fromEntries((spec.arguments ?? []).map(({ name, rest }) => [name, rest ? [] : undefined]))
    : parseArgumentValues(spec, positionals);
  const given: object = { ...values, ...named };
  if (!fitsSpec(spec, given)) throw new TypeError(`unreachable: the values of ${spec.name} are made from its spec`);
  return { given, global };
};

const takesValue = ({ kind }: FlagSpec): boolean => kind !== 'switch';

const formatHelpHint = (spec: CommandSpec): string => `hookwright ${spec.name} --help shows its arguments and flags`;

const createUnknownFlagError = (rawName: string, name: string, spec: CommandSpec, flags: FlagSpecs): UsageError => {
  const known = Object.keys(flags).map((flag) => `--${flag}`);
  return new UsageError(`${spec.name} has no flag ${rawName}${formatSuggestion(name, known)}`, formatHelpHint(spec));
};

interface AcceptedFlag {
  readonly name: string;
  readonly flag: FlagSpec;
  readonly option: { readonly type: 'boolean' | 'string'; readonly short?: string };
  /** For the former name of a flag: its new spelling, and the value that a former switch sets. */
  readonly now?: string;
  readonly means?: string;
}

const mapAcceptedFlags = (flags: FlagSpecs): ReadonlyMap<string, AcceptedFlag> =>
  new Map(
    Object.entries(flags).flatMap(([name, flag]): [string, AcceptedFlag][] => {
      const { short, formerly } = flag;
      const type = takesValue(flag) ? 'string' : 'boolean';
      const own: [string, AcceptedFlag] = [name, { name, flag, option: omitUndefined({ type, short }) }];
      if (formerly === undefined) return [own];
      if (typeof formerly === 'string') return [own, [formerly, { name, flag, option: { type }, now: name }]];
      const { name: before, means } = formerly;
      return [own, [before, { name, flag, option: { type: 'boolean' }, now: `${name} ${means}`, means }]];
    }),
  );

const checkChoice = (what: string, value: string, choices: readonly string[] | undefined): void => {
  if (choices === undefined || choices.includes(value)) return;
  throw new UsageError(
    `${what} must be one of ${choices.join(', ')}, found ${JSON.stringify(value)}${formatSuggestion(value, choices)}`,
  );
};

interface GivenFlag {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly isInline: boolean | undefined;
}

const parseFlagValue = (flag: FlagSpec, { name, rawName, value, isInline }: GivenFlag, before: unknown): unknown => {
  if (!takesValue(flag)) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value, found ${JSON.stringify(value)}`);
    return true;
  }
  const isVoid = flag.filled === true && /^[\s,]*$/.test(value ?? '');
  if (value === undefined || isVoid)
    throw new UsageError(`${rawName} needs a value: ${rawName} <${flag.value ?? 'value'}>`);
  if (isInline !== true && value.length > 1 && value.startsWith('-')) {
    const hint = `if that is the value, write --${name}=${value}`;
    throw new UsageError(`${rawName} needs a value, found the flag ${value}`, hint);
  }
  const members = flag.kind === 'list' ? value.split(',').map((member) => member.trim()) : [value];
  for (const member of members) checkChoice(rawName, member, flag.choices);
  if (flag.kind === 'list')
    return [...(Array.isArray(before) ? before : []), ...members.filter((member) => member !== '')];
  if (before !== undefined) throw new UsageError(`${rawName} was given twice`);
  if (flag.kind !== 'number') return value;
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new UsageError(`${rawName} must be a number from 0 on, found ${JSON.stringify(value)}`);
};

const parseArgumentValues = (spec: CommandSpec, words: readonly string[]): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  let next = 0;
  for (const { name, required, rest, choices } of spec.arguments ?? []) {
    const value = rest ? words.slice(next) : words[next];
    next += rest ? words.length : 1;
    if (required && (value === undefined || (rest && value.length === 0))) {
      const known = choices === undefined ? '' : `: one of ${choices.join(', ')}`;
      throw new UsageError(`${spec.name} needs <${name}>${known}`, formatHelpHint(spec));
    }
    if (typeof value === 'string') checkChoice(`<${name}>`, value, choices);
    values[name] = value;
  }
  const extra = words[next];
  if (extra !== undefined) {
    const hint = spec.flags?.tool === undefined ? formatHelpHint(spec) : `if that is a tool: --tool ${extra}`;
    throw new UsageError(`${spec.name} takes no argument ${JSON.stringify(extra)}`, hint);
  }
  return values;
};

const fitsKind = (value: unknown, { kind }: FlagSpec): boolean => {
  if (kind === 'switch') return typeof value === 'boolean';
  if (kind === 'list') return Array.isArray(value);
  return value === undefined || typeof value === (kind === 'number' ? 'number' : 'string');
};

/** The compiler cannot see that the values were made from the spec, so a type guard checks it. */
const fitsSpec = <Spec extends CommandSpec>(spec: Spec, values: unknown): values is CommandValues<Spec> =>
  isRecord(values) &&
  Object.entries(spec.flags ?? {}).every(([name, flag]) => fitsKind(values[name], flag)) &&
  (spec.arguments ?? []).every(({ name }) => name in values);
