import { resolve } from 'node:path';
import { isRecord } from '../kit/index.ts';
import { readBeginning } from '../kit/node.ts';
import type { RegexMatcher } from '../planner/index.ts';
import type { DialectAnswer, HookOutput } from '../protocol/index.ts';
import { compileDialectMatcher, type DialectMatcher } from './agent-matcher.ts';
import type { Answer, Ended, Said } from './answers/answer.ts';
import { stricter, withFeedback } from './answers/stricter.ts';
import { type UnreadFields, unreadFields } from './answers/unread-fields.ts';
import type { Call, Dialect, EventRule, JsonObject } from './dialect.ts';
import type { DialectMode } from './dialect-options.ts';
import { dialects } from './dialect-table.ts';
import type { DialectEntry } from './reading/read-file.ts';
import { isToolSubject } from './rules.ts';
import { namesServerTool, possibleNames, splitCall, type Translated, translateCall } from './tools/translate.ts';
import { shellNamed, type Vocabulary } from './tools/vocabulary.ts';

/** As much of a file as an agent hands over to its hooks. */
const MAX_TEXT_BYTES = 1_048_576;

export interface ForeignOptions {
  readonly mode: DialectMode;
  readonly version: string;
  /** How the host calls its tools. Without it, names are looked up in the dialect itself, then in all others. */
  readonly tools?: Vocabulary | undefined;
  readonly projectDir: string;
  readonly matchRegex: RegexMatcher;
}

/** What planning knows of an event. */
export interface ForeignContext {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
}

/** What a hook gets, and the way back for what it changes. */
export interface ForeignInput {
  readonly stdin: JsonObject;
  readonly translated?: Translated;
  /** The result of the tool, after it has run. */
  readonly response?: unknown;
  /** Whether the matcher takes what is known only now. */
  readonly isTaken: boolean | 'timeout';
  /** Whether its condition does, too. */
  readonly matches: boolean | 'timeout';
}

/** What is counted in a session. */
export interface Counts {
  /** How often in a row the agent was sent on. */
  readonly loops?: number;
  /** How many of these events came before. */
  readonly nth?: number;
}

/** A hook's answer in our words. */
export interface ForeignAnswer extends DialectAnswer {
  /** A rewrite that cannot be said in the host's words. */
  readonly lost?: string;
}

const withoutUndefined = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

/** A translated answer as the hook output with the same meaning. */
export const outputOf = (
  { decision, reason, stop, context, message, suppressOutput, specific }: Said,
  toolInput?: JsonObject,
): HookOutput => {
  const inner = withoutUndefined({ ...specific, additionalContext: context, tool_input: toolInput });
  return withoutUndefined({
    decision,
    reason,
    ...(stop === undefined ? {} : { continue: false, stopReason: stop.reason === '' ? undefined : stop.reason }),
    systemMessage: message,
    suppressOutput,
    hookSpecificOutput: Object.keys(inner).length === 0 ? undefined : inner,
  });
};

/** What of the arguments is different, as the patch our engine applies; what was taken away becomes `undefined`. */
const patchBetween = (before: Readonly<JsonObject>, after: Readonly<JsonObject>): JsonObject => {
  const changed = Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]));
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { ...Object.fromEntries(changed), ...Object.fromEntries(removed.map((key) => [key, undefined])) };
};

const WITHHELD = 'a hook puts another result in place of this one, in a form that cannot be read';

const textOfPart = (part: unknown): string | undefined =>
  isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : undefined;

/** The text of a result in the form of an MCP server. */
const textOfContent = ({ content }: JsonObject): string | undefined => {
  const texts = Array.isArray(content) ? content.map(textOfPart) : [];
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join('\n') : undefined;
};

/** What a hook puts in place of a result, in the form in which the host handed the result over; `undefined` if there is none. */
const resultLike = (response: unknown, updated: unknown): unknown => {
  if (updated === null) return undefined;
  if (typeof updated === 'string' || !isRecord(response) || !('llmContent' in response)) return updated;
  if (isRecord(updated) && 'llmContent' in updated) return updated;
  if (typeof response.llmContent !== 'string') return { llmContent: updated };
  return (isRecord(updated) ? textOfContent(updated) : undefined) ?? JSON.stringify(updated);
};

/** One hook of another agent, as our engine plans, feeds and hears it. */
export class ForeignHook {
  readonly dialect: Dialect;
  readonly entry: DialectEntry;
  readonly rule: EventRule;
  readonly mode: DialectMode;
  readonly version: string;
  readonly matcher: DialectMatcher;
  readonly #options: ForeignOptions;

  constructor(dialect: Dialect, entry: DialectEntry, rule: EventRule, options: ForeignOptions) {
    this.dialect = dialect;
    this.entry = entry;
    this.rule = rule;
    this.mode = options.mode;
    this.version = options.version;
    this.#options = options;
    const matcherRule = rule.matcher ?? dialect.matcher(options.version);
    this.matcher = compileDialectMatcher(
      rule.subject === undefined && rule.literal === undefined ? undefined : entry.matcher,
      matcherRule,
      options.matchRegex,
    );
  }

  /** What it has in common with hooks of which its agent runs one. */
  get sameAs(): string | undefined {
    const { type, command, args, url, name, shell, cwd, env, headers, prompt, server, tool, input } =
      this.entry.handler ?? {};
    const ofHost = [prompt, server, tool, input];
    const key = JSON.stringify([type, command, args, url, shell, cwd, env, headers, ...ofHost]);
    const same = this.dialect.sameAs({ command: command ?? url, name, key });
    // The copy of a plugin stays a hook of its own.
    const { plugin } = this.entry;
    return same === undefined || plugin === undefined ? same : `${plugin.id}\n${same}`;
  }

  get #vocabulary(): Vocabulary {
    return this.dialect.toolsFor?.(this.rule, this.version) ?? this.dialect.tools;
  }

  /** The vocabulary of the host. */
  #hostsWords(name: string): Vocabulary {
    const to = this.#vocabulary;
    const knows = (vocabulary: Vocabulary): boolean => vocabulary.tools.some(({ names }) => names.includes(name));
    const all = [to, ...dialects.map(({ tools }) => tools)];
    const guessed = all.find(knows) ?? all.find((vocabulary) => namesServerTool(name, vocabulary));
    return this.#options.tools ?? guessed ?? shellNamed(name) ?? to;
  }

  #translate(name: string, input: Readonly<JsonObject>, mcpServer?: string): Translated {
    return translateCall({ name, input }, this.#hostsWords(name), this.#vocabulary, mcpServer);
  }

  #possibleNames(name: string): readonly string[] | undefined {
    return possibleNames(name, this.#hostsWords(name), this.#vocabulary);
  }

  /** What our own hooks read, once for each thing that the call does. */
  split(input: Readonly<JsonObject>): readonly Readonly<JsonObject>[] {
    const { tool_name: name, tool_input: args } = input;
    if (typeof name !== 'string' || !isRecord(args)) return [input];
    const parts = splitCall({ name, input: args }, this.#hostsWords(name));
    return parts.length < 2 ? [input] : parts.map((part) => ({ ...input, tool_input: part }));
  }

  /**
   * Whether it would run, as far as that is known before its input is: the name of a tool, or what triggered the event. How
   * the name of a server's tool is to be read is known only from the call.
   */
  plans({ toolName, trigger }: ForeignContext): boolean | 'timeout' {
    const { subject, kinds, literal } = this.rule;
    if (literal !== undefined) return this.matcher.test([literal]);
    if (toolName !== undefined) {
      const { names, kind } = this.#translate(toolName, {});
      const possible = this.#possibleNames(toolName);
      if (possible !== undefined && kinds === undefined && isToolSubject(subject)) return this.matcher.test(possible);
      if (kinds !== undefined && (kind === undefined || !kinds.includes(kind))) return false;
      if (isToolSubject(subject)) return kind === 'mcp' || this.matcher.test(names);
    }
    if (trigger === undefined || subject === undefined) return true;
    const input = { source: trigger, reason: trigger, trigger, agent_type: trigger };
    const seen = this.dialect.stdin(this.#call(input, '', undefined))[subject];
    return this.matcher.test([typeof seen === 'string' ? seen : trigger]);
  }

  #call(
    input: Readonly<JsonObject>,
    callId: string,
    translated: Translated | undefined,
    { loops = 0, nth = 0 }: Counts = {},
  ): Call {
    const { projectDir } = this.#options;
    const tool =
      translated === undefined
        ? {}
        : { tool: { ...translated.call, kind: translated.kind, input: { ...translated.call.input } } };
    const { entry, rule, version } = this;
    const textOf = (path: string): string =>
      readBeginning(resolve(String(input.cwd ?? projectDir), path), MAX_TEXT_BYTES)?.toString('utf8') ?? '';
    const { permission_mode: mode } = input;
    const about = typeof mode === 'string' ? { ...tool, permissionMode: mode } : tool;
    return { event: entry.event, rule, version, input, callId, projectDir, loops, nth, textOf, ...about };
  }

  /** What the hook reads, made of what our own hooks read. */
  inputFor(
    input: Readonly<JsonObject>,
    callId: string,
    counts: Counts = { loops: input.stop_hook_active === true ? 1 : 0 },
  ): ForeignInput {
    const { tool_name: name, tool_input: args, mcp_context: mcp, tool_use_id, call_id = tool_use_id } = input;
    const server =
      typeof mcp === 'object' && mcp !== null && 'server_name' in mcp ? String(mcp.server_name) : undefined;
    const given = typeof args === 'object' && args !== null ? { ...args } : {};
    const said = typeof name === 'string' ? this.#translate(name, given, server) : undefined;
    const translated = said === undefined ? undefined : this.#handedOn(said, String(input.cwd ?? ''));
    const call = this.#call(input, typeof call_id === 'string' ? call_id : callId, translated, counts);
    const stdin = withoutUndefined(this.dialect.stdin(call));
    const isOpen = typeof name === 'string' && this.#possibleNames(name) !== undefined;
    const { subject, literal } = this.rule;
    const fixed = literal === undefined ? undefined : [literal];
    const seen = subject === undefined ? fixed : this.#seenAt(subject, stdin, translated, isOpen);
    const isTaken = seen === undefined ? true : this.matcher.test(seen);
    const matches = isTaken === true ? this.#fits(call) : isTaken;
    const { tool_response: response } = input;
    return { stdin, isTaken, matches, response, ...(translated === undefined ? {} : { translated }) };
  }

  #handedOn(translated: Translated, cwd: string): Translated {
    const { call, kind } = translated;
    const input = this.dialect.handsOn?.(call.input, { kind, cwd, version: this.version }) ?? call.input;
    return { ...translated, call: { ...call, input } };
  }

  #fits(call: Call): boolean {
    const { condition } = this.entry.handler ?? {};
    return condition === undefined || this.dialect.fits?.(condition, call) !== false;
  }

  /** What a matcher is compared with now that the call is known. */
  #seenAt(
    subject: string,
    stdin: JsonObject,
    translated: Translated | undefined,
    isOpen: boolean,
  ): readonly string[] | undefined {
    const seen = stdin[subject];
    if (isToolSubject(subject)) {
      // A server's own name for its tool may be what a hook is told.
      const own = translated?.kind === 'mcp' && typeof seen === 'string' ? [seen] : [];
      return translated?.kind === 'mcp' || isOpen ? [...own, ...(translated?.names ?? [])] : undefined;
    }
    return typeof seen === 'string' ? [seen] : undefined;
  }

  /** The answer as the dialect reads it, and in `strict` mode an explicit block that the agent would have lost. */
  read(ended: Ended): Answer {
    const context = {
      event: this.entry.event,
      rule: this.rule,
      version: this.version,
      failClosed: this.entry.handler?.failClosed === true,
    };
    const answer = this.#asSaid(this.dialect.readAnswer(ended, context));
    const { blocks, keepsResult = false } = this.rule;
    if (this.mode !== 'strict' || !(blocks || keepsResult)) return answer;
    const blockIn = (document: JsonObject): string | undefined => this.dialect.blockIn(document, this.entry.event);
    return keepsResult ? withFeedback(answer, ended, blockIn) : stricter(answer, ended, blockIn);
  }

  /** What of an answer nothing reads. */
  unread(ended: Ended): UnreadFields {
    const { title } = this.dialect;
    return unreadFields(ended, (other) => this.read(other), { title, blocks: this.rule.blocks });
  }

  /** What counts here although it is lost there as soon as a second hook answers. */
  #asSaid(answer: Answer): Answer {
    const { decision } = answer.said ?? {};
    const lost = this.dialect.losesBesideOthers?.({ event: this.entry.event, version: this.version }) ?? [];
    if (this.mode !== 'strict' || decision === undefined || !lost.includes(decision)) return answer;
    const note = `"${decision}" is lost there as soon as a second hook answers; it counts here`;
    return { ...answer, swallowed: [...answer.swallowed, note] };
  }

  inOurWords({ said, failed, swallowed }: Answer, { translated, response }: ForeignInput): ForeignAnswer {
    const notes = swallowed.map((what) => `${this.dialect.title}: ${what}`);
    if (said?.toolOutput !== undefined) {
      const { isMcpOutput, toolOutput, ...others } = said;
      if (isMcpOutput === true && translated?.kind !== 'mcp' && this.mode === 'faithful') {
        const note = `${this.dialect.title}: the result of a tool that is no tool of an MCP server stays as it is`;
        return { output: outputOf(others), notes: [...notes, note] };
      }
      const updatedOutput = resultLike(response, toolOutput);
      if (updatedOutput === undefined)
        return { output: outputOf({ ...said, decision: 'deny', reason: WITHHELD }), notes };
      return { output: outputOf({ ...said, specific: { ...said.specific, updatedOutput } }), notes };
    }
    if (said === undefined) return failed === undefined ? { notes } : { failed, notes };
    const format = { ...(said.isText === true ? { isText: true as const } : {}), mark: said.mark };
    if (said.toolInput === undefined || translated === undefined) return { output: outputOf(said), notes, ...format };
    const back = translated.back(said.toolInput);
    // An approval of another call than the one there is approves nothing.
    const decision = said.decision === 'allow' ? undefined : said.decision;
    if ('lost' in back)
      return { lost: back.lost, output: outputOf({ ...said, decision, toolInput: undefined }), notes };
    const before = translated.back(translated.call.input);
    const patch = 'lost' in before ? back.input : patchBetween(before.input, back.input);
    return { output: outputOf(said, Object.keys(patch).length === 0 ? undefined : patch), notes, mark: said.mark };
  }
}
