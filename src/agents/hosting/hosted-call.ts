// One call by an agent that runs hookwright as its hook: recognises the agent, reads its stdin and writes its answer.
import { omitUndefined, readAtPath } from '../../kit/index.ts';
import type { HostTool } from '../../planner/index.ts';
import type { HookOutput } from '../../protocol/index.ts';
import { engineMembers } from '../agent-events.ts';
import { readObject, type Said, toSaid } from '../answers/answer.ts';
import type { SearchLocations } from '../find-agent-files.ts';
import { loadAgentRules } from '../load-agents.ts';
import type { AgentEvent, JsonObject } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';
import { listCalledTools } from '../tools/vocabulary.ts';
import { isGateEvent, joinLines, type WrittenAnswer } from './host-rule.ts';

const findNonEmptyText = (values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

const addCallId = (
  payload: JsonObject,
  { tool_use_id, toolUseId, tool_call_id, toolCallId }: JsonObject,
): JsonObject => {
  const id = findNonEmptyText([tool_use_id, toolUseId, tool_call_id, toolCallId]);
  return id === undefined || payload.tool_name === undefined ? payload : { ...payload, call_id: id };
};

export class HostedCall {
  readonly agent: string;
  readonly title: string;
  readonly tools: readonly HostTool[];
  readonly mcpNames: string | undefined;
  readonly event: string;
  readonly moment: string | undefined;
  readonly isGate: boolean;
  readonly document: Readonly<JsonObject>;
  readonly payload: JsonObject;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  readonly transcriptPath: string | undefined;
  readonly workspaceRoots: readonly string[];
  readonly members: Readonly<JsonObject>;
  readonly #dialect: AgentRules;
  readonly #spot: AgentEvent;

  constructor(dialect: AgentRules, spot: AgentEvent, document: Readonly<JsonObject>) {
    const { rule, version } = spot;
    const { session_id, sessionId, conversation_id, conversationId } = document;
    const { workspace_roots, workspaceRoots, workspacePaths } = document;
    const roots = [workspace_roots, workspaceRoots, workspacePaths].find(Array.isArray) ?? [];
    this.#dialect = dialect;
    this.#spot = spot;
    this.agent = dialect.name;
    this.title = dialect.title;
    this.tools = listCalledTools(dialect.toolsFor?.(rule, version) ?? dialect.tools);
    this.mcpNames = dialect.tools.mcp;
    this.event = spot.event;
    this.moment = rule.moment;
    this.isGate = isGateEvent(rule.moment);
    this.document = document;
    this.payload = addCallId(dialect.host.read(document, spot), document);
    this.sessionId = findNonEmptyText([session_id ?? sessionId ?? conversation_id ?? conversationId]);
    this.cwd = findNonEmptyText([document.cwd]);
    this.transcriptPath = findNonEmptyText([document.transcript_path, document.transcriptPath]);
    this.workspaceRoots = roots.filter((root: unknown) => typeof root === 'string');
    this.members = Object.fromEntries(Object.entries(document).filter(([key]) => !engineMembers.has(key)));
  }

  get projectVariables(): readonly string[] {
    const projectDir = '/project';
    const place = { projectDir, cwd: '/cwd', sessionId: 's', version: this.#spot.version };
    const made = this.#dialect.process.environment(place);
    return Object.keys(made).filter((name) => made[name] === projectDir);
  }

  answerWithoutDecision(): WrittenAnswer {
    return this.#write({});
  }

  answerFailedGuard(reason: string): WrittenAnswer {
    return this.#write(this.isGate ? { decision: 'deny', reason } : {});
  }

  /** The text goes to the user, else to the model; `undefined` if the agent reads neither. */
  answerWithText(
    { user, model }: { readonly user: string; readonly model: string },
    output: HookOutput | undefined,
    isOnlyFault: boolean,
  ): WrittenAnswer | undefined {
    const shown = this.answer(output ?? {}, isOnlyFault, { message: user });
    if (containsText(shown, user)) return shown;
    const read = this.answer(output ?? {}, isOnlyFault, { context: model });
    return containsText(read, model) ? read : undefined;
  }

  /** `isOnlyFault`: all denials come from failed hooks; events that do not wait for a permission drop them. */
  answer(
    output: HookOutput | undefined,
    isOnlyFault: boolean,
    besides: Pick<Said, 'message' | 'context'> = {},
  ): WrittenAnswer {
    if (output === undefined) return this.answerWithoutDecision();
    const said = toSaid(output);
    const toolInput = said.toolInput && omitUndefined({ ...readObject(this.payload.tool_input), ...said.toolInput });
    const { onFault: _marked, updatedOutput, ...others } = said.specific ?? {};
    const { environment: _variables, environmentScript: _lines, ...spoken } = others;
    // Agents read variables from a file, not from the answer.
    const specific = this.writeVariables(output) === undefined ? others : spoken;
    const { decision, reason } = said;
    const isDropped = isOnlyFault && !this.isGate && (updatedOutput === undefined || decision === 'deny');
    const whole: Said = {
      ...said,
      ...(isDropped ? { decision: undefined, reason: undefined } : {}),
      message: joinLines(besides.message, said.message ?? (isDropped ? reason : undefined)),
      context: joinLines(besides.context, said.context),
      toolInput,
      specific: Object.keys(specific).length === 0 ? undefined : specific,
    };
    return updatedOutput !== undefined && decision !== 'deny'
      ? this.#withResult(whole, updatedOutput)
      : this.#write(whole);
  }

  /** `lines` must be appended to the agent's environment file, whose path is in `variable`. */
  writeVariables(output: HookOutput | undefined): { readonly variable: string; readonly lines: string } | undefined {
    const { environmentFile: rule } = this.#dialect.process;
    const { environment, environmentScript } = output?.hookSpecificOutput ?? {};
    const script = typeof environmentScript === 'string' ? environmentScript.trim() : '';
    const exports = Object.entries(readObject(environment) ?? {}).flatMap(([name, value]) =>
      typeof value !== 'string' || !/^[A-Za-z_]\w*$/.test(name) || script.includes(`${name}=`)
        ? []
        : `export ${name}='${value.replaceAll("'", "'\\''")}'`,
    );
    const lines = [...exports, ...(script === '' ? [] : [script])];
    if (rule?.events.includes(this.event) !== true || lines.length === 0) return undefined;
    return { variable: rule.variable, lines: `${lines.join('\n')}\n` };
  }

  /** If the agent cannot replace the result, the result is denied, because the model must not read the original. */
  #withResult(said: Said, updated: unknown): WrittenAnswer {
    const words = this.#dialect.host.replaceResult?.(updated, this.document);
    const text = typeof updated === 'string' ? updated : JSON.stringify(updated);
    if (words === undefined) return this.#write({ ...said, decision: 'deny', reason: said.reason ?? text });
    const { stdout = {}, ...written } = this.#write(said);
    const inner = { ...readObject(stdout.hookSpecificOutput), ...readObject(words.hookSpecificOutput) };
    const hookSpecificOutput = Object.keys(inner).length === 0 ? {} : { hookSpecificOutput: inner };
    return { ...written, stdout: { ...stdout, ...words, ...hookSpecificOutput } };
  }

  #write(said: Said): WrittenAnswer {
    return this.#dialect.host.write(said, this.#spot);
  }
}

/** With exit code 2 agents do not read stdout. */
const containsText = ({ stdout, exitCode }: WrittenAnswer, text: string): boolean =>
  exitCode === 0 && JSON.stringify(stdout ?? {}).includes(JSON.stringify(text).slice(1, -1));

export type HostedReading = { readonly call: HostedCall } | { readonly unknown: string };

export interface HostedOptions {
  readonly dialect: AgentRules | readonly AgentRules[];
  readonly event?: string | undefined;
  readonly version?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const recogniseCall = (
  document: Readonly<JsonObject>,
  { dialect, event, version, env }: HostedOptions,
): HostedReading => {
  const its = 'name' in dialect ? dialect : recogniseAgent(document, env, dialect)?.dialect;
  if (its === undefined) return { unknown: 'no agent that is known speaks so' };
  const said = its.host.eventOf(document);
  const rules = its.events(version ?? its.latest);
  const name = [event, said].find((one) => one !== undefined && Object.hasOwn(rules, one)) ?? event ?? said;
  if (name === undefined) return { unknown: `${its.title} does not say on stdin which event it is` };
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) return { unknown: `"${name}" is not an event of ${its.title}` };
  return { call: new HostedCall(its, { event: name, rule, version: version ?? its.latest }, document) };
};

export const readHostedCall = async (
  document: Readonly<JsonObject>,
  { dialect: name, ...more }: Omit<HostedOptions, 'dialect'> & { readonly dialect: string | undefined },
): Promise<HostedReading> => {
  const dialect = await loadAgentRules(name);
  const caller = 'host' in dialect ? dialect.host.findOtherCaller?.(document, more.event) : undefined;
  if (caller !== undefined) {
    const read = recogniseCall(document, { ...more, version: undefined, dialect: await loadAgentRules(caller) });
    if ('call' in read) return read;
  }
  return recogniseCall(document, { ...more, dialect });
};

export const listFilesThatApproveNothing = async (
  where: Pick<SearchLocations, 'cwd' | 'home' | 'env'>,
): Promise<readonly string[]> => {
  const [{ dialects }, { resolvePaths: pathsOf, findSearchLocations: searchLocations }] = await Promise.all([
    import('../agent-table.ts'),
    import('../find-agent-files.ts'),
  ]);
  const ours = dialects.filter(({ isOurs, grantsNothing }) => isOurs === true && grantsNothing !== undefined);
  const found = await Promise.all(
    ours.map(async (dialect) => {
      const place = await searchLocations(dialect, where);
      return dialect.files.flatMap((rule) => pathsOf(rule, place));
    }),
  );
  return found.flat();
};

export interface RecognisedAgent {
  readonly dialect: AgentRules;
  readonly event: string | undefined;
}

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const hasTool = ({ events, tools, toolsFor, latest }: AgentRules, event: string, tool: unknown): boolean => {
  const its = events(latest)[event];
  const vocabulary = its === undefined ? tools : (toolsFor?.(its, latest) ?? tools);
  return vocabulary.tools.some(({ names }) => names[0] === tool);
};

const rateAgentMatch = (
  dialect: AgentRules,
  document: Readonly<JsonObject>,
  env: EnvironmentVariables,
): number | undefined => {
  const { host } = dialect;
  const { signs, never = [], variable } = host.knownBy;
  if (never.some((key) => Object.hasOwn(document, key))) return undefined;
  const seen = signs.filter((keys) => keys.every((key) => Object.hasOwn(document, key)));
  if (seen.length === 0) return undefined;
  const event = host.eventOf(document);
  if (event !== undefined && !Object.hasOwn(dialect.events(dialect.latest), event)) return undefined;
  const tool = document.tool_name ?? document.toolName ?? readAtPath(document, ['toolCall', 'name']);
  const sign = Math.max(...seen.map(({ length }) => length));
  const speaksIt = event !== undefined && tool !== undefined && hasTool(dialect, event, tool);
  const isVariableSet = variable !== undefined && (env[variable] ?? '') !== '';
  return sign + (speaksIt ? 5 : 0) + (isVariableSet ? 10 : 0);
};

export const recogniseAgent = (
  document: Readonly<JsonObject>,
  env: EnvironmentVariables,
  dialects: readonly AgentRules[],
): RecognisedAgent | undefined => {
  let best: { readonly dialect: AgentRules; readonly score: number } | undefined;
  for (const dialect of dialects) {
    const score = rateAgentMatch(dialect, document, env);
    if (score !== undefined && (best === undefined || score > best.score)) best = { dialect, score };
  }
  return best === undefined ? undefined : { dialect: best.dialect, event: best.dialect.host.eventOf(document) };
};
