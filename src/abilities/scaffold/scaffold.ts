import { chmod, lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { type HookwrightError, invalidArgument } from '../../errors.ts';
import { type AbilityEventType, abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../../events/index.ts';
import { describeValue, suggestion } from '../../kit/index.ts';
import { isMissing } from '../../kit/node.ts';
import type { AbilityOnFault } from '../../protocol/index.ts';
import { keysAt } from '../declaration/problems.ts';
import { createFile, openDirectory } from '../files.ts';
import { faultAt } from '../guarding/missing-guard.ts';
import { languages, type ScaffoldLanguage } from './languages.ts';
import { SAMPLE_ABILITY, samplesAbout } from './samples.ts';

export interface ScaffoldOptions {
  /** The repository. */
  readonly root: string;
  /** What the hook is called, in kebab-case: `guard-edit-file`. Its files are named by it. */
  readonly id: string;
  readonly eventType: AbilityEventType;
  /** `node` by default. */
  readonly language?: ScaffoldLanguage | undefined;
  /** As is usual for the event by default. */
  readonly blocking?: boolean | undefined;
  readonly summary?: string | undefined;
  /**
   * When the hook is active. What the event offers, matching everything, by default. The first ability it names without a
   * pattern is the one that handler and test speak of.
   */
  readonly match?: Readonly<Record<string, unknown>> | undefined;
  /** The same in short: the globs that the event compares, of abilities or of changed files. */
  readonly scope?: readonly string[] | undefined;
  /** What becomes of its event when it breaks: `fail` where it decides whether something is done, else `skip`. */
  readonly onFault?: AbilityOnFault | undefined;
  /** Writes nothing and says what would be written. */
  readonly dryRun?: boolean | undefined;
}

export interface ScaffoldedFile {
  /** Relative to the repository. */
  readonly file: string;
  readonly contents: string;
}

const ID = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
const MAX_ID = 64;

/** A key that nothing reads would make a hook that looks at everything. */
const checkMatch = ({ match = {} }: ScaffoldOptions): void => {
  const known = keysAt('match');
  const unknown = Object.keys(match).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw invalidArgument(`match.${unknown}: expected ${known.join(', ')}${suggestion(unknown, known)}`);
};

/** What may be said; the type keeps it complete. */
const optionNames: Readonly<Record<keyof ScaffoldOptions, true>> = {
  root: true,
  id: true,
  eventType: true,
  language: true,
  blocking: true,
  summary: true,
  match: true,
  scope: true,
  onFault: true,
  dryRun: true,
};

const checkOptions = (options: ScaffoldOptions): void => {
  const known = Object.keys(optionNames);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw invalidArgument(`${unknown}: expected ${known.join(', ')}${suggestion(unknown, known)}`);
};

const check = (options: ScaffoldOptions): void => {
  checkOptions(options);
  const { root, id, eventType, language = 'node' } = options;
  if (typeof root !== 'string' || root === '') {
    throw invalidArgument(`root: expected the path of the repository, got ${describeValue(root)}`);
  }
  if (typeof id !== 'string' || !ID.test(id) || id.length > MAX_ID) {
    throw invalidArgument(
      `id: expected kebab-case, e.g. guard-edit-file, at most ${MAX_ID} characters, got ${describeValue(id)}`,
    );
  }
  if (!isAbilityEventType(eventType)) {
    const near = suggestion(String(eventType), abilityEventTypes);
    throw invalidArgument(
      `eventType: expected one of ${abilityEventTypes.join(', ')}, got ${describeValue(eventType)}${near}`,
    );
  }
  if (!Object.hasOwn(languages, language)) {
    throw invalidArgument(
      `language: expected one of ${Object.keys(languages).join(', ')}, got ${describeValue(language)}`,
    );
  }
  checkMatch(options);
};

/** The key of the match block that an event compares globs with. */
const scopeKey = (eventType: AbilityEventType): string | undefined => {
  const { ability, changedPaths } = abilityCatalogue[eventType].match;
  if (ability !== undefined) return 'ability_scope';
  return changedPaths === undefined ? undefined : 'only_if_changed_paths';
};

const matchFrom = ({ match, scope, eventType }: ScaffoldOptions): Readonly<Record<string, unknown>> | undefined => {
  if (match !== undefined || scope === undefined) return match;
  const key = scopeKey(eventType);
  if (key === undefined) throw invalidArgument(`scope: ${eventType} has nothing to compare it with; leave it out`);
  return { [key]: scope.length === 1 ? scope[0] : [...scope] };
};

/** An ability id as it stands, and no pattern. */
const LITERAL = /^[\w.:/-]+$/;

/** The ability a hook is meant for, as far as its match block names one. */
const abilityIn = (match: Readonly<Record<string, unknown>> | undefined): string => {
  const scopes: readonly unknown[] = [match?.ability_scope].flat();
  return scopes.find((scope): scope is string => typeof scope === 'string' && LITERAL.test(scope)) ?? SAMPLE_ABILITY;
};

const filesOf = (options: ScaffoldOptions): ScaffoldedFile[] => {
  const { id, eventType, language = 'node' } = options;
  const wanted = matchFrom(options);
  const sample = samplesAbout(abilityIn(wanted))[eventType];
  const { extension, command, script } = languages[language];
  const handler = `.system/handlers/${id}.${extension}`;
  const match = wanted ?? sample.match;
  const declaration = stringify({
    id,
    event_type: eventType,
    enabled: true,
    blocking: options.blocking ?? sample.blocking,
    on_fault: options.blocking === false ? (options.onFault ?? 'skip') : faultAt(eventType, options.onFault),
    summary: options.summary ?? `Begun from a sample: ${sample.effects.join(', ')}`,
    ...(match === undefined ? {} : { match }),
    handler: { kind: 'script', command: command(handler) },
    effects: sample.effects,
  });
  const fixture = { hook_id: id, event_type: eventType, context: sample.context, expected: sample.answer };
  return [
    { file: `.system/hooks/${id}.yaml`, contents: declaration },
    { file: handler, contents: script(eventType, JSON.stringify(sample.answer, null, 2)) },
    { file: `.system/hook-tests/${id}.json`, contents: `${JSON.stringify(fixture, null, 2)}\n` },
  ];
};

const exists = async (file: string): Promise<boolean> => {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

const occupied = (file: string): HookwrightError =>
  invalidArgument(`${file} already exists and was left as it is; choose another id, or remove it`);

const write = async (root: string, { file, contents }: ScaffoldedFile): Promise<void> => {
  const parts = file.split('/');
  const name = parts.pop() ?? '';
  const directory = await openDirectory(root, parts);
  if (!(await createFile(directory, name, contents))) throw occupied(file);
  await chmod(join(directory, name), contents.startsWith('#!') ? 0o755 : 0o644);
};

/**
 * Writes a hook that works: its declaration, a handler that answers, and a test that passes, for you to change. Nothing
 * is overwritten: if one of the files is there, none is written.
 */
export const scaffoldAbilityHook = async (options: ScaffoldOptions): Promise<ScaffoldedFile[]> => {
  check(options);
  const root = resolve(options.root);
  const files = filesOf(options);
  for (const { file } of files) if (await exists(join(root, file))) throw occupied(file);
  if (options.dryRun !== true) for (const file of files) await write(root, file);
  return files;
};
