// Reads the abilities that a repository declares in `.system/abilities`.
import { join, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import { createLineIndex, describeThrown, describeValue, isRecord, type LineAndColumn, once } from '../../kit/index.ts';
import { findHomeDirectory } from '../../kit/node.ts';
import { type ConfigProblem, ConfigSource, describeIssue, type NoticeCode, withOrigin } from '../../protocol/index.ts';
import type { HookRegistryDeps } from '../../registry/index.ts';
import { createTrustCheck } from '../../trust/index.ts';
import { readFileNames, readTextFile } from '../ability-files.ts';
import type { YamlProblem } from '../declaration/plain-value.ts';
import { readYaml } from '../declaration/read-yaml.ts';
import type { Ability } from './ability.ts';
import { getLaunchConfig } from './ability-launch.ts';
import { AbilityRegistry, isAbilityId } from './ability-registry.ts';
import { findSchemaProblems, type InputSchema, isInputSchema } from './input-schema.ts';

export interface LoadAbilitiesOptions {
  /** Trusts all abilities, or none. By default `trustCheck` decides, or else the user's approvals. */
  readonly trustedFolder?: boolean | undefined;
  /** Called for every ability with the same question as for hooks; its answer overrides `trustedFolder`. */
  readonly trustCheck?: HookRegistryDeps['trustCheck'];
  /** The user's home directory by default; the approvals are there. */
  readonly home?: string | undefined;
}

export interface LoadedAbilities {
  /** For a `ToolRunner` or an `AgentRuntime`; abilities from code can be added. */
  readonly registry: AbilityRegistry;
  readonly problems: readonly ConfigProblem[];
}

const ABILITIES_FOLDER = join('.system', 'abilities');
const MAX_ABILITY_FILES = 500;

const createProblem = (
  code: NoticeCode,
  file: string,
  message: string,
  path = '',
  place?: LineAndColumn,
): ConfigProblem => ({
  code,
  severity: 'error',
  skipped: true,
  source: ConfigSource.Project,
  file,
  path,
  message: `${file}${place === undefined ? '' : `:${place.line}:${place.column}`} ${message}`,
  ...place,
});

type ReadAbilityFile = { readonly ability?: Ability; readonly problems: readonly ConfigProblem[] };

const NO_ABILITY: ReadAbilityFile = { problems: [] };

const readAbilityText = (file: string, text: string): ReadAbilityFile => {
  const { value, offsets, problems: found } = readYaml(text);
  const positionAt = createLineIndex(text);
  if (found.length > 0) {
    const locate = ({ offset, message }: YamlProblem) =>
      createProblem('syntax-error', file, message, '', positionAt(offset));
    return { problems: found.map(locate) };
  }
  const read = readAbility(value);
  if (read.ok) return read.enabled ? { ability: { ...read.ability, file }, problems: [] } : NO_ABILITY;
  const problems = read.problems.map(({ path, message }) => {
    const key = path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
    const position = positionAt(offsets.get(`${key}@key`) ?? offsets.get(key) ?? 0);
    return createProblem('invalid-value', file, path === '' ? message : `${path}: ${message}`, path, position);
  });
  return { problems };
};

const readAbilityFile = async (root: string, file: string): Promise<ReadAbilityFile> => {
  try {
    const text = readTextFile(file);
    return text === undefined ? NO_ABILITY : readAbilityText(relative(root, file), text);
  } catch (error) {
    return {
      problems: [createProblem('unreadable-file', relative(root, file), `cannot be read: ${describeThrown(error)}`)],
    };
  }
};

const addAbility = (registry: AbilityRegistry, ability: Ability): ConfigProblem[] => {
  try {
    registry.add(ability);
    return [];
  } catch (error) {
    return [createProblem('duplicate-name', ability.file ?? '', describeThrown(error), 'id')];
  }
};

/**
 * Reads the abilities of a repository, one per YAML file in `.system/abilities`. Files with mistakes are dropped and
 * reported. Never rejects.
 */
export const loadAbilities = async (root: string, options: LoadAbilitiesOptions = {}): Promise<LoadedAbilities> => {
  const registry = new AbilityRegistry();
  const directory = join(resolve(root), ABILITIES_FOLDER);
  const problems: ConfigProblem[] = [];
  const troubles = new Set<string>();
  const isTrusted = createTrustDecision(resolve(root), options, (message) => troubles.add(message));
  const names = (await readNamesOrReport(directory, problems)).filter((name) => /\.ya?ml$/.test(name));
  if (names.length > MAX_ABILITY_FILES) {
    const message = `holds ${names.length} files; the first ${MAX_ABILITY_FILES} are read`;
    problems.push(createProblem('limit-reached', ABILITIES_FOLDER, message));
  }
  for (const name of names.slice(0, MAX_ABILITY_FILES)) {
    const read = await readAbilityFile(resolve(root), join(directory, name));
    problems.push(...read.problems);
    if (read.ability === undefined) continue;
    problems.push(...addAbility(registry, { ...read.ability, trusted: await isTrusted(read.ability) }));
  }
  for (const message of troubles) problems.push(createProblem('unreadable-file', ABILITIES_FOLDER, message));
  return { registry, problems };
};

const readNamesOrReport = async (directory: string, problems: ConfigProblem[]): Promise<string[]> => {
  try {
    return await readFileNames(directory);
  } catch (error) {
    problems.push(createProblem('unreadable-file', directory, `cannot be read: ${describeThrown(error)}`));
    return [];
  }
};

const createTextSchema = () => z.string().check(z.minLength(1));

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const createTimeoutSchema = () => z.optional(z.number().check(z.positive()));

const declarationSchema = once(() =>
  z.strictObject({
    id: z.custom<string>(isAbilityId, 'expected letters, digits, "_", "." and "-", at most 128'),
    summary: z.optional(z.string()),
    enabled: z.optional(z.boolean()),
    operations: z.optional(z.array(createTextSchema())),
    environments: z.optional(z.array(createTextSchema())),
    requires: z.optional(
      z.strictObject({ env: z.optional(z.array(createTextSchema())), files: z.optional(z.array(createTextSchema())) }),
    ),
    input: z.optional(z.custom<InputSchema>(isInputSchema)),
    handler: z.discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('script'),
        command: createTextSchema(),
        args: z.optional(z.array(z.string())),
        timeout_ms: createTimeoutSchema(),
      }),
      z.strictObject({
        kind: z.literal('http'),
        url: z.custom<string>(isHttpUrl, 'expected a URL that begins with http:// or https://'),
        headers: z.optional(z.record(z.string(), z.string())),
        timeout_ms: createTimeoutSchema(),
      }),
    ]),
  }),
);

type Declaration = z.infer<ReturnType<typeof declarationSchema>>;

interface AbilityProblem {
  readonly path: string;
  readonly message: string;
}

type ReadAbility =
  | { readonly ok: true; readonly ability: Ability; readonly enabled: boolean }
  | { readonly ok: false; readonly problems: readonly AbilityProblem[] };

const toAbility = ({ enabled: _enabled, handler: { timeout_ms, ...handler }, ...rest }: Declaration): Ability => ({
  ...rest,
  timeoutMs: timeout_ms,
  handler,
});

const knownKeysByPath: Readonly<Record<string, readonly string[]>> = {
  '': ['id', 'summary', 'enabled', 'operations', 'environments', 'requires', 'input', 'handler'],
  requires: ['env', 'files'],
  handler: ['kind', 'command', 'args', 'url', 'headers', 'timeout_ms'],
};

const listKnownKeys = (path: readonly PropertyKey[]): readonly string[] =>
  knownKeysByPath[path.map(String).join('.')] ?? [];

const expectedValueByField: Readonly<Record<string, string>> = {
  handler: 'expected an object with kind script and a command, or kind http and a url',
  'handler.kind': 'expected script or http',
};

const readAbility = (value: unknown): ReadAbility => {
  if (!isRecord(value)) {
    return { ok: false, problems: [{ path: '', message: `expected an ability, got ${describeValue(value)}` }] };
  }
  const read = declarationSchema().safeParse(value);
  if (read.success) return { ok: true, ability: toAbility(read.data), enabled: read.data.enabled ?? true };
  const inside = value.input === undefined ? [] : findSchemaProblems(value.input, ['input']);
  const problems = read.error.issues
    .filter(({ path }) => path[0] !== 'input' || inside.length === 0)
    .flatMap((issue) => describeIssue(issue, value, { knownAt: listKnownKeys, expectations: expectedValueByField }))
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return {
    ok: false,
    problems: [...problems, ...inside.map(({ path, message }) => ({ path: path.join('.'), message }))],
  };
};

/** An approval covers everything that an AI reads about an ability and everything that limits its use. */
const serializeTerms = ({ summary, operations, environments, requires, input }: Ability): string =>
  JSON.stringify({ summary, operations, environments, requires, input });

const createTrustDecision = (
  root: string,
  { trustedFolder, trustCheck, home = findHomeDirectory() }: LoadAbilitiesOptions,
  onTrouble: (message: string) => void,
): ((ability: Ability) => Promise<boolean>) => {
  const isUndecided = trustCheck === undefined && trustedFolder === undefined;
  const check = isUndecided ? createTrustCheck({ home, projectDir: root, onTrouble }) : trustCheck;
  if (check === undefined) return async () => trustedFolder === true;
  return async (ability) => {
    const { id } = ability;
    const file = join(root, ability.file ?? '');
    const source = ConfigSource.Project;
    const config = withOrigin(getLaunchConfig(ability), { source, position: { file, line: 1, column: 1 } });
    const question = { hookId: `ability:${id}`, name: id, eventName: 'Ability', sequential: false, config };
    try {
      const verdict = await check({
        ...question,
        source: { kind: source, file, line: 1 },
        matcher: serializeTerms(ability),
      });
      return verdict === true || verdict === 'trusted';
    } catch (error) {
      onTrouble(`the trust check failed for ability "${id}", which stays untrusted: ${describeThrown(error)}`);
      return false;
    }
  };
};
