// How Cursor reads the answers of its hooks.
import { textOf } from '../../../kit/index.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  parseDocument,
  readNonBlank,
  readObject,
  readSpecificOutput,
  type Said,
} from '../../answers/answer.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AgentRules, AnswerContext } from '../../rules.ts';
import { createDecisionReader, describeExit, isDenialWord } from '../shared.ts';

const readPermission = createDecisionReader({ allow: 'allow', ask: 'ask', deny: 'deny' });

const permissionEvents: readonly string[] = [
  'preToolUse',
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'beforeTabFileRead',
  'subagentStart',
];

/** Only on these events does `ask` prompt the user; on others Cursor treats it as a denial. */
export const promptingEvents: readonly string[] = ['beforeShellExecution', 'beforeMCPExecution'];

export const stopEvents: readonly string[] = ['stop', 'subagentStop'];

const readDecision = (document: JsonObject, event: string): Pick<Said, 'decision' | 'reason'> => {
  if (event === 'beforeSubmitPrompt') {
    return document.continue === false ? { decision: 'deny', reason: readNonBlank(document.user_message) } : {};
  }
  if (stopEvents.includes(event)) {
    const follow = readNonBlank(document.followup_message);
    return follow === undefined ? {} : { decision: 'deny', reason: follow };
  }
  if (!permissionEvents.includes(event)) return {};
  const word = readPermission(document.permission);
  return {
    decision: word === 'ask' && !promptingEvents.includes(event) ? 'deny' : word,
    reason: readNonBlank(document.user_message, document.agent_message),
  };
};

const listUnreadMemberNotes = (document: JsonObject, event: string): string[] => [
  ...(permissionEvents.includes(event) && document.permission === 'ask' && !promptingEvents.includes(event)
    ? [`the user is not asked on ${event}; it is a denial`]
    : []),
  ...(document.permission !== undefined && !permissionEvents.includes(event)
    ? [`permission has no effect on ${event}`]
    : []),
  ...(document.hookSpecificOutput === undefined ? [] : ["hookSpecificOutput is read of Claude Code's hooks alone"]),
  ...(document.continue === false && event !== 'beforeSubmitPrompt' ? [`continue has no effect on ${event}`] : []),
];

/** Only later hooks get these variables; the agent's commands do not. */
const readEnvironment = ({ env }: JsonObject): Readonly<Record<string, string>> | undefined => {
  const texts = Object.entries(readObject(env) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
};

const readAnswerDocument = (document: JsonObject, event: string): Answer => {
  const decided = readDecision(document, event);
  return createAnswer(
    {
      ...decided,
      context: readNonBlank(document.additional_context),
      message: decided.decision === undefined ? textOf(document.user_message) : undefined,
      toolInput: event === 'preToolUse' ? readObject(document.updated_input) : undefined,
      ...(event === 'postToolUse' && document.updated_mcp_tool_output !== undefined
        ? { toolOutput: document.updated_mcp_tool_output, isMcpOutput: true }
        : {}),
      environment: event === 'sessionStart' ? readEnvironment(document) : undefined,
    },
    ...listUnreadMemberNotes(document, event),
  );
};

const answerFailedHook = (why: string, { failClosed, rule }: AnswerContext): Answer =>
  failClosed && rule.blocks ? createAnswer({ decision: 'deny', reason: why }) : createFailedAnswer(why);

export const readCursorAnswer: AgentRules['readAnswer'] = (ended, context) => {
  const { event, rule } = context;
  if (ended.timedOut === true) return answerFailedHook('the hook ran out of time', context);
  if (ended.notStarted !== undefined) return answerFailedHook(ended.notStarted, context);
  if (ended.exitCode === 2) {
    const reason = readNonBlank(ended.stdout, ended.stderr) ?? 'the hook gave no reason';
    return rule.blocks
      ? createAnswer({ decision: 'deny', reason })
      : createFailedAnswer(`exit code 2 blocks nothing on ${event}`);
  }
  if (ended.exitCode !== 0) return answerFailedHook(describeExit(ended), context);
  const text = readNonBlank(ended.stdout);
  if (text === undefined)
    return context.failClosed ? answerFailedHook('the hook said nothing', context) : createAnswer({});
  const document = parseDocument(text);
  return document === undefined
    ? answerFailedHook('the answer is no JSON object', context)
    : readAnswerDocument(document, event);
};

export const findCursorBlock = (document: JsonObject, event: string): string | undefined => {
  const specific = readSpecificOutput(document);
  const words = [document.permission, document.decision, document.permissionDecision, specific.permissionDecision];
  const says = words.some(isDenialWord);
  const stops = document.continue === false && !stopEvents.includes(event);
  if (!says && !stops) return undefined;
  return (
    readNonBlank(document.user_message, document.agent_message, document.reason, specific.permissionDecisionReason) ??
    'the hook denies'
  );
};
