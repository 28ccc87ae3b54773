// Reads a declaration file of an ability hook and reports its mistakes.
import { abilityCatalogue, abilityEventTypes, isAbilityEventType, mayRefuse } from '../../events/index.ts';
import { createLineIndex, formatPath, formatSuggestion, isRecord, readAtPath, shorten } from '../../kit/index.ts';
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
import { declaredHook, isGuard } from './declared-hook.ts';
import type { ReadYaml, YamlProblem } from './plain-value.ts';
import { type DeclarationProblem, declarationWarning, keysAt, mismatchProblem, unknownKey } from './problems.ts';
import { readYaml } from './read-yaml.ts';
import { type ReadableParts, readablePartsOf, readablePartsOfText } from './readable-parts.ts';

export interface AbilityHookFile {
  readonly file: string;
  /** The path with all links resolved. */
  readonly realPath: string;
  /** Absent if the file cannot be used. */
  readonly hook?: AbilityHook;
  /** `id` and `eventType` are present if they could be read. */
  readonly id?: string;
  readonly eventType?: string;
  readonly remains?: ReadableParts;
  readonly problems: readonly ConfigProblem[];
}

const problemWith = (
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

const start = { line: 1, column: 1 };

const unusable = (
  file: string,
  realPath: string,
  problems: readonly ConfigProblem[],
  remains: ReadableParts = {},
): AbilityHookFile => ({ file, realPath, problems, remains });

const oddities = ({ eventType, match }: AbilityHook): DeclarationProblem[] => {
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
    declarationWarning(`match.${key}`, `${eventType} has nothing to compare match.${key} with; it has no effect`),
  );
};

/** The event does not wait for a non-blocking hook, so its refusals would have no effect. */
const unheardRefusals = ({ blocking, event_type: event, on_fault }: AbilityDeclaration): DeclarationProblem[] => {
  if (blocking || !mayRefuse(event)) return [];
  const message = isGuard({ event_type: event, on_fault })
    ? 'a hook with on_fault: fail is waited for, so blocking: false does not count; write blocking: true'
    : `nothing waits for a hook with blocking: false, so no refusal of ${event} counts; write blocking: true, or use PostAbilityCall`;
  return [{ ...declarationWarning('blocking', message), isError: true }];
};

const badGlobs = ({ match }: AbilityHook): DeclarationProblem[] => {
  const lists = [
    ['ability_scope', 'ids', match.abilityScope],
    ['only_if_changed_paths', 'paths', match.onlyIfChangedPaths],
  ] as const;
  return lists.flatMap(([key, kind, globs = []]) =>
    globs.flatMap((glob) => {
      const why = explainUnusedGlob(glob);
      if (why !== undefined)
        return [declarationWarning(`match.${key}`, `a glob of match.${key} ${why}; it is never compared`)];
      const never = explainNoMatch(glob, kind);
      const what = `the glob "${shorten(glob, 100)}" of match.${key}`;
      return never === undefined ? [] : [declarationWarning(`match.${key}`, `${what} can never match: it ${never}`)];
    }),
  );
};

const textIn = (value: unknown, key: string): string | undefined => {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};

const misdescribed = ({ message }: YamlProblem): DeclarationProblem => ({
  code: 'syntax-error',
  skipped: false,
  path: '',
  message: `${message}; this part only describes the hook, so the hook still runs`,
});

export const readHookText = (text: string, file: string, realPath: string): AbilityHookFile => {
  const { value, offsets, problems: found, misdescription } = readDeclarationText(text);
  const positionAt = createLineIndex(text);
  if (found.length > 0) {
    const problems = found.map(({ offset, message, hint }) => {
      const told = {
        code: 'syntax-error',
        skipped: true,
        path: '',
        message,
        ...(hint === undefined ? {} : { hint }),
      } as const;
      return problemWith(
        file,
        hint === undefined ? told : { ...told, message: `${message}; ${hint}` },
        positionAt(offset),
      );
    });
    return unusable(file, realPath, problems, readablePartsOfText(text));
  }
  const positionOf = (path: string) => {
    // A missing member is reported at its parent.
    for (let at = path; at !== ''; at = at.replace(/(?:^|\.)[^.[\]]*$|\[\d+\]$/, '')) {
      const offset = offsets.get(`${at}@key`) ?? offsets.get(at);
      if (offset !== undefined) return positionAt(offset);
    }
    return start;
  };
  const tell = (problem: DeclarationProblem): ConfigProblem => {
    const isText = misdescription !== undefined && problem.path === '' && !problem.skipped;
    return problemWith(file, problem, isText ? positionAt(misdescription.offset) : positionOf(problem.path));
  };
  const { declaration, problems: wrong } = readDeclaration(value);
  const problems = misdescription === undefined ? wrong : [misdescribed(misdescription), ...wrong];
  const id = textIn(value, 'id');
  const eventType = textIn(value, 'event_type');
  const known = { ...(id === undefined ? {} : { id }), ...(eventType === undefined ? {} : { eventType }) };
  if (declaration === undefined)
    return { ...known, ...unusable(file, realPath, problems.map(tell), readablePartsOf(value)) };
  const { line } = positionOf('id');
  const hook = declaredHook(declaration, file, line);
  return {
    ...known,
    file,
    realPath,
    hook,
    problems: [...problems, ...oddities(hook), ...unheardRefusals(declaration), ...badGlobs(hook)].map(tell),
  };
};

/** A link can lead to any file; messages about its syntax would quote that file. */
const unquoted = (read: AbilityHookFile, realRoot: string): AbilityHookFile => {
  const { file, realPath, hook } = read;
  if (hook !== undefined || toPathWithin(realRoot, realPath) !== undefined) return read;
  const message = `leads to ${realPath}, which is outside the repository and not a declaration`;
  return { ...read, problems: unreadable(file, message).problems };
};

/** Reads one declaration file. Never throws and never waits. */
export const readHookFile = (file: string, realRoot: string): AbilityHookFile => {
  const content = readFileSafely(file);
  if (content.kind === 'text') return unquoted(readHookText(content.text, file, content.realPath), realRoot);
  return unreadable(file, content.kind === 'missing' ? 'was removed while it was read' : content.message);
};

const unreadable = (file: string, message: string): AbilityHookFile =>
  unusable(file, file, [
    problemWith(file, { code: 'unreadable-file', skipped: true, path: '', message: `the file ${message}` }, start),
  ]);

interface ReadDeclaration {
  readonly declaration?: AbilityDeclaration;
  readonly problems: readonly DeclarationProblem[];
}

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const kebab = (id: string): string =>
  id
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');

/** Accepts the spelling of settings files, `onFault`. */
const withOneSpelling = ({ onFault, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  onFault === undefined || 'on_fault' in rest
    ? { ...rest, ...(onFault === undefined ? {} : { onFault }) }
    : { ...rest, on_fault: onFault };

/** Drops unknown keys, which are reported but do not invalidate the declaration. */
const knownParts = (
  value: Record<string, unknown>,
  path: string,
  problems: DeclarationProblem[],
): Record<string, unknown> => {
  const known = keysAt(path);
  const parts: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (!known.includes(key)) {
      problems.push(unknownKey(path, key));
      continue;
    }
    const inner = path === '' ? key : `${path}.${key}`;
    parts[key] = isRecord(member) && keysAt(inner).length > 0 ? knownParts(member, inner, problems) : member;
  }
  return parts;
};

/** Members for people only: a mistake in them does not affect the hook. */
const descriptive = ['summary', 'effects'] as const;

const withoutMisdescriptions = (
  known: Record<string, unknown>,
  problems: DeclarationProblem[],
): Record<string, unknown> => {
  const { shape } = abilityHookSchema();
  const wrong = descriptive.filter((key) => !shape[key].safeParse(known[key]).success);
  for (const key of wrong) {
    const { message, ...rest } = mismatchProblem(key, known[key]);
    problems.push({ ...rest, skipped: false, message: `${message}; the hook still runs` });
  }
  return Object.fromEntries(Object.entries(known).filter(([key]) => !wrong.some((one) => one === key)));
};

/** Reads a declaration. Unknown keys are reported; any other mistake makes it unusable. */
const readDeclaration = (value: unknown): ReadDeclaration => {
  if (!isRecord(value)) return { problems: [mismatchProblem('', value)] };
  const problems: DeclarationProblem[] = [];
  const known = withoutMisdescriptions(knownParts(withOneSpelling(value), '', problems), problems);
  const read = abilityHookSchema().safeParse(known);
  if (!read.success) {
    const mismatches = read.error.issues.map(({ path }) => mismatchProblem(formatPath(path), readAtPath(known, path)));
    return { problems: [...problems, ...mismatches] };
  }
  const { data } = read;
  if (!KEBAB.test(data.id)) {
    problems.push(declarationWarning('id', `the id "${data.id}" works; in kebab-case it would be ${kebab(data.id)}`));
  }
  return { declaration: data, problems };
};

/** The lines of a descriptive member: its key, then lines that are indented, empty or list items. */
const DESCRIPTION = /^(?:summary|effects)[ \t]*:/;
const BELONGS = /^(?:[ \t]|$|-(?:[ \t]|$))/;

/** Replaces descriptive members by blanks, so that all other offsets stay. */
const withBlanks = (text: string): string => {
  let isDescription = false;
  return text
    .split(/(?<=\n)/)
    .map((line) => {
      isDescription = DESCRIPTION.test(line) || (isDescription && BELONGS.test(line.trimEnd()));
      return isDescription ? line.replace(/[^\r\n]/g, ' ') : line;
    })
    .join('');
};

interface ReadText extends ReadYaml {
  readonly misdescription?: YamlProblem | undefined;
}

/** Reads a YAML text; a syntax error in the descriptive members alone does not invalidate the rest. */
const readDeclarationText = (text: string): ReadText => {
  const whole = readYaml(text);
  const [misdescription] = whole.problems;
  if (misdescription === undefined) return whole;
  const blanked = withBlanks(text);
  const rest = blanked === text ? whole : readYaml(blanked);
  return rest.problems.length > 0 ? whole : { ...rest, misdescription };
};
