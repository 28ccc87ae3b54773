import { mkdirSync } from 'node:fs';
import { Loops } from '../events/index.ts';
import { readBeginning } from '../kit/node.ts';
import {
  type DialectAnswer,
  type DialectCall,
  type DialectEnd,
  type HookDialect,
  type HookOutput,
  looksSecret,
  type PlainAnswer,
  steersPrograms,
} from '../protocol/index.ts';
import type { Answer } from './answers/answer.ts';
import { type ForeignHook, outputOf } from './foreign.ts';
import { saidIn } from './hosting/said.ts';
import type { JsonObject, Scope } from './rules.ts';
import { withinLimit } from './session/long-texts.ts';
import { ownFiles } from './session/own-files.ts';

/** What hooks of one agent share. */
export interface Shared {
  /** What they set for those that come after them. */
  readonly variables: SessionVariables;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The place of this one among them. */
  readonly order: number;
}

/** An allow beside a verdict that cannot be read approves nothing. */
const withoutAllow = (answer: Answer): Answer =>
  answer.said?.decision === 'allow' ? { ...answer, said: { ...answer.said, decision: undefined } } : answer;

/** Whether an allow is no more than the lack of an objection. */
const meansNothing = ({ dialect, entry, version }: ForeignHook, decision: unknown): { grantsNothing?: true } =>
  decision === 'allow' && dialect.grantsNothing?.({ event: entry.event, version }) === true
    ? { grantsNothing: true }
    : {};

const mergedAsThere = (hook: ForeignHook, said: readonly PlainAnswer[]): PlainAnswer => {
  const { dialect, entry, version } = hook;
  const answers = said.map(({ output, isText, mark, scope }) => ({
    said: { ...saidIn(output), isText, mark, scope },
    swallowed: [],
  }));
  const { said: merged, swallowed: notes } = dialect.merge(answers, { event: entry.event, version });
  if (merged === undefined) return { output: {}, notes };
  const output = outputOf(merged, merged.toolInput);
  return { output, isText: merged.isText, notes, ...meansNothing(hook, output.decision) };
};

const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // Its hook says what it cannot write.
  }
};

const isNamed = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** What was written into the file of variables, as a part of the answer. */
const withWritten = (output: HookOutput = {}, text: string): HookOutput => {
  const { hookSpecificOutput = {} } = output;
  const { variables } = exportedIn(text);
  const environment = Object.keys(variables).length === 0 ? {} : { environment: variables };
  return { ...output, hookSpecificOutput: { ...hookSpecificOutput, ...environment, environmentScript: text } };
};

/** What is counted of one hook. */
interface Counters {
  /** How often in a row the agent was sent on. */
  readonly loops: Loops;
  /** How many events it was asked about. */
  readonly seen: Loops;
}

/** One run of a hook: what it reads and finds, and what is made of its end. */
class Run implements DialectCall {
  readonly #hook: ForeignHook;
  readonly #shared: Shared;
  readonly #session: string;
  readonly #at: string;
  readonly #loops: number;
  readonly #fed: ReturnType<ForeignHook['inputFor']>;
  #file: EnvironmentFile | undefined;

  constructor(
    hook: ForeignHook,
    shared: Shared,
    { loops, seen }: Counters,
    input: Readonly<JsonObject>,
    callId: string,
  ) {
    const { session_id: session, timestamp, agent_type: agent, stop_hook_active: isSentOn } = input;
    this.#hook = hook;
    this.#shared = shared;
    this.#session = String(session ?? '');
    this.#at = String(timestamp ?? '');
    this.#loops = loops.count(`${this.#session} ${String(agent ?? '')}`, isSentOn === true);
    const nth = seen.count(this.#session, true) - 1;
    this.#fed = hook.inputFor(input, callId, { loops: this.#loops, nth });
  }

  get stdin(): object {
    return this.#fed.stdin;
  }

  get matches(): boolean | 'timeout' {
    return this.#fed.matches;
  }

  /** What it finds in its environment that only this run has. */
  variables(): Readonly<Record<string, string>> {
    const { dialect, entry } = this.#hook;
    const { environmentFile: rule } = dialect.process;
    const { plugin } = entry;
    // A plugin finds its folder for data there, however it is used for the first time.
    if (plugin !== undefined && dialect.plugins?.data !== undefined) makeFolder(plugin.data);
    const set = this.#shared.variables.for(this.#session, entry.scope);
    if (rule?.events.includes(entry.event) !== true) return set;
    this.#file ??= new EnvironmentFile();
    const { path } = this.#file;
    return path === undefined ? set : { ...set, [rule.variable]: path };
  }

  #keep(variables: Readonly<Record<string, string>>): string[] {
    const { variables: kept, order } = this.#shared;
    const refused = kept.keep(this.#session, this.#hook.entry.scope, { at: this.#at, order, variables });
    return refused.length === 0
      ? []
      : [`${refused.join(', ')} reach no later hook: files of a project may not change which code runs`];
  }

  /** What it wrote down for the session goes to later hooks, and to the host. */
  #withFile(answer: DialectAnswer): DialectAnswer {
    if (this.#file === undefined) return answer;
    const { variable = '' } = this.#hook.dialect.process.environmentFile ?? {};
    const text = this.#file.take();
    const { trouble } = this.#file;
    if (trouble !== undefined)
      return { ...answer, notes: [...answer.notes, `nothing of ${variable} counts: ${trouble}`] };
    if (text.trim() === '') return answer;
    const { variables, strange } = exportedIn(text);
    const notes = [
      ...this.#keep(variables),
      ...(strange === 0 ? [] : [`${strange} lines of ${variable} need a shell: the host alone is handed them`]),
    ];
    return { ...answer, output: withWritten(answer.output, text), notes: [...answer.notes, ...notes] };
  }

  hear(end: DialectEnd): DialectAnswer {
    const { dialect, entry, mode, version } = this.#hook;
    const { event, handler } = entry;
    const cap = dialect.loopCap?.({ event, version, env: this.#shared.env });
    const most = handler?.loopLimit === undefined ? cap : (handler.loopLimit ?? undefined);
    const { problems, verdictLost } = this.#hook.unread(end);
    const read = verdictLost && mode === 'strict' ? withoutAllow(this.#hook.read(end)) : this.#hook.read(end);
    const heard =
      most === undefined
        ? read
        : withinLoops(read, this.#loops, { most, isOwn: handler?.loopLimit !== undefined }, mode);
    const isHttp = end.isHttp === true;
    const limit = dialect.textLimit?.({ event, version, isHttp, contextTokens: handler?.contextTokens });
    const answer = withinLimit(heard, limit);
    const kept = answer.said?.environment === undefined ? [] : this.#keep(answer.said.environment);
    const { lost, ...said } = this.#hook.inOurWords(answer, this.#fed);
    const fates = { ...(problems.length === 0 ? {} : { problems }), ...(verdictLost ? { verdictLost } : {}) };
    const noted = {
      ...said,
      ...fates,
      ...meansNothing(this.#hook, said.output?.decision),
      notes: [...said.notes, ...kept],
    };
    // Half a rewrite is worse than none: the call must not go on as if nothing had been asked.
    const whole = lost === undefined ? noted : { ...noted, failed: `changed what cannot be changed here: ${lost}` };
    return this.#withFile(whole);
  }
}

/** A hook of another agent for the engine, which knows nothing of dialects but this. */
export const hookDialectOf = (hook: ForeignHook, shared: Shared): HookDialect => {
  const { dialect, entry, matcher } = hook;
  const withheld = dialect.process.withholds?.(hook.version) ?? [];
  const ofPlugin = entry.plugin === undefined ? {} : (dialect.plugins?.variables(entry.plugin) ?? {});
  const counters: Counters = { loops: new Loops(), seen: new Loops() };
  return {
    name: dialect.name,
    title: dialect.title,
    event: entry.event,
    matcherProblem: matcher.problem,
    sameAs: hook.sameAs,
    plugin: entry.plugin && { root: entry.plugin.root, variables: ofPlugin },
    isAsync: entry.handler?.isAsync === true ? true : undefined,
    matches: (context) => hook.plans(context),
    environment: (place) => ({
      ...dialect.process.environment({ ...place, version: hook.version }),
      ...ofPlugin,
      HOOKWRIGHT_DIALECT: dialect.name,
      HOOKWRIGHT_DIALECT_EVENT: entry.event,
    }),
    filledIn: dialect.process.filledIn?.(hook.version) ?? [],
    withholds: (name) => withheld.some((one) => isNamed(name, one)),
    merge: hook.mode === 'faithful' ? (said) => mergedAsThere(hook, said) : undefined,
    split: (input) => hook.split({ ...input }),
    begin: (input, callId) => new Run(hook, shared, counters, { ...input }, callId),
  };
};

/** More than a person writes by hand; a longer line is refused, for half a line must not run. */
const MAX_BYTES = 65_536;

/** The file in which one run of a hook may write down variables for the session. */
class EnvironmentFile {
  readonly #made = ownFiles.write('environment.sh', '');
  #trouble = 'trouble' in this.#made ? this.#made.trouble : undefined;

  /** Where it lies, for the hook. */
  get path(): string | undefined {
    return 'path' in this.#made ? this.#made.path : undefined;
  }

  /** Why nothing of it counts. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** What the hook wrote; the file is gone after that. */
  take(): string {
    if (this.path === undefined) return '';
    const text = readBeginning(this.path, MAX_BYTES + 1)?.toString('utf8') ?? '';
    ownFiles.remove(this.path);
    if (Buffer.byteLength(text) <= MAX_BYTES) return text;
    this.#trouble = `it has more than ${MAX_BYTES} bytes`;
    return '';
  }
}

/** A value as it stands in a line for a shell, piece by piece: in quotes, or bare; what a shell would fill in is none. */
const piece = /'([^']*)'|"((?:[^"$`\\]|\\[$`"\\])*)"|([\w%+,./:=@^-]+)/y;

const assignment = /\s*([A-Za-z_]\w*)=/y;

/** What a line sets, where all it does is to set variables to plain values. */
const readLine = (line: string): [name: string, value: string][] | undefined => {
  const [start] = /^(?:export|declare -x)(?=\s)/.exec(line) ?? [];
  if (start === undefined) return undefined;
  const variables: [string, string][] = [];
  for (let at = start.length; at < line.length; ) {
    assignment.lastIndex = at;
    const [head, name] = assignment.exec(line) ?? [];
    if (head === undefined || name === undefined) return undefined;
    at += head.length;
    let value = '';
    for (; at < line.length && !/\s/.test(line[at] ?? ''); at = piece.lastIndex) {
      piece.lastIndex = at;
      const [found, single, double, bare = ''] = piece.exec(line) ?? [];
      if (found === undefined) return undefined;
      value += single ?? double?.replaceAll(/\\(.)/g, '$1') ?? bare;
    }
    variables.push([name, value]);
  }
  return variables;
};

interface Exported {
  readonly variables: Readonly<Record<string, string>>;
  /** How many lines only a shell can make something of. */
  readonly strange: number;
}

/** What lines such as `export NAME=value` set. Nothing is run: a line that does anything else is left to a shell. */
export const exportedIn = (text: string): Exported => {
  const variables: [string, string][] = [];
  let strange = 0;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const read = readLine(line);
    if (read === undefined) strange += 1;
    else variables.push(...read);
  }
  return { variables: Object.fromEntries(variables), strange };
};

interface LoopLimit {
  readonly most: number;
  /** The hook's author wants it so, in every mode. */
  readonly isOwn: boolean;
}

/** An answer that sends the agent on, where it has been sent on as often as may be. */
const withinLoops = (
  answer: Answer,
  loops: number,
  { most, isOwn }: LoopLimit,
  mode: 'strict' | 'faithful',
): Answer => {
  if (answer.said?.decision !== 'deny' || loops < most) return answer;
  const { decision: _lost, reason, ...said } = answer.said;
  const times = `the agent was sent on ${loops} times, and no more than ${most} are heeded`;
  if (!isOwn && mode === 'strict')
    return { ...answer, swallowed: [...answer.swallowed, `${times} there; it counts here all the same`] };
  return { ...answer, said, swallowed: [...answer.swallowed, `${times}: ${reason ?? 'it gave no reason'}`] };
};

type Variables = Readonly<Record<string, string>>;

/** From the one whose word counts most. */
const byTrust: readonly Scope[] = ['system', 'user', 'project'];

/** The most sessions of one process, and the most events of one session, that are tracked at once. */
const MAX_SESSIONS = 64;
const MAX_KEPT = 64;

/** What one hook has set at one event. */
interface Kept {
  /** When the event was; the same for all its hooks. */
  readonly at: string;
  /** The place of the hook among those that are configured. */
  readonly order: number;
  readonly variables: Variables;
}

const byTime = (one: Kept, other: Kept): number =>
  one.at === other.at ? one.order - other.order : one.at < other.at ? -1 : 1;

const together = (all: readonly Kept[]): Variables => Object.assign({}, ...all.map(({ variables }) => variables));

/** The later event counts, and of one event the hook that is configured later, whichever of them came to its end first. */
const withOne = (all: readonly Kept[], one: Kept): readonly Kept[] => {
  const sorted = [...all, one].sort(byTime);
  const [oldest, next, ...rest] = sorted;
  if (sorted.length <= MAX_KEPT || oldest === undefined || next === undefined) return sorted;
  return [{ ...next, variables: together([oldest, next]) }, ...rest];
};

/**
 * Variables that hooks of one agent have set for what comes after them in a session. A hook finds those of hooks that are
 * trusted as much as itself or more: what comes with a project changes nothing for a guard of the user.
 */
export class SessionVariables {
  readonly #sessions = new Map<string, Map<Scope, readonly Kept[]>>();

  /** Keeps them, and says which it does not: files of a project may not change which code runs. */
  keep(session: string, scope: Scope, { variables, ...one }: Kept): readonly string[] {
    const refused = scope === 'project' ? Object.keys(variables).filter(steersPrograms) : [];
    const kept = Object.fromEntries(Object.entries(variables).filter(([name]) => !refused.includes(name)));
    const ofSession = this.#sessions.get(session) ?? new Map<Scope, readonly Kept[]>();
    this.#sessions.delete(session);
    this.#sessions.set(session, ofSession);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    ofSession.set(scope, withOne(ofSession.get(scope) ?? [], { ...one, variables: kept }));
    return refused;
  }

  /** What a hook of these settings finds. Those of a project learn no secret by it. */
  for(session: string, scope: Scope): Variables {
    const ofSession = this.#sessions.get(session);
    if (ofSession === undefined) return {};
    const ofScope = (one: Scope): Variables => together(ofSession.get(one) ?? []);
    const trusted = byTrust.slice(0, byTrust.indexOf(scope) + 1).reverse();
    const found = Object.assign({}, ...trusted.map(ofScope));
    if (scope !== 'project') return found;
    const own = ofScope('project');
    return Object.fromEntries(
      Object.entries<string>(found).filter(([name, value]) => !looksSecret(name, value) || own[name] === value),
    );
  }
}
