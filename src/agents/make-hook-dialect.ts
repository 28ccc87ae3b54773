import { mkdirSync } from 'node:fs';
import { Loops } from '../events/index.ts';
import type { DialectAnswer, DialectCall, DialectEnd, HookDialect, PlainAnswer } from '../protocol/index.ts';
import { EnvironmentFile, type SessionVariables, withWritten } from '../runners/index.ts';
import type { Answer } from './answers/answer.ts';
import { type ForeignHook, outputOf } from './foreign.ts';
import { saidIn } from './hosting/said.ts';
import type { JsonObject } from './rules.ts';
import { withinLimit } from './session/long-texts.ts';

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

/** One run of a hook: what it reads and finds, and what is made of its end. */
class Run implements DialectCall {
  readonly #hook: ForeignHook;
  readonly #shared: Shared;
  readonly #session: string;
  readonly #at: string;
  readonly #loops: number;
  readonly #fed: ReturnType<ForeignHook['inputFor']>;
  #file: EnvironmentFile | undefined;

  constructor(hook: ForeignHook, shared: Shared, seen: Loops, input: Readonly<JsonObject>, callId: string) {
    const { session_id: session, timestamp, stop_count: stops } = input;
    this.#hook = hook;
    this.#shared = shared;
    this.#session = String(session ?? '');
    this.#at = String(timestamp ?? '');
    this.#loops = typeof stops === 'number' ? stops : 0;
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

  #keep(variables: Readonly<Record<string, string>>): readonly string[] {
    const { variables: kept, order } = this.#shared;
    return kept.keep(this.#session, this.#hook.entry.scope, { at: this.#at, order, variables });
  }

  /** What it wrote down for the session goes to later hooks, and to the host. */
  #withFile(answer: DialectAnswer): DialectAnswer {
    if (this.#file === undefined) return answer;
    const { variable = '' } = this.#hook.dialect.process.environmentFile ?? {};
    const { output, notes } = withWritten(answer.output, this.#file, variable, (variables) => this.#keep(variables));
    return { ...answer, ...(output === undefined ? {} : { output }), notes: [...answer.notes, ...notes] };
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
  /** How many events it was asked about. */
  const seen = new Loops();
  return {
    name: dialect.name,
    title: dialect.title,
    event: entry.event,
    matcherProblem: matcher.problem === undefined ? undefined : { message: matcher.problem },
    sameAs: hook.sameAs,
    plugin: entry.plugin && { root: entry.plugin.root, variables: ofPlugin },
    isAsync: entry.handler?.isAsync === true ? true : undefined,
    matches: (context) => hook.plans(context),
    takes: (input) => hook.inputFor({ ...input }, '').isTaken,
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
    begin: (input, callId) => new Run(hook, shared, seen, { ...input }, callId),
  };
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
