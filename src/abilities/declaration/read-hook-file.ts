// Reads a declaration file of an ability hook and reports its mistakes.
import { abilityCatalogue, abilityEventTypes, isAbilityEventType, mayHooksRefuse } from '../../events/index.ts';
import {
  appendToPath,
  createLineIndex,
  formatPath,
  formatSuggestion,
  isRecord,
  omitUndefined,
  readAtPath,
  shorten,
  textOf,
} from '../../kit/index.ts';
import { toPathWithin } from '../../kit/node.ts';
import { explainNoMatch, explainUnusedGlob, findIgnoredKeys } from '../../planner/index.ts';
import {
  type AbilityDeclaration,
  type AbilityHook,
  abilityHookSchema,
  type ConfigProblem,
  ConfigSource,
} from '../../protocol/index.ts';
import { readFileSafely } from '../../settings/index.ts';
import { isGuard, toAbilityHook } from './declared-hook.ts';
import type { ReadYaml, YamlProblem } from './plain-value.ts';
import {
  createDeclarationWarning,
  createMismatchProblem,
  createUnknownKeyProblem,
  type DeclarationProblem,
  listKeysAt,
} from './problems.ts';
import { readYaml } from './read-yaml.ts';
import { type ReadableParts, readParts, readPartsOfText } from './readable-parts.ts';

export interface AbilityHookFile {
  readonly file: string;
  readonly realPath: string;
  readonly hook?: AbilityHook;
  readonly id?: string;
  readonly eventType?: string;
  readonly remains?: ReadableParts;
  readonly problems: readonly ConfigProblem[];
}

const toConfigProblem = (
  file: string,
  { skipped, isError = skipped, ...finding }: DeclarationProblem,
  place: { readonly line: number; readonly column: number },
): ConfigProblem => ({
  severity: isError ? 'error' : 'warning',
  skipped,
  source: ConfigSource.Project,
  file,
  ...place,
  ...finding,
});

const FILE_START_POSITION = { line: 1, column: 1 };

const createUnusableFile = (
  file: string,
  realPath: string,
  problems: readonly ConfigProblem[],
  remains: ReadableParts = {},
): AbilityHookFile => ({ file, realPath, problems, remains });

const findIneffectiveParts = ({ eventType, match }: AbilityHook): DeclarationProblem[] => {
  if (!isAbilityEventType(eventType)) {
    const near = formatSuggestion(eventType, abilityEventTypes);
    const expected = `one of ${abilityEventTypes.join(', ')}`;
    const message = `"${eventType}" is not an ability event${near}; the hook does not run`;
    const hint = near === '' ? `use ${expected}` : near.slice(2);
    return [
      { code: 'unknown-event', skipped: true, path: 'event_type', message, expected, found: `"${eventType}"`, hint },
    ];
  }
  const ignored = findIgnoredKeys(match, abilityCatalogue[eventType].match);
  return ignored.map((key) =>
    createDeclarationWarning(`match.${key}`, `${eventType} has nothing to compare match.${key} with; it has no effect`),
  );
};

const findIneffectiveRefusals = ({
  blocking,
  event_type: event,
  on_fault,
}: AbilityDeclaration): DeclarationProblem[] => {
  if (blocking || !mayHooksRefuse(event)) return [];
  const message = isGuard({ event_type: event, on_fault })
    ? 'a hook with on_fault: fail is waited for, so blocking: false does not count; write blocking: true'
    : `nothing waits for a hook with blocking: false, so no refusal of ${event} counts; write blocking: true, or use PostAbilityCall`;
  return [{ ...createDeclarationWarning('blocking', message), isError: true }];
};

const findUnusableGlobs = ({ match }: AbilityHook): DeclarationProblem[] => {
  const lists = [
    ['ability_scope', 'ids', match.abilityScope],
    ['only_if_changed_paths', 'paths', match.onlyIfChangedPaths],
  ] as const;
  return lists.flatMap(([key, kind, globs = []]) =>
    globs.flatMap((glob) => {
      const warn = (message: string) => [createDeclarationWarning(`match.${key}`, message)];
      const why = explainUnusedGlob(glob);
      if (why !== undefined) return warn(`a glob of match.${key} ${why}; it is never compared`);
      const never = explainNoMatch(glob, kind);
      if (never === undefined) return [];
      return warn(`the glob "${shorten(glob, 100)}" of match.${key} can never match: it ${never}`);
    }),
  );
};

const createSyntaxProblem = (message: string, hint: string | undefined): DeclarationProblem => {
  const problem = { code: 'syntax-error', skipped: true, path: '' } as const;
  return hint === undefined ? { ...problem, message } : { ...problem, message: `${message}; ${hint}`, hint };
};

const createMisdescriptionProblem = ({ message }: YamlProblem): DeclarationProblem => ({
  code: 'syntax-error',
  skipped: false,
  path: '',
  message: `${message}; this part only describes the hook, so the hook still runs`,
});

export const readHookText = (text: string, file: string, realPath: string): AbilityHookFile => {
  const { value, offsets, problems: found, misdescription } = readDeclarationText(text);
  const positionAt = createLineIndex(text);
  if (found.length > 0) {
    const problems = found.map(({ offset, message, hint }) =>
      toConfigProblem(file, createSyntaxProblem(message, hint), positionAt(offset)),
    );
    return createUnusableFile(file, realPath, problems, readPartsOfText(text));
  }
  const positionOf = (path: string) => {
    for (let at = path; at !== ''; at = at.replace(/(?:^|\.)[^.[\]]*$|\[\d+\]$/, '')) {
      const offset = offsets.get(`${at}@key`) ?? offsets.get(at);
      if (offset !== undefined) return positionAt(offset);
    }
    return FILE_START_POSITION;
  };
  const locate = (problem: DeclarationProblem): ConfigProblem =>
    toConfigProblem(file, problem, positionOf(problem.path));
  const descriptionProblems =
    misdescription === undefined
      ? []
      : [toConfigProblem(file, createMisdescriptionProblem(misdescription), positionAt(misdescription.offset))];
  const { declaration, problems: wrong } = readDeclaration(value);
  const problems = [...descriptionProblems, ...wrong.map(locate)];
  const known = isRecord(value) ? omitUndefined({ id: textOf(value.id), eventType: textOf(value.event_type) }) : {};
  if (declaration === undefined) return { ...known, ...createUnusableFile(file, realPath, problems, readParts(value)) };
  const hook = toAbilityHook(declaration, file, positionOf('id').line);
  const ineffective = [
    ...findIneffectiveParts(hook),
    ...findIneffectiveRefusals(declaration),
    ...findUnusableGlobs(hook),
  ];
  return { ...known, file, realPath, hook, problems: [...problems, ...ineffective.map(locate)] };
};

/** A link can lead out of the repository, and a message about a syntax error would quote the file there. */
const hideForeignContent = (read: AbilityHookFile, realRoot: string): AbilityHookFile => {
  const { file, realPath, hook } = read;
  if (hook !== undefined || toPathWithin(realRoot, realPath) !== undefined) return read;
  const message = `leads to ${realPath}, which is outside the repository and not a declaration`;
  return { ...read, problems: createUnreadableFile(file, message).problems };
};

export const readHookFile = (file: string, realRoot: string): AbilityHookFile => {
  const content = readFileSafely(file);
  if (content.kind === 'text') return hideForeignContent(readHookText(content.text, file, content.realPath), realRoot);
  return createUnreadableFile(file, content.kind === 'missing' ? 'was removed while it was read' : content.message);
};

const createUnreadableFile = (file: string, message: string): AbilityHookFile =>
  createUnusableFile(file, file, [
    toConfigProblem(
      file,
      { code: 'unreadable-file', skipped: true, path: '', message: `the file ${message}` },
      FILE_START_POSITION,
    ),
  ]);

const KEBAB_CASE_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const toKebabCase = (id: string): string =>
  id
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');

/** Accepts `onFault`, the spelling in settings files. */
const withOnFaultKey = (value: Record<string, unknown>): Record<string, unknown> => {
  const { onFault, ...rest } = value;
  return onFault === undefined || 'on_fault' in rest ? value : { ...rest, on_fault: onFault };
};

const pickKnownParts = (
  value: Record<string, unknown>,
  path: string,
  problems: DeclarationProblem[],
): Record<string, unknown> => {
  const known = listKeysAt(path);
  const parts: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (!known.includes(key)) {
      problems.push(createUnknownKeyProblem(path, key));
      continue;
    }
    const inner = appendToPath(path, key);
    parts[key] = isRecord(member) && listKeysAt(inner).length > 0 ? pickKnownParts(member, inner, problems) : member;
  }
  return parts;
};

/** Only people read these values, so a mistake in them does not affect the hook. */
const descriptiveKeys = ['summary', 'effects'] as const;

const removeMisdescriptions = (
  known: Record<string, unknown>,
  problems: DeclarationProblem[],
): Record<string, unknown> => {
  const { shape } = abilityHookSchema();
  const wrong = descriptiveKeys.filter((key) => !shape[key].safeParse(known[key]).success);
  for (const key of wrong) {
    const { message, ...rest } = createMismatchProblem(key, known[key]);
    problems.push({ ...rest, skipped: false, message: `${message}; the hook still runs` });
  }
  return Object.fromEntries(Object.entries(known).filter(([key]) => !wrong.some((one) => one === key)));
};

const readDeclaration = (
  value: unknown,
): { readonly declaration?: AbilityDeclaration; readonly problems: readonly DeclarationProblem[] } => {
  if (!isRecord(value)) return { problems: [createMismatchProblem('', value)] };
  const problems: DeclarationProblem[] = [];
  const known = removeMisdescriptions(pickKnownParts(withOnFaultKey(value), '', problems), problems);
  const read = abilityHookSchema().safeParse(known);
  if (!read.success) {
    const mismatches = read.error.issues.map(({ path }) =>
      createMismatchProblem(formatPath(path), readAtPath(known, path)),
    );
    return { problems: [...problems, ...mismatches] };
  }
  const { data } = read;
  if (!KEBAB_CASE_PATTERN.test(data.id)) {
    problems.push(
      createDeclarationWarning('id', `the id "${data.id}" works; in kebab-case it would be ${toKebabCase(data.id)}`),
    );
  }
  return { declaration: data, problems };
};

const DESCRIPTIVE_KEY_PATTERN = /^(?:summary|effects)[ \t]*:/;
const CONTINUATION_LINE_PATTERN = /^(?:[ \t]|$|-(?:[ \t]|$))/;

const blankDescriptions = (text: string): string => {
  let isDescription = false;
  return text
    .split(/(?<=\n)/)
    .map((line) => {
      isDescription =
        DESCRIPTIVE_KEY_PATTERN.test(line) || (isDescription && CONTINUATION_LINE_PATTERN.test(line.trimEnd()));
      return isDescription ? line.replace(/[^\r\n]/g, ' ') : line;
    })
    .join('');
};

/** A syntax error in `summary` or `effects` alone does not invalidate the declaration. */
const readDeclarationText = (text: string): ReadYaml & { readonly misdescription?: YamlProblem } => {
  const whole = readYaml(text);
  const [misdescription] = whole.problems;
  if (misdescription === undefined) return whole;
  const blanked = blankDescriptions(text);
  const rest = blanked === text ? whole : readYaml(blanked);
  return rest.problems.length > 0 ? whole : { ...rest, misdescription };
};
