// Reads the abilities that a repository declares in `.system/abilities`.
import { join, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import { createLineIndex, describeThrown, describeValue, isRecord, type LineAndColumn, once } from '../../kit/index.ts';
import { findHomeDirectory } from '../../kit/node.ts';
import { type ConfigProblem, ConfigSource, describeIssue, type NoticeCode, withOrigin } from '../../protocol/index.ts';
import type { HookRegistryDeps } from '../../registry/index.ts';
import { createTrustCheck } from '../../trust/index.ts';
import { fileNamesIn, textOf } from '../ability-files.ts';
import { readYaml } from '../declaration/read-yaml.ts';
import type { Ability, AbilityHandler } from './ability.ts';
import { launchOfAbility } from './ability-launch.ts';
import { AbilityRegistry, isAbilityId } from './ability-registry.ts';
import { type InputSchema, isInputSchema, schemaProblems } from './input-schema.ts';

export interface LoadAbilitiesOptions extends AbilityTrustOptions {}

export interface LoadedAbilities {
  /** The abilities to pass to a `ToolRunner` or an `AgentRuntime`. Abilities from code can be added to it. */
  readonly registry: AbilityRegistry;
  readonly problems: readonly ConfigProblem[];
}

const PLACE = ['.system', 'abilities'] as const;
const MAX_FILES = 500;

const problem = (code: NoticeCode, file: string, message: string, path = '', place?: LineAndColumn): ConfigProblem => ({
  code,
  severity: 'error',
  skipped: true,
  source: ConfigSource.Project,
  file,
  path,
  message: `${file}${place === undefined ? '' : `:${place.line}:${place.column}`} ${message}`,
  ...place,
});

type Read = { readonly ability?: Ability; readonly problems: readonly ConfigProblem[] };

const nothing: Read = { problems: [] };

const inFile = (file: string, text: string, offsets: ReadonlyMap<string, number>) => {
  const positionAt = createLineIndex(text);
  return ({ path, message }: AbilityProblem): ConfigProblem => {
    const key = path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
    const offset = offsets.get(`${key}@key`) ?? offsets.get(key) ?? 0;
    return problem('invalid-value', file, path === '' ? message : `${path}: ${message}`, path, positionAt(offset));
  };
};

const readText = (file: string, text: string): Read => {
  const { value, offsets, problems } = readYaml(text);
  if (problems.length > 0) {
    return {
      problems: problems.map(({ offset, message }) =>
        problem('syntax-error', file, message, '', createLineIndex(text)(offset)),
      ),
    };
  }
  const read = readAbility(value);
  if (!read.ok) return { problems: read.problems.map(inFile(file, text, offsets)) };
  return read.enabled ? { ability: { ...read.ability, file }, problems: [] } : nothing;
};

const readFile = async (root: string, file: string): Promise<Read> => {
  try {
    const text = textOf(file);
    return text === undefined ? nothing : readText(relative(root, file), text);
  } catch (error) {
    return { problems: [problem('unreadable-file', relative(root, file), `cannot be read: ${describeThrown(error)}`)] };
  }
};

const add = (registry: AbilityRegistry, ability: Ability): ConfigProblem[] => {
  try {
    registry.add(ability);
    return [];
  } catch (error) {
    return [problem('duplicate-name', ability.file ?? '', describeThrown(error), 'id')];
  }
};

/**
 * Reads the abilities of a repository: each YAML file in `.system/abilities` declares one. Files with mistakes are
 * dropped and reported. Never rejects.
 */
export const loadAbilities = async (root: string, options: LoadAbilitiesOptions = {}): Promise<LoadedAbilities> => {
  const registry = new AbilityRegistry();
  const directory = join(resolve(root), ...PLACE);
  const problems: ConfigProblem[] = [];
  const troubles = new Set<string>();
  const isTrusted = deciderFor(resolve(root), options, (message) => troubles.add(message));
  const names = (await namesOf(directory, problems)).filter((name) => /\.ya?ml$/.test(name));
  if (names.length > MAX_FILES) {
    problems.push(
      problem('limit-reached', join(...PLACE), `holds ${names.length} files; the first ${MAX_FILES} are read`),
    );
  }
  for (const name of names.slice(0, MAX_FILES)) {
    const read = await readFile(resolve(root), join(directory, name));
    problems.push(...read.problems);
    if (read.ability === undefined) continue;
    const trusted = await isTrusted(read.ability, read.ability.file ?? '');
    problems.push(...add(registry, { ...read.ability, trusted }));
  }
  for (const message of troubles) problems.push(problem('unreadable-file', join(...PLACE), message));
  return { registry, problems };
};

const namesOf = async (directory: string, problems: ConfigProblem[]): Promise<string[]> => {
  try {
    return await fileNamesIn(directory);
  } catch (error) {
    problems.push(problem('unreadable-file', directory, `cannot be read: ${describeThrown(error)}`));
    return [];
  }
};

const text = () => z.string().check(z.minLength(1));

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const timeout = () => z.optional(z.number().check(z.positive()));

/** Abilities with functions exist only in code. */
const declarationSchema = once(() =>
  z.strictObject({
    id: z.custom<string>(isAbilityId, 'expected letters, digits, "_", "." and "-", at most 128'),
    summary: z.optional(z.string()),
    enabled: z.optional(z.boolean()),
    operations: z.optional(z.array(text())),
    environments: z.optional(z.array(text())),
    requires: z.optional(z.strictObject({ env: z.optional(z.array(text())), files: z.optional(z.array(text())) })),
    // schemaProblems reports mistakes inside, with their positions.
    input: z.optional(z.custom<InputSchema>(isInputSchema)),
    handler: z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('script'),
        command: text(),
        args: z.optional(z.array(z.string())),
        timeout_ms: timeout(),
      }),
      z.strictObject({
        kind: z.literal('http'),
        url: z.custom<string>(isHttpUrl, 'expected a URL that begins with http:// or https://'),
        headers: z.optional(z.record(z.string(), z.string())),
        timeout_ms: timeout(),
      }),
    ]),
  }),
);

type Declaration = z.infer<ReturnType<typeof declarationSchema>>;

interface AbilityProblem {
  /** Such as `handler.url`. */
  readonly path: string;
  readonly message: string;
}

type ReadAbility =
  | { readonly ok: true; readonly ability: Ability; readonly enabled: boolean }
  | { readonly ok: false; readonly problems: readonly AbilityProblem[] };

const handlerOf = ({ handler }: Declaration): AbilityHandler => {
  const { timeout_ms: _timeout, ...rest } = handler;
  return rest;
};

const abilityOf = (declaration: Declaration): Ability => {
  const { enabled: _enabled, handler, ...rest } = declaration;
  return { ...rest, timeoutMs: handler.timeout_ms, handler: handlerOf(declaration) };
};

const knownKeys: Readonly<Record<string, readonly string[]>> = {
  '': ['id', 'summary', 'enabled', 'operations', 'environments', 'requires', 'input', 'handler'],
  requires: ['env', 'files'],
  handler: ['kind', 'command', 'args', 'url', 'headers', 'timeout_ms'],
};

const knownAt = (path: readonly PropertyKey[]): readonly string[] => knownKeys[path.map(String).join('.')] ?? [];

const expectations: Readonly<Record<string, string>> = {
  handler: 'expected an object with kind script and a command, or kind http and a url',
  'handler.kind': 'expected script or http',
};

/** Reads a declaration. Any mistake makes the ability unusable. */
const readAbility = (value: unknown): ReadAbility => {
  if (!isRecord(value)) {
    return { ok: false, problems: [{ path: '', message: `expected an ability, got ${describeValue(value)}` }] };
  }
  const read = declarationSchema().safeParse(value);
  if (read.success) return { ok: true, ability: abilityOf(read.data), enabled: read.data.enabled ?? true };
  const inside = value.input === undefined ? [] : schemaProblems(value.input, ['input']);
  const problems = read.error.issues
    .filter(({ path }) => path[0] !== 'input' || inside.length === 0)
    .flatMap((issue) => describeIssue(issue, value, { knownAt, expectations }))
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return {
    ok: false,
    problems: [...problems, ...inside.map(({ path, message }) => ({ path: path.join('.'), message }))],
  };
};

interface AbilityTrustOptions {
  /**
   * Trusts all abilities, or none. Without it and without `trustCheck`, the abilities are trusted that the user
   * approved.
   */
  readonly trustedFolder?: boolean | undefined;
  /** Called for every ability with the same question as for hooks; its answer overrides `trustedFolder`. */
  readonly trustCheck?: HookRegistryDeps['trustCheck'];
  /** The home directory with the approvals; the user's by default. */
  readonly home?: string | undefined;
}

type Decide = (ability: Ability, file: string) => Promise<boolean>;

/** An approval covers everything that an AI reads about an ability and everything that limits its use. */
const termsOf = ({ summary, operations, environments, requires, input }: Ability): string =>
  JSON.stringify({ summary, operations, environments, requires, input });

const checkWith =
  (check: NonNullable<HookRegistryDeps['trustCheck']>, onTrouble: (message: string) => void): Decide =>
  async (ability, file) => {
    const { id } = ability;
    const source = ConfigSource.Project;
    const config = withOrigin(launchOfAbility(ability), { source, position: { file, line: 1, column: 1 } });
    const question = { hookId: `ability:${id}`, name: id, eventName: 'Ability', sequential: false, config };
    try {
      const verdict = await check({ ...question, source: { kind: source, file, line: 1 }, matcher: termsOf(ability) });
      return verdict === true || verdict === 'trusted';
    } catch (error) {
      onTrouble(`the trust check failed for ability "${id}", which stays untrusted: ${describeThrown(error)}`);
      return false;
    }
  };

const deciderFor = (
  root: string,
  { trustedFolder, trustCheck, home = findHomeDirectory() }: AbilityTrustOptions,
  onTrouble: (message: string) => void,
): Decide => {
  const decide =
    trustCheck !== undefined
      ? checkWith(trustCheck, onTrouble)
      : trustedFolder === undefined
        ? checkWith(createTrustCheck({ home, projectDir: root, onTrouble }), onTrouble)
        : async () => trustedFolder === true;
  return (ability, file) => decide(ability, join(root, file));
};
