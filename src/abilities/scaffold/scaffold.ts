// Writes the files of a new ability hook that works: declaration, handler and test.
import { chmod, lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { createInvalidArgument, type HookwrightError } from '../../errors.ts';
import {
  type AbilityContextOf,
  type AbilityEventType,
  abilityCatalogue,
  abilityEventTypes,
  isAbilityEventType,
} from '../../events/index.ts';
import { describeValue, formatSuggestion } from '../../kit/index.ts';
import { isMissingFileError } from '../../kit/node.ts';
import { AbilityCode, type AbilityOnFault, type HookResult, ROUTE_SUGGESTION } from '../../protocol/index.ts';
import { createFile, openDirectory } from '../ability-files.ts';
import { listKeysAt } from '../declaration/problems.ts';
import { resolveOnFault } from '../guarding/missing-guard.ts';
import { toArgsMembers, toInputMembers } from '../tools/summarize.ts';

export interface ScaffoldOptions {
  readonly root: string;
  /** In kebab-case, such as `guard-edit-file`; also the name of the files. */
  readonly id: string;
  readonly eventType: AbilityEventType;
  readonly language?: ScaffoldLanguage | undefined;
  /** True by default, but false for `PostAbilityCall` and `SessionStop`. */
  readonly blocking?: boolean | undefined;
  readonly summary?: string | undefined;
  /**
   * By default the event's match block, which fits everything. The first ability id without a pattern is used in
   * handler and test.
   */
  readonly match?: Readonly<Record<string, unknown>> | undefined;
  /** Short for `match`: globs for abilities or changed files, depending on the event. */
  readonly scope?: readonly string[] | undefined;
  /** By default `fail` if the event can refuse an action, else `skip`. */
  readonly onFault?: AbilityOnFault | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface ScaffoldedFile {
  readonly file: string;
  readonly contents: string;
}

const HOOK_ID_PATTERN = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/;
const MAX_ID_LENGTH = 64;

const scaffoldOptionNames: Readonly<Record<keyof ScaffoldOptions, true>> = {
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

const expectKnownKeys = (given: object, known: readonly string[], prefix = ''): void => {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw createInvalidArgument(`${prefix}${unknown}: expected ${known.join(', ')}${formatSuggestion(unknown, known)}`);
};

const validateOptions = (options: ScaffoldOptions): void => {
  expectKnownKeys(options, Object.keys(scaffoldOptionNames));
  const { root, id, eventType, language = 'node', match = {} } = options;
  if (typeof root !== 'string' || root === '') {
    throw createInvalidArgument(`root: expected the path of the repository, got ${describeValue(root)}`);
  }
  if (typeof id !== 'string' || !HOOK_ID_PATTERN.test(id) || id.length > MAX_ID_LENGTH) {
    throw createInvalidArgument(
      `id: expected kebab-case, e.g. guard-edit-file, at most ${MAX_ID_LENGTH} characters, got ${describeValue(id)}`,
    );
  }
  if (!isAbilityEventType(eventType)) {
    const near = formatSuggestion(String(eventType), abilityEventTypes);
    throw createInvalidArgument(
      `eventType: expected one of ${abilityEventTypes.join(', ')}, got ${describeValue(eventType)}${near}`,
    );
  }
  if (!Object.hasOwn(templatesByLanguage, language)) {
    throw createInvalidArgument(
      `language: expected one of ${Object.keys(templatesByLanguage).join(', ')}, got ${describeValue(language)}`,
    );
  }
  // An unknown key would be ignored, and the hook would run for everything.
  expectKnownKeys(match, listKeysAt('match'), 'match.');
};

const findScopeKey = (eventType: AbilityEventType): string | undefined => {
  const { ability, changedPaths } = abilityCatalogue[eventType].match;
  if (ability !== undefined) return 'ability_scope';
  return changedPaths === undefined ? undefined : 'only_if_changed_paths';
};

const toMatch = ({ match, scope, eventType }: ScaffoldOptions): Readonly<Record<string, unknown>> | undefined => {
  if (match !== undefined || scope === undefined) return match;
  const key = findScopeKey(eventType);
  if (key === undefined)
    throw createInvalidArgument(`scope: ${eventType} has nothing to compare it with; leave it out`);
  return { [key]: scope.length === 1 ? scope[0] : [...scope] };
};

const ABILITY_ID_PATTERN = /^[\w.:/-]+$/;

const findAbilityId = (match: Readonly<Record<string, unknown>> | undefined): string => {
  const scopes: readonly unknown[] = [match?.ability_scope].flat();
  return (
    scopes.find((scope): scope is string => typeof scope === 'string' && ABILITY_ID_PATTERN.test(scope)) ??
    SAMPLE_ABILITY_ID
  );
};

const createFiles = (options: ScaffoldOptions): ScaffoldedFile[] => {
  const { id, eventType, language = 'node' } = options;
  const wanted = toMatch(options);
  const sample = createSamples(findAbilityId(wanted))[eventType];
  const { extension, command, script } = templatesByLanguage[language];
  const handler = `.system/handlers/${id}.${extension}`;
  const match = wanted ?? sample.match;
  const declaration = stringify({
    id,
    event_type: eventType,
    enabled: true,
    blocking: options.blocking ?? sample.blocking,
    on_fault: options.blocking === false ? (options.onFault ?? 'skip') : resolveOnFault(eventType, options.onFault),
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

const pathExists = async (file: string): Promise<boolean> => {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isMissingFileError(error)) return false;
    throw error;
  }
};

const createOccupiedError = (file: string): HookwrightError =>
  createInvalidArgument(`${file} already exists and was left as it is; choose another id, or remove it`);

const writeScaffoldedFile = async (root: string, { file, contents }: ScaffoldedFile): Promise<void> => {
  const parts = file.split('/');
  const name = parts.pop() ?? '';
  const directory = await openDirectory(root, parts);
  if (!(await createFile(directory, name, contents))) throw createOccupiedError(file);
  await chmod(join(directory, name), contents.startsWith('#!') ? 0o755 : 0o644);
};

/** Writes a working hook: a declaration, a handler and a passing test. If one of the files exists, none is written. */
export const scaffoldAbilityHook = async (options: ScaffoldOptions): Promise<ScaffoldedFile[]> => {
  validateOptions(options);
  const root = resolve(options.root);
  const files = createFiles(options);
  for (const { file } of files) if (await pathExists(join(root, file))) throw createOccupiedError(file);
  if (options.dryRun !== true) for (const file of files) await writeScaffoldedFile(root, file);
  return files;
};

interface LanguageTemplate {
  readonly extension: string;
  readonly command: (script: string) => string;
  readonly script: (eventType: string, answer: string) => string;
}

const indentLines = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

export const templatesByLanguage = {
  sh: {
    extension: 'sh',
    command: (script) => `sh ${script}`,
    script: (eventType, answer) => `#!/bin/sh
# The context of ${eventType} comes as JSON on standard input; what is printed is the answer.
context=$(cat)

# Give another answer if the context has a certain text:
case $context in
  *'put a text here'*) echo '{}' ;;
  *)
    cat <<'JSON'
${answer}
JSON
    ;;
esac
`,
  },
  node: {
    extension: 'mjs',
    command: (script) => `node ${script}`,
    script: (eventType, answer) => `#!/usr/bin/env node
// The context of ${eventType} comes as JSON on standard input; what is printed is the answer.
import { json } from 'node:stream/consumers';

const context = await json(process.stdin);
if (context.event_type !== '${eventType}') throw new Error(\`not made for \${context.event_type}\`);

const answer = ${answer};
console.log(JSON.stringify(answer));
`,
  },
  python: {
    extension: 'py',
    command: (script) => `python3 ${script}`,
    script: (eventType, answer) => `#!/usr/bin/env python3
# The context of ${eventType} comes as JSON on standard input; what is printed is the answer.
import json
import sys

context = json.load(sys.stdin)
if context["event_type"] != "${eventType}":
    sys.exit(f"not made for {context['event_type']}")

answer = json.loads("""
    ${indentLines(answer, '    ')}
""")
json.dump(answer, sys.stdout)
`,
  },
} as const satisfies Readonly<Record<string, LanguageTemplate>>;

export type ScaffoldLanguage = keyof typeof templatesByLanguage;

type SampleAnswer = Omit<HookResult, 'hook_signals'> & {
  readonly hook_signals?: readonly Readonly<Record<string, unknown>>[];
};

interface HookSample<Context> {
  readonly blocking: boolean;
  readonly match?: Readonly<Record<string, unknown>>;
  readonly effects: readonly string[];
  readonly context: Context;
  readonly answer: SampleAnswer;
}

const sampleReason = 'nothing is against it';
const sampleCaller = { source: 'ai_session', session_id: 'session-1' } as const;

const SAMPLE_ABILITY_ID = 'edit_file';

export const createSamples = (
  ability: string,
): { readonly [E in AbilityEventType]: HookSample<AbilityContextOf<E>> } => {
  // For the user's own abilities a fitting input is unknown.
  const given = ability === SAMPLE_ABILITY_ID ? { path: 'README.md' } : {};
  return {
    PromptSubmit: {
      blocking: true,
      effects: ['suggests abilities and documents'],
      context: { session_id: 'session-1', user_raw_input: 'Fix the typo in the README', current_files: ['README.md'] },
      answer: {
        hook_signals: [
          {
            kind: 'routing_hint',
            code: ROUTE_SUGGESTION,
            severity: 'info',
            payload: {
              suggested_abilities: [{ id: SAMPLE_ABILITY_ID, reason: 'the request is about a file', confidence: 0.5 }],
              suggested_documents: [],
            },
          },
        ],
      },
    },
    PreAbilityCreate: {
      blocking: true,
      match: { ability_scope: '*' },
      effects: ['says whether an ability is available'],
      context: {
        ability_ref: { kind: 'ability_id', value: ability },
        ...toInputMembers(given),
        environment: 'workstation',
        caller: sampleCaller,
      },
      answer: {
        hook_signals: [
          {
            kind: 'ability_preflight',
            code: AbilityCode.Available,
            severity: 'info',
            payload: { ability_ref: { kind: 'ability_id', value: ability }, reason: sampleReason },
          },
        ],
      },
    },
    PreAbilityCall: {
      blocking: true,
      match: { ability_scope: '*' },
      effects: ['allows or denies calls'],
      context: { ability_id: ability, task_key: 'task-000001', ...toArgsMembers(given), caller: sampleCaller },
      answer: {
        hook_signals: [
          { kind: 'ability_guard', code: AbilityCode.Allowed, payload: { ability_id: ability, reason: sampleReason } },
        ],
      },
    },
    PostAbilityCall: {
      blocking: false,
      match: { ability_scope: '*', min_duration_ms: 0 },
      effects: ['logs calls'],
      context: { ability_id: ability, task_key: 'task-000001', status: 'success', duration_ms: 12 },
      answer: { logs: ['a call was seen'], usage_recorded: false },
    },
    SessionStop: {
      blocking: false,
      match: { only_if_changed_paths: '**' },
      effects: ['checks what a session has changed'],
      context: {
        session_id: 'session-1',
        changed_files: ['README.md'],
        abilities_used: [ability],
        tasks_summary: [{ task_key: 'task-000001', ability_id: ability, status: 'success' }],
      },
      answer: { logs: ['a session has ended'] },
    },
  };
};
