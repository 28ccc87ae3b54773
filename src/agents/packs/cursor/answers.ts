// How Cursor reads the answers of its hooks.
import { textOf } from '../../../kit/index.ts';
import {
  type Answer,
  type Ended,
  failedAnswer,
  firstNonBlank,
  nonBlank,
  objectOf,
  parseDocument,
  type Said,
  said,
  silentAnswer,
  specificOutputOf,
} from '../../answers/answer.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AnswerContext } from '../../rules.ts';
import { decisionBy } from '../shared.ts';

const permissionOf = decisionBy({ allow: 'allow', ask: 'ask', deny: 'deny' });

/** Events on which `permission` is read. */
const gates: readonly string[] = [
  'preToolUse',
  'beforeShellExecution',
  'beforeMCPExecution',
  'beforeReadFile',
  'beforeTabFileRead',
  'subagentStart',
];

/** Events on which `ask` prompts; on others it denies. */
export const promptingEvents: readonly string[] = ['beforeShellExecution', 'beforeMCPExecution'];

/** Events on which a message makes the agent continue. */
export const continuingEvents: readonly string[] = ['stop', 'subagentStop'];

const decisionOf = (document: JsonObject, event: string): Pick<Said, 'decision' | 'reason'> => {
  if (event === 'beforeSubmitPrompt') {
    return document.continue === false ? { decision: 'deny', reason: nonBlank(document.user_message) } : {};
  }
  if (continuingEvents.includes(event)) {
    const follow = nonBlank(document.followup_message);
    return follow === undefined ? {} : { decision: 'deny', reason: follow };
  }
  if (!gates.includes(event)) return {};
  const word = permissionOf(document.permission);
  return {
    decision: word === 'ask' && !promptingEvents.includes(event) ? 'deny' : word,
    reason: firstNonBlank(document.user_message, document.agent_message),
  };
};

const unreadIn = (document: JsonObject, event: string): string[] => [
  ...(gates.includes(event) && document.permission === 'ask' && !promptingEvents.includes(event)
    ? [`nobody is asked on ${event}; it is a denial`]
    : []),
  ...(document.permission !== undefined && !gates.includes(event) ? [`permission has no effect on ${event}`] : []),
  ...(document.hookSpecificOutput === undefined ? [] : ["hookSpecificOutput is read of Claude Code's hooks alone"]),
  ...(document.continue === false && event !== 'beforeSubmitPrompt' ? [`continue has no effect on ${event}`] : []),
];

/** Variables that a session start sets for later hooks; commands of the agent do not get them. */
const environmentIn = ({ env }: JsonObject): Readonly<Record<string, string>> | undefined => {
  const texts = Object.entries(objectOf(env) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
};

const ofDocument = (document: JsonObject, event: string): Answer => {
  const decided = decisionOf(document, event);
  return said(
    {
      ...decided,
      context: nonBlank(document.additional_context),
      message: decided.decision === undefined ? textOf(document.user_message) : undefined,
      toolInput: event === 'preToolUse' ? objectOf(document.updated_input) : undefined,
      ...(event === 'postToolUse' && document.updated_mcp_tool_output !== undefined
        ? { toolOutput: document.updated_mcp_tool_output, isMcpOutput: true }
        : {}),
      environment: event === 'sessionStart' ? environmentIn(document) : undefined,
    },
    ...unreadIn(document, event),
  );
};

const whenFailing = (why: string, { failClosed, rule }: AnswerContext): Answer =>
  failClosed && rule.blocks ? said({ decision: 'deny', reason: why }) : failedAnswer(why);

export const readCursorAnswer = (ended: Ended, context: AnswerContext): Answer => {
  const { event, rule } = context;
  if (ended.timedOut === true) return whenFailing('the hook ran out of time', context);
  if (ended.notStarted !== undefined) return whenFailing(ended.notStarted, context);
  if (ended.exitCode === 2) {
    const reason = firstNonBlank(ended.stdout, ended.stderr) ?? 'the hook gave no reason';
    return rule.blocks ? said({ decision: 'deny', reason }) : failedAnswer(`exit code 2 blocks nothing on ${event}`);
  }
  if (ended.exitCode !== 0)
    return whenFailing(`the hook ended with ${ended.exitCode ?? ended.signal ?? 'a signal'}`, context);
  const text = nonBlank(ended.stdout);
  if (text === undefined) return context.failClosed ? whenFailing('the hook said nothing', context) : silentAnswer;
  const parsed = parseDocument(text);
  if ('document' in parsed) return ofDocument(parsed.document, event);
  return whenFailing('the answer is no JSON object', context);
};

/** The reason of a document that denies, even if Cursor would not read it. */
export const cursorBlockIn = (document: JsonObject, event: string): string | undefined => {
  const specific = specificOutputOf(document);
  const words = [document.permission, document.decision, document.permissionDecision, specific.permissionDecision];
  const says = words.some((word) => word === 'deny' || word === 'block');
  const stops = document.continue === false && !continuingEvents.includes(event);
  if (!says && !stops) return undefined;
  return (
    firstNonBlank(document.user_message, document.agent_message, document.reason, specific.permissionDecisionReason) ??
    'the hook denies'
  );
};
