// The option `agents`: the wanted agents, their versions and modes, and the host's names of tools.
import { createInvalidArgument } from '../errors.ts';
import { describeValue, isRecord } from '../kit/index.ts';
import { dialectNamed, explainUnknownAgent } from './agent-table.ts';
import { isAtLeast } from './agent-version.ts';
import { createWarning } from './reading/entry.ts';
import type { DialectProblem } from './reading/read-file.ts';
import type { AgentRules, DialectMode, DialectsOption, ToolsOption } from './rules.ts';
import { createVocabulary, toolKinds, type Vocabulary } from './tools/vocabulary.ts';

export interface WantedAgent {
  readonly dialect: AgentRules;
  readonly version: string;
  /** The configured version, if its rules are not known. */
  readonly unknown?: string | undefined;
  readonly mode: DialectMode;
}

type AgentOption =
  | { readonly wish: DialectsOption[string]; readonly wanted: WantedAgent | undefined }
  | { readonly code: 'unknown-name' | 'invalid-value'; readonly mistake: string };

export const readAgentOption = (name: string, wish: unknown, key = 'agents'): AgentOption => {
  const dialect = dialectNamed(name);
  const wrong = (mistake: string): AgentOption => ({ code: 'invalid-value', mistake });
  if (dialect === undefined) return { code: 'unknown-name', mistake: `${key}: ${explainUnknownAgent(name)}` };
  if (wish === false || wish === undefined) return { wish: false, wanted: undefined };
  if (wish !== true && !isRecord(wish))
    return wrong(`${key}.${name} must be true, false or {version?, mode?}; got ${describeValue(wish)}`);
  const { latest, oldest } = dialect;
  const { version = latest, mode = 'strict' } = wish === true ? {} : wish;
  if (typeof version !== 'string' || !/^\d+(?:\.\d+)*$/.test(version))
    return wrong(`${key}.${name}.version must be a text such as "${latest}"; got ${describeValue(version)}`);
  if (mode !== 'strict' && mode !== 'faithful')
    return wrong(`${key}.${name}.mode must be "strict" or "faithful"; got ${describeValue(mode)}`);
  const isOld = !isAtLeast(version, oldest);
  const unknown = isOld || !isAtLeast(latest, version) ? version : undefined;
  return { wish: { version, mode }, wanted: { dialect, version: isOld ? oldest : version, mode, unknown } };
};

export const readAgentsOption = (option: unknown): WantedAgent[] => {
  if (!isRecord(option))
    throw createInvalidArgument(`agents must be an object from names to true or options; got ${describeValue(option)}`);
  return Object.entries(option).flatMap(([name, wish]) => {
    const read = readAgentOption(name, wish);
    if ('mistake' in read) throw createInvalidArgument(read.mistake);
    return read.wanted ?? [];
  });
};

export const findAgentsReadByOthers = (wanted: readonly WantedAgent[], option: DialectsOption): WantedAgent[] =>
  wanted.flatMap(({ dialect: { alsoReads = [] }, mode }) =>
    alsoReads.flatMap(({ files, as, except = [] }): WantedAgent[] => {
      const other = dialectNamed(as);
      if (other === undefined || option[as] !== undefined) return [];
      const dialect: AgentRules = {
        ...other,
        files: other.files.filter(({ path }) => typeof path === 'string' && files.includes(path)),
        events: (version) => ({
          ...other.events(version),
          ...Object.fromEntries(except.map((event) => [event, { blocks: false }])),
        }),
      };
      return [{ dialect, version: other.latest, mode }];
    }),
  );

export const reportUnknownVersion = ({
  dialect: { name, title, oldest, latest },
  unknown,
}: WantedAgent): DialectProblem[] => {
  if (unknown === undefined) return [];
  const at = { file: '', path: `agents.${name}.version` };
  if (isAtLeast(unknown, oldest))
    return [
      createWarning(at, describeNewerVersion(title, unknown, latest), 'update hookwright, or leave the version out'),
    ];
  const message = `rules of ${title} ${unknown} are not known any more; its hooks are read by those of ${oldest}, the oldest that are`;
  const fix = 'name the version that is installed, or leave it out';
  return [{ ...createWarning(at, message, fix), severity: 'error' }];
};

export const describeNewerVersion = (title: string, version: string, latest: string): string =>
  `rules of ${title} ${version} are not known yet; its hooks are read by those of ${latest}, the newest that are`;

export const readToolsOption = (option: ToolsOption | undefined): Vocabulary | undefined => {
  if (option === undefined) return undefined;
  if (typeof option === 'string') {
    const dialect = dialectNamed(option);
    if (dialect !== undefined) return dialect.tools;
    throw createInvalidArgument(`tools: ${explainUnknownAgent(option)}`);
  }
  const isKind = (entry: unknown): boolean => typeof entry === 'string' || isRecord(entry);
  if (!isRecord(option) || !Object.values(option).every(isKind)) {
    throw createInvalidArgument(
      `tools must be a record from names of tools to their kinds, such as {run_shell: "shell", deploy: "other"}, or the name of an agent; got ${describeValue(option)}`,
    );
  }
  const { vocabulary, unknown, unknownArgs } = createVocabulary(option);
  if (unknownArgs.length > 0) throw createInvalidArgument(`tools: ${unknownArgs.join('; ')}`);
  if (unknown.length === 0) return vocabulary;
  throw createInvalidArgument(
    `tools has kinds that do not exist: ${unknown.join(', ')}; known are ${Object.keys(toolKinds).join(', ')}, other`,
  );
};

/** Tool → kind. Returns `undefined` for an agent's vocabulary, which may be incomplete. */
export const mapToolKinds = (option: ToolsOption): ReadonlyMap<string, string | undefined> | undefined => {
  const { tools = [] } = readToolsOption(option) ?? {};
  if (typeof option === 'string' || Object.keys(option).length === 0) return undefined;
  return new Map(Object.keys(option).map((name) => [name, tools.find(({ names }) => names.includes(name))?.kind]));
};
