// Runs a hook of another agent by that agent's rules: when it matches, its stdin, and the meaning of its answer.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { ContinueCounter } from '../events/index.ts';
import { isRecord, omitUndefined } from '../kit/index.ts';
import { readBeginning } from '../kit/node.ts';
import { matchRegex } from '../planner/index.ts';
import type {
  AgentHook,
  AgentHookAnswer,
  AgentHookResult,
  AgentHookRun,
  AnswerToMerge,
  HookOutput,
} from '../protocol/index.ts';
import { addWrittenVariables, EnvironmentFile, SessionVariables } from '../runners/index.ts';
import { type AgentMatcher, compileAgentMatcher } from './agent-matcher.ts';
import { dialects } from './agent-table.ts';
import { type Answer, type Ended, toOutput, toSaid } from './answers/answer.ts';
import { addLostFeedback, restoreLostVerdict } from './answers/stricter.ts';
import { findUnreadFields, type UnreadFields } from './answers/unread-fields.ts';
import { cutAnswerToLimit } from './long-texts.ts';
import type { DialectEntry } from './reading/read-file.ts';
import { type AgentEventCall, type EventRule, isToolSubject, type JsonObject } from './rule-types.ts';
import type { AgentRules, DialectMode } from './rules.ts';
import { type CallTranslation, isMcpName, listPossibleNames, splitCall, translateCall } from './tools/translate.ts';
import { createShellVocabulary, type Vocabulary } from './tools/vocabulary.ts';

const MAX_FILE_TEXT_BYTES = 1_048_576;

export interface AgentHookOptions {
  readonly mode: DialectMode;
  readonly version: string;
  /** The host's tools; by default those of the agent that has a tool with the called name. */
  readonly tools?: Vocabulary | undefined;
  readonly projectDir: string;
  readonly matcherProblem?: AgentHook['matcherProblem'];
  readonly shared?: SharedHookState;
}

export interface SharedHookState {
  readonly variables: SessionVariables;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly order: number;
}

export interface HookStdin {
  readonly stdin: JsonObject;
  readonly translated?: CallTranslation;
  readonly response?: unknown;
  readonly isMatched: boolean | 'timeout';
  /** Also considers the handler's `if` condition, unlike `isMatched`. */
  readonly matches: boolean | 'timeout';
}

interface EventCounts {
  readonly loops?: number;
  readonly nth?: number;
}

export interface TranslatedAnswer extends AgentHookAnswer {
  /** Why arguments that the hook changed cannot be translated to the host's tool. */
  readonly lost?: string;
}

export class InterpretedHook implements AgentHook {
  readonly name: string;
  readonly title: string;
  readonly event: string;
  readonly matcherProblem: AgentHook['matcherProblem'];
  readonly plugin: AgentHook['plugin'];
  readonly isAsync: AgentHook['isAsync'];
  readonly merge: AgentHook['merge'];
  readonly filledIn: readonly string[];
  readonly withholds: AgentHook['withholds'];
  readonly matcher: AgentMatcher;
  readonly rules: AgentRules;
  readonly entry: DialectEntry;
  readonly rule: EventRule;
  readonly mode: DialectMode;
  readonly version: string;
  readonly shared: SharedHookState;
  readonly #options: AgentHookOptions;
  readonly #eventCounter = new ContinueCounter();

  constructor(rules: AgentRules, entry: DialectEntry, rule: EventRule, options: AgentHookOptions) {
    const { mode, version } = options;
    const { event, plugin, handler } = entry;
    const isMatched = rule.subject !== undefined || rule.literal !== undefined;
    const withheld = rules.process.withholds?.(version) ?? [];
    this.name = rules.name;
    this.title = rules.title;
    this.event = event;
    this.rules = rules;
    this.entry = entry;
    this.rule = rule;
    this.mode = mode;
    this.version = version;
    this.#options = options;
    this.shared = options.shared ?? { variables: new SessionVariables(), env: {}, order: 0 };
    this.matcher = compileAgentMatcher(
      isMatched ? entry.matcher : undefined,
      rule.matcher ?? rules.matcher(version),
      matchRegex,
    );
    const { problem } = this.matcher;
    this.matcherProblem = options.matcherProblem ?? (problem === undefined ? undefined : { message: problem });
    this.plugin = plugin && { root: plugin.root, variables: rules.plugins?.variables(plugin) ?? {} };
    this.isAsync = handler?.isAsync === true ? true : undefined;
    this.merge = mode === 'faithful' ? (answers) => this.#merge(answers) : undefined;
    this.filledIn = rules.process.filledIn?.(version) ?? [];
    this.withholds = (name) => withheld.some((pattern) => matchesNamePattern(name, pattern));
  }

  get sameAs(): string | undefined {
    const { handler, plugin } = this.entry;
    const { type, command, args, url, name, shell, cwd, env, headers, prompt, server, tool, input } = handler ?? {};
    const key = JSON.stringify([type, command, args, url, shell, cwd, env, headers, prompt, server, tool, input]);
    const same = this.rules.sameAs?.({ command: command ?? url, name, key });
    // The agent runs a hook of a plugin even if the user configured the same hook.
    return same === undefined || plugin === undefined ? same : `${plugin.id}\n${same}`;
  }

  readonly environment: AgentHook['environment'] = (place) => ({
    ...this.rules.process.environment({ ...place, version: this.version }),
    ...this.plugin?.variables,
    HOOKWRIGHT_DIALECT: this.name,
    HOOKWRIGHT_DIALECT_EVENT: this.event,
  });

  /**
   * The engine plans before the input exists, so only the tool's name or the trigger decides. Names of an MCP server's
   * tools are known only with the call.
   */
  matches({ toolName, trigger }: Parameters<AgentHook['matches']>[0]): boolean | 'timeout' {
    const { subject, kinds, literal } = this.rule;
    if (literal !== undefined) return this.matcher.test([literal]);
    if (toolName !== undefined) {
      const { names, kind } = this.#translate(toolName, {});
      const possible = this.#listPossibleNames(toolName);
      if (possible !== undefined && kinds === undefined && isToolSubject(subject)) return this.matcher.test(possible);
      if (kinds !== undefined && (kind === undefined || !kinds.includes(kind))) return false;
      if (isToolSubject(subject)) return kind === 'mcp' || this.matcher.test(names);
    }
    if (trigger === undefined || subject === undefined) return true;
    const input = { source: trigger, reason: trigger, trigger, agent_type: trigger };
    const value = this.rules.stdin(this.#createCall(input, ''))[subject];
    return this.matcher.test([typeof value === 'string' ? value : trigger]);
  }

  get condition(): string | undefined {
    return this.entry.handler?.condition;
  }

  toolFor(toolName: string): ReturnType<AgentHook['toolFor']> {
    const { call } = this.#translate(toolName, {});
    const isOpen = this.#listPossibleNames(toolName) !== undefined;
    const fits = (): boolean => isOpen || this.inputFor({ tool_name: toolName, tool_input: {} }, '').matches !== false;
    return { name: call.name, fits: this.matches({ toolName }) !== false && fits() };
  }

  withMatcher(matcher: string | undefined, event = this.event): InterpretedHook {
    const rule = event === this.event ? this.rule : (this.rules.events(this.version)[event] ?? { blocks: true });
    const as = (text: string | undefined): InterpretedHook =>
      new InterpretedHook(this.rules, { ...this.entry, event, matcher: text }, rule, this.#options);
    const hook = as(matcher);
    return hook.matcher.problem === undefined ? hook : as(undefined);
  }

  matchesInput(input: object): boolean | 'timeout' {
    return this.inputFor({ ...input }, '').isMatched;
  }

  split(input: object): readonly Readonly<JsonObject>[] {
    const whole: JsonObject = { ...input };
    const { tool_name: name, tool_input: args } = whole;
    if (typeof name !== 'string' || !isRecord(args)) return [whole];
    const parts = splitCall({ name, input: args }, this.#selectHostTools(name));
    return parts.length < 2 ? [whole] : parts.map((part) => ({ ...whole, tool_input: part }));
  }

  begin(input: object, callId: string): AgentHookRun {
    const payload: JsonObject = { ...input };
    const nth = this.#eventCounter.count(String(payload.session_id ?? ''), true) - 1;
    return new InterpretedRun(this, payload, callId, nth);
  }

  inputFor(
    input: Readonly<JsonObject>,
    callId: string,
    counts: EventCounts = { loops: input.stop_hook_active === true ? 1 : 0 },
  ): HookStdin {
    const { tool_name: name, tool_input: args, tool_response: response } = input;
    const { mcp_context: mcp, tool_use_id, call_id = tool_use_id } = input;
    const server = isRecord(mcp) && 'server_name' in mcp ? String(mcp.server_name) : undefined;
    const translated =
      typeof name === 'string'
        ? this.#changeArguments(this.#translate(name, isRecord(args) ? args : {}, server), String(input.cwd ?? ''))
        : undefined;
    const call = this.#createCall(input, typeof call_id === 'string' ? call_id : callId, translated, counts);
    const stdin = omitUndefined(this.rules.stdin(call));
    const isOpen = typeof name === 'string' && this.#listPossibleNames(name) !== undefined;
    const names = this.#listNamesToMatch(stdin, translated, isOpen);
    const isMatched = names === undefined ? true : this.matcher.test(names);
    const { condition } = this.entry.handler ?? {};
    const fits = condition === undefined || this.rules.fits?.(condition, call) !== false;
    const matches = isMatched === true ? fits : isMatched;
    return { stdin, isMatched, matches, response, ...(translated === undefined ? {} : { translated }) };
  }

  read(ended: Ended): Answer {
    const { rule, version } = this;
    const { event, handler } = this.entry;
    const failClosed = handler?.failClosed === true;
    const answer = this.#keepLostDecision(this.rules.readAnswer(ended, { event, rule, version, failClosed }));
    return this.mode === 'strict' ? applyStrictMode(answer, ended, this.rules, event, rule) : answer;
  }

  findUnreadFields(ended: Ended): UnreadFields {
    return findUnreadFields(ended, (other) => this.read(other), { title: this.title, blocks: this.rule.blocks });
  }

  translateBack({ said, failed, swallowed }: Answer, { translated, response }: HookStdin): TranslatedAnswer {
    const notes = swallowed.map((what) => `${this.title}: ${what}`);
    if (said === undefined) return failed === undefined ? { notes } : { failed, notes };
    if (said.toolOutput !== undefined) {
      const { isMcpOutput, toolOutput, ...others } = said;
      if (isMcpOutput === true && translated?.kind !== 'mcp' && this.mode === 'faithful') {
        const note = `${this.title}: the result of a tool that is no tool of an MCP server stays as it is`;
        return { output: toOutput(others), notes: [...notes, note] };
      }
      const updatedOutput = shapeLikeResponse(response, toolOutput);
      return updatedOutput === undefined
        ? { output: toOutput({ ...said, decision: 'deny', reason: WITHHELD_REASON }), notes }
        : { output: toOutput({ ...said, specific: { ...said.specific, updatedOutput } }), notes };
    }
    const isText = said.isText === true ? { isText: true as const } : {};
    if (said.toolInput === undefined || translated === undefined)
      return { output: toOutput(said), notes, ...isText, mark: said.mark };
    const back = translated.back(said.toolInput);
    // The hook approved its own version of the call, which will not run.
    const decision = said.decision === 'allow' ? undefined : said.decision;
    if ('lost' in back)
      return { lost: back.lost, output: toOutput({ ...said, decision, toolInput: undefined }), notes };
    const before = translated.back(translated.call.input);
    const patch = 'lost' in before ? back.input : diffArguments(before.input, back.input);
    return { output: toOutput(said, Object.keys(patch).length === 0 ? undefined : patch), notes, mark: said.mark };
  }

  grant(output: HookOutput | undefined): { grantsNothing?: true } {
    const { event, version } = this;
    return output?.decision === 'allow' && this.rules.grantsNothing?.({ event, version }) === true
      ? { grantsNothing: true }
      : {};
  }

  #merge(all: readonly AnswerToMerge[]): AnswerToMerge {
    const { event, version } = this;
    const answers = all.map(({ output, isText, mark, scope }) => ({
      said: { ...toSaid(output), isText, mark, scope },
      swallowed: [],
    }));
    const { said, swallowed: notes } = this.rules.merge(answers, { event, version });
    if (said === undefined) return { output: {}, notes };
    const output = toOutput(said, said.toolInput);
    return { output, isText: said.isText, notes, ...this.grant(output) };
  }

  get #agentTools(): Vocabulary {
    return this.rules.toolsFor?.(this.rule, this.version) ?? this.rules.tools;
  }

  #selectHostTools(name: string): Vocabulary {
    if (this.#options.tools !== undefined) return this.#options.tools;
    const own = this.#agentTools;
    const all = [own, ...dialects.map(({ tools }) => tools)];
    const knows = (vocabulary: Vocabulary): boolean => vocabulary.tools.some(({ names }) => names.includes(name));
    return (
      all.find(knows) ?? all.find((vocabulary) => isMcpName(name, vocabulary)) ?? createShellVocabulary(name) ?? own
    );
  }

  #translate(name: string, input: Readonly<JsonObject>, mcpServer?: string): CallTranslation {
    return translateCall({ name, input }, this.#selectHostTools(name), this.#agentTools, mcpServer);
  }

  #listPossibleNames(name: string): readonly string[] | undefined {
    return listPossibleNames(name, this.#selectHostTools(name), this.#agentTools);
  }

  #changeArguments(translated: CallTranslation, cwd: string): CallTranslation {
    const { call, kind } = translated;
    const input = this.rules.handsOn?.(call.input, { kind, cwd, version: this.version }) ?? call.input;
    return { ...translated, call: { ...call, input } };
  }

  #createCall(
    input: Readonly<JsonObject>,
    callId: string,
    translated?: CallTranslation,
    { loops = 0, nth = 0 }: EventCounts = {},
  ): AgentEventCall {
    const { projectDir } = this.#options;
    const { event, rule, version } = this;

    const textOf = (path: string): string =>
      readBeginning(resolve(String(input.cwd ?? projectDir), path), MAX_FILE_TEXT_BYTES)?.toString('utf8') ?? '';
    return {
      ...{ event, rule, version, input, callId, projectDir, loops, nth, textOf },
      ...(translated && {
        tool: { ...translated.call, kind: translated.kind, input: { ...translated.call.input } },
      }),
    };
  }

  #listNamesToMatch(
    stdin: JsonObject,
    translated: CallTranslation | undefined,
    isOpen: boolean,
  ): readonly string[] | undefined {
    const { subject, literal } = this.rule;
    if (subject === undefined) return literal === undefined ? undefined : [literal];
    const value = stdin[subject];
    const own = typeof value === 'string' ? [value] : [];
    if (!isToolSubject(subject)) return typeof value === 'string' ? own : undefined;
    const isMcp = translated?.kind === 'mcp';
    // Matchers may use the name that the MCP server gives its tool.
    return isMcp || isOpen ? [...(isMcp ? own : []), ...(translated?.names ?? [])] : undefined;
  }

  #keepLostDecision(answer: Answer): Answer {
    const { event, version, mode } = this;
    const { decision } = answer.said ?? {};
    const lost = this.rules.losesBesideOthers?.({ event, version }) ?? [];
    if (mode !== 'strict' || decision === undefined || !lost.includes(decision)) return answer;
    const note = `"${decision}" is lost there as soon as a second hook answers; it counts here`;
    return { ...answer, swallowed: [...answer.swallowed, note] };
  }
}

export const applyStrictMode = (
  answer: Answer,
  ended: Ended,
  { blockIn }: AgentRules,
  event: string,
  { blocks, keepsResult }: EventRule,
): Answer => {
  if (!blocks && keepsResult !== true) return answer;
  return (keepsResult === true ? addLostFeedback : restoreLostVerdict)(answer, ended, (document) =>
    blockIn(document, event),
  );
};

class InterpretedRun implements AgentHookRun {
  readonly #hook: InterpretedHook;
  readonly #session: string;
  readonly #startedAt: string;
  readonly #loops: number;
  readonly #input: HookStdin;
  #file: EnvironmentFile | undefined;

  constructor(hook: InterpretedHook, payload: JsonObject, callId: string, nth: number) {
    const { session_id: session, timestamp, stop_count: stops } = payload;
    this.#hook = hook;
    this.#session = String(session ?? '');
    this.#startedAt = String(timestamp ?? '');
    this.#loops = typeof stops === 'number' ? stops : 0;
    this.#input = hook.inputFor(payload, callId, { loops: this.#loops, nth });
  }

  get stdin(): object {
    return this.#input.stdin;
  }

  get matches(): boolean | 'timeout' {
    return this.#input.matches;
  }

  variables(): Readonly<Record<string, string>> {
    const { rules, entry, shared } = this.#hook;
    const { environmentFile: rule } = rules.process;
    // Agents create a plugin's data folder before its first hook runs.
    if (entry.plugin !== undefined && rules.plugins?.data !== undefined) createFolder(entry.plugin.data);
    const variables = shared.variables.for(this.#session, entry.scope);
    if (rule?.events.includes(entry.event) !== true) return variables;
    this.#file ??= new EnvironmentFile();
    const { path } = this.#file;
    return path === undefined ? variables : { ...variables, [rule.variable]: path };
  }

  readAnswer(result: AgentHookResult): AgentHookAnswer {
    const hook = this.#hook;
    const { problems, verdictLost } = hook.findUnreadFields(result);
    const read = hook.read(result);
    const answer = this.#applyLimits(
      verdictLost && hook.mode === 'strict' ? dropAllow(read) : read,
      result.isHttp === true,
    );
    const variables = answer.said?.environment;
    const refused = variables === undefined ? [] : this.#keepVariables(variables);
    const { lost, ...translated } = hook.translateBack(answer, this.#input);
    return this.#addFileVariables({
      ...translated,
      ...(problems.length === 0 ? {} : { problems }),
      ...(verdictLost ? { verdictLost: true } : {}),
      ...hook.grant(translated.output),
      notes: [...translated.notes, ...refused],
      // A call whose change is only half translated must not run.
      ...(lost === undefined ? {} : { failed: `changed what cannot be changed here: ${lost}` }),
    });
  }

  #applyLimits(answer: Answer, isHttp: boolean): Answer {
    const { rules, entry, mode, event, version, shared } = this.#hook;
    const { loopLimit, contextTokens } = entry.handler ?? {};
    const most =
      loopLimit === undefined ? rules.loopCap?.({ event, version, env: shared.env }) : (loopLimit ?? undefined);
    const isKept = loopLimit === undefined && mode === 'strict';
    const within = most === undefined ? answer : limitForcedContinuations(answer, this.#loops, most, isKept);
    return cutAnswerToLimit(within, rules.textLimit?.({ event, version, isHttp, contextTokens }));
  }

  #keepVariables(variables: Readonly<Record<string, string>>): readonly string[] {
    const { shared, entry } = this.#hook;
    return shared.variables.keep(this.#session, entry.scope, { at: this.#startedAt, order: shared.order, variables });
  }

  #addFileVariables(answer: AgentHookAnswer): AgentHookAnswer {
    if (this.#file === undefined) return answer;
    const { variable = '' } = this.#hook.rules.process.environmentFile ?? {};
    const { output, notes } = addWrittenVariables(answer.output, this.#file, variable, (variables) =>
      this.#keepVariables(variables),
    );
    return { ...answer, ...(output === undefined ? {} : { output }), notes: [...answer.notes, ...notes] };
  }
}

/** The unreadable part of the answer may have been a denial. */
const dropAllow = (answer: Answer): Answer =>
  answer.said?.decision === 'allow' ? { ...answer, said: { ...answer.said, decision: undefined } } : answer;

const limitForcedContinuations = (
  answer: Answer,
  timesContinued: number,
  maxTimes: number,
  isDenialKept: boolean,
): Answer => {
  if (answer.said?.decision !== 'deny' || timesContinued < maxTimes) return answer;
  const { decision: _lost, reason, ...rest } = answer.said;
  const times = `the agent was sent on ${timesContinued} times, and no more than ${maxTimes} are heeded`;
  return isDenialKept
    ? { ...answer, swallowed: [...answer.swallowed, `${times} there; it counts here all the same`] }
    : { ...answer, said: rest, swallowed: [...answer.swallowed, `${times}: ${reason ?? 'it gave no reason'}`] };
};

const createFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // A hook that needs the folder will report the failure itself.
  }
};

const matchesNamePattern = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

const diffArguments = (before: Readonly<JsonObject>, after: Readonly<JsonObject>): JsonObject => {
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]));
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(removed.map((key) => [key, undefined])) };
};

const WITHHELD_REASON = 'a hook puts another result in place of this one, in a form that cannot be read';

const readMcpText = ({ content }: JsonObject): string | undefined => {
  const texts = (Array.isArray(content) ? content : []).map((part: unknown) =>
    isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : undefined,
  );
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
};

const shapeLikeResponse = (response: unknown, updated: unknown): unknown => {
  if (updated === null) return undefined;
  if (typeof updated === 'string' || !isRecord(response) || !('llmContent' in response)) return updated;
  if (isRecord(updated) && 'llmContent' in updated) return updated;
  if (typeof response.llmContent !== 'string') return { llmContent: updated };
  return (isRecord(updated) ? readMcpText(updated) : undefined) ?? JSON.stringify(updated);
};
