// How GitHub Copilot reads the answers of its hooks.
import { textOf } from '../../../kit/index.ts';
import { isAtLeast } from '../../agent-version.ts';
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
import type { EventRule, JsonObject } from '../../rule-types.ts';
import type { AnswerContext } from '../../rules.ts';
import { verdictOf } from '../shared.ts';
import { PASCAL, plainName } from './events.ts';

const isProgress = (line: string): boolean => {
  const parsed = line.trim().startsWith('{') ? parseDocument(line) : undefined;
  return parsed !== undefined && 'document' in parsed && parsed.document.type === 'progress';
};

const withoutProgress = (stdout: string): string =>
  stdout
    .split('\n')
    .filter((line) => !isProgress(line))
    .join('\n');

const deciding: Readonly<Record<string, 'permissionDecision' | 'behavior' | 'decision'>> = {
  preToolUse: 'permissionDecision',
  permissionRequest: 'behavior',
  agentStop: 'decision',
  subagentStop: 'decision',
};

/** Event → the first version that gives context to the model; other events never do. */
const contextSince: Readonly<Record<string, string>> = {
  preToolUse: '1.0.24',
  postToolUse: '1.0.49',
  postToolUseFailure: '1.0.15',
  sessionStart: '1.0.11',
  userPromptSubmitted: '1.0.65',
  subagentStart: '1.0.7',
  notification: '1.0.18',
};

/** The text of a replaced result; `null` if it has none. */
const resultIn = (modified: unknown): unknown => {
  const { textResultForLlm, text_result_for_llm: inSnake } = objectOf(modified) ?? {};
  return modified === undefined || typeof modified === 'string'
    ? modified
    : (textOf(textResultForLlm ?? inSnake) ?? null);
};

const replaced: Readonly<Record<string, (document: JsonObject) => unknown>> = {
  postToolUse: ({ modifiedResult }) => resultIn(modifiedResult),
  subagentStop: ({ modifiedResponse, decision }) => (decision === 'block' ? undefined : textOf(modifiedResponse)),
};

const ofDocument = (document: JsonObject, event: string, { rule, version }: AnswerContext): Said => {
  // Only events with PascalCase names accept answers with `hookSpecificOutput`.
  const merged = rule.variant === PASCAL ? { ...specificOutputOf(document), ...document } : document;
  const key = deciding[event];
  const word = key === undefined ? undefined : verdictOf(merged[key]);
  const since = contextSince[event];
  const changed =
    objectOf(merged.modifiedArgs) ?? (isAtLeast(version, '1.0.24') ? objectOf(merged.updatedInput) : undefined);
  return {
    decision: word === 'ask' && !isAtLeast(version, '1.0.4') ? undefined : word,
    reason: firstNonBlank(merged.permissionDecisionReason, merged.message, merged.reason),
    context: since !== undefined && isAtLeast(version, since) ? nonBlank(merged.additionalContext) : undefined,
    toolInput: event === 'preToolUse' ? changed : undefined,
    toolOutput: replaced[event]?.(merged),
    specific:
      event === 'permissionRequest' && word === 'deny' && merged.interrupt === true ? { interrupt: true } : undefined,
  };
};

const unreadIn = (document: JsonObject, event: string, rule: EventRule): string[] => [
  ...(document.hookSpecificOutput !== undefined && rule.variant !== PASCAL ? ['hookSpecificOutput is not read'] : []),
  ...(document.interrupt !== undefined && (event !== 'permissionRequest' || verdictOf(document.behavior) !== 'deny')
    ? ['interrupt counts only with the denial of a permission']
    : []),
  ...(event === 'userPromptSubmitted' && verdictOf(document.decision) === 'deny' ? ['a prompt cannot be blocked'] : []),
];

const parseOutput = (stdout: string): JsonObject | undefined => {
  const parsed = parseDocument(withoutProgress(stdout));
  return 'document' in parsed ? parsed.document : undefined;
};

const onError: Readonly<Record<string, 'denies' | 'nothing'>> = { preToolUse: 'denies' };

export const readCopilotAnswer = (ended: Ended, context: AnswerContext): Answer => {
  const event = plainName(context.event);
  const { version, rule } = context;
  if (ended.timedOut === true) {
    const why = 'the hook ran out of time';
    const denies = onError[event] === 'denies' && isAtLeast(version, '1.0.57') && !isAtLeast(version, '1.0.67');
    return denies ? said({ decision: 'deny', reason: why }) : failedAnswer(`${why}; the agent goes on with a warning`);
  }
  if (ended.isHttp === true && ended.notStarted !== undefined) return failedAnswer(ended.notStarted);
  const document = parseOutput(ended.stdout);
  const stderr = nonBlank(ended.stderr);
  if (ended.exitCode === 0) {
    if (document !== undefined) return said(ofDocument(document, event, context), ...unreadIn(document, event, rule));
    return nonBlank(ended.stdout) === undefined
      ? silentAnswer
      : said({}, 'output that is not one JSON document is dropped');
  }
  const from = document === undefined ? {} : ofDocument(document, event, context);
  if (ended.exitCode === 2) {
    if (event === 'preToolUse' && isAtLeast(version, '1.0.70'))
      return said({ ...from, decision: 'deny', reason: from.reason ?? stderr ?? 'Denied by preToolUse hook' });
    if (event === 'permissionRequest') return said({ ...from, decision: 'deny' });
    if (event === 'postToolUseFailure') return said({ context: nonBlank(ended.stdout) });
    if (event !== 'preToolUse') return said({ message: stderr }, `exit code 2 only warns on ${context.event}`);
  }
  const why = ended.notStarted ?? `the hook ended with ${ended.exitCode ?? ended.signal ?? 'a signal'}`;
  if (onError[event] === 'denies' && isAtLeast(version, '1.0.57'))
    return said({ decision: 'deny', reason: `Denied by preToolUse hook (hook errored): ${stderr ?? why}` });
  return failedAnswer(why);
};

export const copilotBlockIn = (document: JsonObject): string | undefined => {
  const specific = specificOutputOf(document);
  const values = [document, specific].flatMap(({ permissionDecision, behavior, decision }) => [
    permissionDecision,
    behavior,
    decision,
  ]);
  if (!values.some((word) => word === 'deny' || word === 'block')) return undefined;
  return (
    firstNonBlank(
      document.permissionDecisionReason,
      specific.permissionDecisionReason,
      document.message,
      document.reason,
    ) ?? 'the hook denies'
  );
};
