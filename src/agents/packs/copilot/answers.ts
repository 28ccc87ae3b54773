// How GitHub Copilot reads the answers of its hooks.
import { textOf } from '../../../kit/index.ts';
import { isAtLeast } from '../../agent-version.ts';
import {
  createAnswer,
  createFailedAnswer,
  parseDocument,
  readNonBlank,
  readObject,
  readSpecificOutput,
  type Said,
} from '../../answers/answer.ts';
import type { EventRule, JsonObject } from '../../rule-types.ts';
import type { AgentRules, AnswerContext } from '../../rules.ts';
import { describeExit, isDenialWord, readVerdict } from '../shared.ts';
import { PASCAL_VARIANT, toCamelName } from './events.ts';

const isProgress = (line: string): boolean => parseDocument(line)?.type === 'progress';

const dropProgress = (stdout: string): string =>
  stdout
    .split('\n')
    .filter((line) => !isProgress(line))
    .join('\n');

const decisionKeys: Readonly<Record<string, 'permissionDecision' | 'behavior' | 'decision'>> = {
  preToolUse: 'permissionDecision',
  permissionRequest: 'behavior',
  agentStop: 'decision',
  subagentStop: 'decision',
};

/** Event → the first version in which its hooks can give context to the model. */
const contextSince: Readonly<Record<string, string>> = {
  preToolUse: '1.0.24',
  postToolUse: '1.0.49',
  postToolUseFailure: '1.0.15',
  sessionStart: '1.0.11',
  userPromptSubmitted: '1.0.65',
  subagentStart: '1.0.7',
  notification: '1.0.18',
};

const readReplacedResult = (modified: unknown): unknown => {
  const { textResultForLlm, text_result_for_llm: inSnake } = readObject(modified) ?? {};
  return modified === undefined || typeof modified === 'string'
    ? modified
    : (textOf(textResultForLlm ?? inSnake) ?? null);
};

const replacedResultReaders: Readonly<Record<string, (document: JsonObject) => unknown>> = {
  postToolUse: ({ modifiedResult }) => readReplacedResult(modifiedResult),
  subagentStop: ({ modifiedResponse, decision }) => (decision === 'block' ? undefined : textOf(modifiedResponse)),
};

const readAnswerDocument = (document: JsonObject, event: string, { rule, version }: AnswerContext): Said => {
  // Only events with PascalCase names accept answers with `hookSpecificOutput`.
  const merged = rule.variant === PASCAL_VARIANT ? { ...readSpecificOutput(document), ...document } : document;
  const key = decisionKeys[event];
  const word = key === undefined ? undefined : readVerdict(merged[key]);
  const since = contextSince[event];
  const changed =
    readObject(merged.modifiedArgs) ?? (isAtLeast(version, '1.0.24') ? readObject(merged.updatedInput) : undefined);
  return {
    decision: word === 'ask' && !isAtLeast(version, '1.0.4') ? undefined : word,
    reason: readNonBlank(merged.permissionDecisionReason, merged.message, merged.reason),
    context: since !== undefined && isAtLeast(version, since) ? readNonBlank(merged.additionalContext) : undefined,
    toolInput: event === 'preToolUse' ? changed : undefined,
    toolOutput: replacedResultReaders[event]?.(merged),
    specific:
      event === 'permissionRequest' && word === 'deny' && merged.interrupt === true ? { interrupt: true } : undefined,
  };
};

const listUnreadMemberNotes = (document: JsonObject, event: string, rule: EventRule): string[] => [
  ...(document.hookSpecificOutput !== undefined && rule.variant !== PASCAL_VARIANT
    ? ['hookSpecificOutput is not read']
    : []),
  ...(document.interrupt !== undefined && (event !== 'permissionRequest' || readVerdict(document.behavior) !== 'deny')
    ? ['interrupt counts only with the denial of a permission']
    : []),
  ...(event === 'userPromptSubmitted' && readVerdict(document.decision) === 'deny'
    ? ['a prompt cannot be blocked']
    : []),
];

export const readCopilotAnswer: AgentRules['readAnswer'] = (ended, context) => {
  const event = toCamelName(context.event);
  const { version, rule } = context;
  if (ended.timedOut === true) {
    const why = 'the hook ran out of time';
    const denies = event === 'preToolUse' && isAtLeast(version, '1.0.57') && !isAtLeast(version, '1.0.67');
    return denies
      ? createAnswer({ decision: 'deny', reason: why })
      : createFailedAnswer(`${why}; the agent goes on with a warning`);
  }
  if (ended.isHttp === true && ended.notStarted !== undefined) return createFailedAnswer(ended.notStarted);
  const document = parseDocument(dropProgress(ended.stdout));
  const stderr = readNonBlank(ended.stderr);
  if (ended.exitCode === 0) {
    if (document !== undefined)
      return createAnswer(
        readAnswerDocument(document, event, context),
        ...listUnreadMemberNotes(document, event, rule),
      );
    return readNonBlank(ended.stdout) === undefined
      ? createAnswer({})
      : createAnswer({}, 'output that is not one JSON document is dropped');
  }
  const from = document === undefined ? {} : readAnswerDocument(document, event, context);
  if (ended.exitCode === 2) {
    if (event === 'preToolUse' && isAtLeast(version, '1.0.70'))
      return createAnswer({ ...from, decision: 'deny', reason: from.reason ?? stderr ?? 'Denied by preToolUse hook' });
    if (event === 'permissionRequest') return createAnswer({ ...from, decision: 'deny' });
    if (event === 'postToolUseFailure') return createAnswer({ context: readNonBlank(ended.stdout) });
    if (event !== 'preToolUse') return createAnswer({ message: stderr }, `exit code 2 only warns on ${context.event}`);
  }
  const why = ended.notStarted ?? describeExit(ended);
  if (event === 'preToolUse' && isAtLeast(version, '1.0.57'))
    return createAnswer({ decision: 'deny', reason: `Denied by preToolUse hook (hook errored): ${stderr ?? why}` });
  return createFailedAnswer(why);
};

export const findCopilotBlock = (document: JsonObject): string | undefined => {
  const specific = readSpecificOutput(document);
  const values = [document, specific].flatMap(({ permissionDecision, behavior, decision }) => [
    permissionDecision,
    behavior,
    decision,
  ]);
  if (!values.some(isDenialWord)) return undefined;
  return (
    readNonBlank(
      document.permissionDecisionReason,
      specific.permissionDecisionReason,
      document.message,
      document.reason,
    ) ?? 'the hook denies'
  );
};
