import { dirname, resolve } from 'node:path';
import { looksSecret, type SkipReason } from '../../protocol/index.ts';
import { momentOf } from '../agent-events.ts';
import { InterpretedHook } from '../agent-hook.ts';
import type { AgentMatcher, MatcherKind } from '../agent-matcher.ts';
import { knownVersions, sinceWhen } from '../agent-version.ts';
import { findAgentFiles, namedAgentFiles, type SearchLocations } from '../finding.ts';
import type { Handler } from '../reading/handler.ts';
import {
  type DialectEntry,
  type DialectProblem,
  type DialectReading,
  type ReadFile,
  readAgentFiles,
} from '../reading/read-file.ts';
import type { JsonObject } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';

/** One hook as the agent it was written for would treat it. */
export interface JudgedHook {
  readonly id: string;
  readonly name: string;
  /** The event by the agent's name, and the moment of ours that it is. */
  readonly event: string;
  readonly moment?: string | undefined;
  readonly entry: DialectEntry;
  /** What would be started, as our engine takes it. */
  readonly config?: JsonObject | undefined;
  readonly matcher: MatcherJudgement;
  readonly runs: boolean;
  readonly reasons: readonly JudgedReason[];
  /** What is otherwise than it looks. */
  readonly notes: readonly string[];
  /** Its agent runs it, and our engine cannot. */
  readonly onlyThere?: string | undefined;
  /** The version since which it is as it is; absent where it always was. */
  readonly since?: string | undefined;
}

export interface HookJudgement {
  readonly agent: string;
  readonly title: string;
  readonly version: string;
  readonly files: readonly ReadFile[];
  readonly hooks: readonly JudgedHook[];
  readonly problems: readonly DialectProblem[];
}

export interface JudgedMoment {
  readonly version?: string | undefined;
  /** The moment that is asked about, by the agent's name or by ours. */
  readonly event?: string | undefined;
  readonly about?: About | undefined;
  /** Exactly these files, in place of those it would find. */
  readonly files?: readonly string[] | undefined;
}

const nameOf = ({ handler, written }: DialectEntry): string => {
  const { type, prompt, url, command } = written;
  const said = [handler?.name, handler?.command, handler?.url, command, prompt, url].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return typeof said === 'string' ? said : `a handler${typeof type === 'string' ? ` of type ${type}` : ''}`;
};

interface Seen {
  readonly entry: DialectEntry;
  readonly hook: InterpretedHook | undefined;
  readonly reasons: readonly JudgedReason[];
  readonly matcher: MatcherJudgement;
}

const isMeant = ({ event, rule }: DialectEntry, wish: string | undefined): boolean =>
  wish === undefined || event === wish || rule?.moment === wish;

class Judge {
  readonly #dialect: AgentRules;
  readonly #place: SearchLocations;
  readonly #version: string;

  constructor(dialect: AgentRules, place: SearchLocations, version: string) {
    this.#dialect = dialect;
    this.#place = place;
    this.#version = version;
  }

  #hookOf(entry: DialectEntry): InterpretedHook | undefined {
    if (entry.rule === undefined) return undefined;
    const { projectDir } = this.#place;
    return new InterpretedHook(this.#dialect, entry, entry.rule, {
      mode: 'faithful',
      version: this.#version,
      projectDir,
    });
  }

  /** Hooks of one event that are the same to the agent: the first runs. */
  #duplicates(seen: readonly Seen[]): Seen[] {
    const firsts = new Map<string, DialectEntry>();
    return seen.map((one) => {
      const { entry, reasons, hook } = one;
      if (entry.handler === undefined || reasons.length > 0 || hook?.sameAs === undefined) return one;
      const key = `${entry.event}\n${hook.sameAs}`;
      const first = firsts.get(key);
      if (first === undefined) {
        firsts.set(key, entry);
        return one;
      }
      const message = `the same stands before it, at ${first.file}:${first.line}, and runs once`;
      return { ...one, reasons: [{ code: 'duplicate' as const, message, isBroken: false }] };
    });
  }

  see(files: readonly ReadFile[], event: string | undefined, about: About): Seen[] {
    const { platform } = this.#place;
    const read = readAgentFiles(this.#dialect, files, { version: this.#version, platform });
    const seen = read.flatMap(({ reading }) => {
      const ofFile = fileReasons(reading, this.#dialect);
      return reading.entries
        .filter((entry) => isMeant(entry, event))
        .map((entry): Seen => {
          const hook = this.#hookOf(entry);
          const matcher = judgeMatcher(entry, hook, about);
          return { entry, hook, matcher, reasons: [...ofFile, ...entryReasons(entry, this.#dialect, matcher)] };
        });
    });
    // Asked about no call in particular, handlers under different matchers are for different calls.
    return about.toolName === undefined && about.trigger === undefined ? seen : this.#duplicates(seen);
  }
}

const idsOf = (seen: readonly Seen[]): string[] => {
  const counts = new Map<string, number>();
  return seen.map(({ entry }) => {
    const id = `${entry.scope}:${entry.event}:${nameOf(entry)}`;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? id : `${id}:${count}`;
  });
};

/** Why a hook that its agent runs cannot be run here. */
const onlyThere = ({ refusal, rule }: DialectEntry, title: string): string | undefined => {
  if (refusal?.onlyHere === true) return `${title} runs it, and hookwright cannot: ${refusal.message}`;
  return rule !== undefined && momentOf(rule) === undefined
    ? `${title} runs it, and hookwright cannot: there is no moment here like this event`
    : undefined;
};

const signature = ({ reasons, entry }: Seen): string =>
  JSON.stringify([reasons.map(({ code }) => code), entry.handler?.timeoutMs, entry.handler?.failClosed === true]);

/** What an agent makes of the hooks that are here for it. Nothing is run. */
export const judge = async (
  dialect: AgentRules,
  place: SearchLocations,
  { version = dialect.latest, event, about = {}, files: named }: JudgedMoment = {},
): Promise<HookJudgement> => {
  const found =
    named === undefined ? await findAgentFiles(dialect, place, version) : await namedAgentFiles(dialect, named);
  const { files } = found;
  const { platform } = place;
  const seenAt = (at: string): Seen[] => new Judge(dialect, place, at).see(files, event, about);
  const seen = seenAt(version);
  const history = new Map(knownVersions(dialect, version).map((at) => [at, seenAt(at)]));
  const ids = idsOf(seen);
  const hooks = seen.map((one, index): JudgedHook => {
    const { entry, reasons, matcher } = one;
    const ofThis = (at: string): string | undefined => {
      const then = history.get(at)?.find(({ entry: other }) => other.file === entry.file && other.path === entry.path);
      return then === undefined ? undefined : signature(then);
    };
    return {
      id: ids[index] ?? '',
      name: nameOf(entry),
      event: entry.event,
      moment: entry.rule?.moment,
      entry,
      config:
        entry.handler === undefined ? undefined : configOf(entry, entry.handler, { dialect, mode: 'faithful' }, place),
      matcher,
      runs: reasons.length === 0,
      reasons,
      notes: entry.notes,
      onlyThere: onlyThere(entry, dialect.title),
      since: sinceWhen([...history.keys()], ofThis, signature(one)),
    };
  });
  const problems = readAgentFiles(dialect, files, { version, platform })
    .flatMap(({ reading }) => reading.problems)
    .filter(({ onlyHere }) => onlyHere !== true);
  return {
    agent: dialect.name,
    title: dialect.title,
    version,
    files,
    hooks,
    problems: [...found.problems, ...problems],
  };
};

interface Wanted {
  readonly dialect: AgentRules;
  readonly mode: 'strict' | 'faithful';
}

const cwdOf = (
  dialect: AgentRules,
  { scope, file, plugin }: DialectEntry,
  place: SearchLocations,
): string | undefined => {
  const { cwd } = dialect.process;
  if (cwd === 'session') return undefined;
  if (cwd === 'home') return place.home;
  if (cwd === 'settings' && plugin !== undefined) return plugin.root;
  return cwd === 'settings' && scope !== 'project' ? dirname(file) : place.projectDir;
};

/** A login shell is what a user of Unix has; elsewhere there is the one of the system. */
const shellOf = (dialect: AgentRules, handler: Handler, platform: SearchLocations['platform']): string | undefined => {
  const { shell } = dialect.process;
  if (handler.args !== undefined) return undefined;
  return handler.shell ?? (shell === 'login' && platform === 'win32' ? 'cmd' : shell);
};

/** What stands in a variable of a handler may name others; what comes with a project learns no secret by that. */
const filledEnv = (
  { env }: Handler,
  { fillsEnv = false }: AgentRules['process'],
  { scope }: DialectEntry,
  place: SearchLocations,
): Readonly<Record<string, string>> | undefined => {
  if (env === undefined || !fillsEnv) return env;
  const fill = (text: string): string =>
    text.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (written, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? '';
      const value = place.env[name];
      return value === undefined || (scope === 'project' && looksSecret(name, value)) ? written : value;
    });
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
};

/** Placeholders of a plugin; a shell finds the variables by itself, a program that is started without one does not. */
export const filledIn = (
  text: string | undefined,
  { plugin }: DialectEntry,
  { dialect: { plugins } }: Pick<Wanted, 'dialect'>,
  isWord = false,
): string | undefined => {
  if (text === undefined || plugin === undefined || plugins === undefined) return text;
  const variables = Object.entries(isWord ? plugins.variables(plugin) : {}).map(([name, value]) => [
    `\${${name}}`,
    value,
  ]);
  const all = [...Object.entries(plugins.placeholders?.(plugin) ?? {}), ...variables];
  return all.reduce((filled, [name = '', value = '']) => filled.replaceAll(name, () => value), text);
};

/** A handler as our engine takes it. */
export const configOf = (entry: DialectEntry, handler: Handler, wanted: Wanted, place: SearchLocations): JsonObject => {
  const config = {
    type: handler.type,
    name: handler.name,
    command: filledIn(handler.command, entry, wanted),
    args: handler.args?.map((word) => filledIn(word, entry, wanted, true) ?? word),
    shell: shellOf(wanted.dialect, handler, place.platform),
    cwd: handler.cwd === undefined ? cwdOf(wanted.dialect, entry, place) : resolve(place.projectDir, handler.cwd),
    env: filledEnv(handler, wanted.dialect.process, entry, place),
    url: handler.url,
    prompt: handler.prompt,
    server: handler.server,
    tool: handler.tool,
    input: handler.input,
    headers: handler.headers,
    allowedEnvVars: handler.allowedEnvVars,
    timeout: handler.timeoutMs,
    statusMessage: handler.statusMessage,
    onFault: handler.failClosed === true && entry.rule?.blocks === true ? 'deny' : undefined,
    recheck: wanted.mode === 'faithful' ? false : undefined,
  };
  const ofProcess: readonly string[] = ['args', 'shell', 'cwd', 'env'];
  return Object.fromEntries(
    Object.entries(config).filter(
      ([key, value]) => value !== undefined && (handler.type === 'command' || !ofProcess.includes(key)),
    ),
  );
};

/** Why an agent would not run a hook, or not in the way its author expects. */
export interface JudgedReason {
  readonly code: SkipReason;
  readonly message: string;
  readonly fix?: string | undefined;
  /** A mistake, until the user changes the file. */
  readonly isBroken: boolean;
}

/** How an agent understands a matcher, and whether it fits what was asked about. */
export interface MatcherJudgement {
  readonly kind: MatcherKind;
  readonly text: string;
  readonly matches?: boolean | 'timeout';
  readonly problem?: string | undefined;
}

/** What a matcher is compared with. */
interface About {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
  /** More of the moment, by our names. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

const understood: Readonly<Record<MatcherKind, (matcher: string) => string>> = {
  everything: () => 'it matches everything',
  ignored: (matcher) => `${matcher}, which is ignored here: the hook runs whatever it says`,
  names: (matcher) => `${matcher}, read as whole names`,
  'names or pattern': (matcher) => `${matcher}, read as whole names, then as a pattern that is searched anywhere`,
  pattern: (matcher) => `${matcher}, read as a pattern that is searched anywhere`,
  whole: (matcher) => `${matcher}, read as a pattern for the whole`,
  equal: (matcher) => `${matcher}, compared as text with the whole`,
  none: (matcher) => `${matcher}, which never matches`,
};

const subjectOf = ({ toolName, trigger }: About): string | undefined => toolName ?? trigger;

const matchedBy = (hook: InterpretedHook, about: About): boolean | 'timeout' | undefined => {
  const { toolName, trigger, fields } = about;
  if (toolName === undefined && trigger === undefined) return undefined;
  const planned = hook.matches({ toolName, trigger });
  if (planned !== true || fields === undefined) return planned;
  return hook.inputFor(toolName === undefined ? fields : { ...fields, tool_name: toolName }, '').matches;
};

/** What a matcher means to its agent; `hook` is absent for an event the agent does not have. */
const judgeMatcher = (
  { matcher, rule }: DialectEntry,
  hook: InterpretedHook | undefined,
  about: About,
): MatcherJudgement => {
  const isIgnored = matcher !== undefined && rule !== undefined && rule.subject === undefined;
  const read: Pick<AgentMatcher, 'kind' | 'problem'> =
    hook === undefined || isIgnored ? { kind: isIgnored ? 'ignored' : 'everything' } : hook.matcher;
  const only = rule?.kinds === undefined ? '' : `; only calls of the kind ${rule.kinds.join(', ')}`;
  const shown = matcher === undefined ? 'none' : JSON.stringify(matcher);
  const how = matcher === undefined ? 'none: it matches everything' : understood[read.kind](shown);
  const matches = hook === undefined ? undefined : matchedBy(hook, about);
  const subject = subjectOf(about);
  const fits =
    matches === undefined || subject === undefined || (matcher === undefined && only === '')
      ? ''
      : `; ${JSON.stringify(subject)} ${matches === true ? 'matches' : 'does not match'}`;
  const said = read.problem === undefined ? '' : ` (${read.problem})`;
  return {
    kind: read.kind,
    problem: read.problem,
    text: `${how}${only}${fits}${said}`,
    ...(matches === undefined ? {} : { matches }),
  };
};

const quietly = (title: string): string => ` (${title} says nothing about it)`;

/** Reasons that hold for all hooks of a file. */
const fileReasons = (reading: DialectReading, { title }: AgentRules): JudgedReason[] => [
  ...(reading.void === undefined
    ? []
    : [
        {
          code: 'invalid-config' as const,
          message: `the whole file counts for nothing: ${reading.void}${quietly(title)}`,
          fix: 'put that right, and all hooks of the file are back',
          isBroken: true,
        },
      ]),
  ...(reading.off === undefined
    ? []
    : [
        {
          code: 'hooks-disabled' as const,
          message: `hooks are switched off: ${reading.off}`,
          fix: 'change that setting',
          isBroken: false,
        },
      ]),
];

/** Reasons of one entry alone. */
const entryReasons = (
  { rule, event, refusal, off }: DialectEntry,
  { title }: AgentRules,
  matcher: MatcherJudgement,
): JudgedReason[] => {
  if (rule === undefined) {
    const message = `"${event}" is not an event of ${title}${quietly(title)}`;
    return [
      {
        code: 'unknown-event',
        message,
        fix: `use the name of an event of ${title}`,
        isBroken: true,
      },
    ];
  }
  if (refusal !== undefined && refusal.onlyHere !== true) {
    return [
      { code: 'invalid-config', message: `${refusal.message}${quietly(title)}`, fix: refusal.fix, isBroken: true },
    ];
  }
  if (off !== undefined) {
    return [{ code: 'disabled', message: `it is switched off by ${off}`, fix: `change ${off}`, isBroken: false }];
  }
  if (matcher.kind === 'none') {
    return [
      {
        code: 'invalid-config',
        message: matcher.problem ?? matcher.text,
        fix: 'write a valid regular expression',
        isBroken: true,
      },
    ];
  }
  if (matcher.matches === undefined || matcher.matches === true) return [];
  const [message = 'its matcher does not match'] = [`its matcher does not match: ${matcher.text}`];
  return [{ code: 'matcher-mismatch', message, isBroken: false }];
};
