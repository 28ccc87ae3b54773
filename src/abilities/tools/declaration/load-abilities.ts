import { join, relative, resolve } from 'node:path';
import { describeThrown } from '../../../kit/index.ts';
import { type ConfigProblem, ConfigSource, type NoticeCode } from '../../../protocol/index.ts';
import { readYaml } from '../../declaration/read-yaml.ts';
import { namesIn, textOf } from '../../files.ts';
import type { Ability } from '../ability.ts';
import { AbilityRegistry } from '../ability-registry.ts';
import { type AbilityProblem, readAbility } from './read-ability.ts';
import { type AbilityTrustOptions, deciderFor } from './trust-abilities.ts';

export interface LoadAbilitiesOptions extends AbilityTrustOptions {}

export interface LoadedAbilities {
  /** To be given to a `ToolRunner` or an `AgentRuntime`; abilities from code can be added. */
  readonly registry: AbilityRegistry;
  readonly problems: readonly ConfigProblem[];
}

const PLACE = ['.system', 'abilities'] as const;
const MAX_FILES = 500;

interface Position {
  readonly line: number;
  readonly column: number;
}

const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

const problem = (code: NoticeCode, file: string, message: string, path = '', place?: Position): ConfigProblem => ({
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
  return ({ path, message }: AbilityProblem): ConfigProblem => {
    const key = path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');
    const offset = offsets.get(`${key}@key`) ?? offsets.get(key) ?? 0;
    return problem(
      'invalid-value',
      file,
      path === '' ? message : `${path}: ${message}`,
      path,
      positionAt(text, offset),
    );
  };
};

const readText = (file: string, text: string): Read => {
  const { value, offsets, problems } = readYaml(text);
  if (problems.length > 0) {
    return {
      problems: problems.map(({ offset, message }) =>
        problem('syntax-error', file, message, '', positionAt(text, offset)),
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
 * Reads the abilities of a repository: each YAML file in its `.system/abilities` declares one. Files with mistakes are left
 * out one by one and told about; it never rejects.
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
    return await namesIn(directory);
  } catch (error) {
    problems.push(problem('unreadable-file', directory, `cannot be read: ${describeThrown(error)}`));
    return [];
  }
};
