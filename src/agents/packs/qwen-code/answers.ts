// How Qwen Code reads the answers of its hooks.
import { textOf } from '../../../kit/index.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  type Ended,
  parseWrappedText,
  readNonBlank,
  readObject,
  readSpecificOutput,
  type Said,
} from '../../answers/answer.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AnswerContext } from '../../rules.ts';
import { plainTextContextEvents, readVerdictOrApproval, stopEvents } from '../shared.ts';

const readPermission = (document: JsonObject): Answer => {
  const { behavior, message, updatedInput, updatedPermissions, interrupt } =
    readObject(readSpecificOutput(document).decision) ?? {};
  const decision = readVerdictOrApproval(behavior);
  const specific = decision === 'deny' && interrupt === true ? { interrupt } : undefined;
  return createAnswer(
    { decision, reason: textOf(message), toolInput: readObject(updatedInput), specific },
    ...(updatedPermissions === undefined ? [] : ['updatedPermissions have no reader']),
  );
};

/** Marks a decision from `hookSpecificOutput`. The last marked decision beats all top-level decisions. */
export const PERMISSION_MARK = 'permission';

const readAnswerDocument = (document: JsonObject, { event }: AnswerContext, isAligned: boolean): Answer => {
  const specific = readSpecificOutput(document);
  if (event === 'PermissionRequest') return readPermission(document);
  const swallowed: string[] = [];
  const permission = event === 'PreToolUse' ? readVerdictOrApproval(specific.permissionDecision) : undefined;
  let decision = permission ?? readVerdictOrApproval(document.decision);
  let stop: Said['stop'] = document.continue === false ? { reason: textOf(document.stopReason) ?? '' } : undefined;
  if (stop !== undefined && stopEvents.includes(event) && !isAligned) {
    decision = 'deny';
    stop = undefined;
  }
  if (event === 'PostToolUse' && decision === 'deny') {
    decision = undefined;
    swallowed.push('a block after a tool has no effect');
  }
  const isBeforeTool = event === 'PreToolUse';
  const toolInput = isBeforeTool && isAligned ? readObject(specific.updatedInput) : undefined;
  if (isBeforeTool && !isAligned) {
    if (specific.updatedInput !== undefined) swallowed.push('updatedInput has no reader');
    if (specific.additionalContext !== undefined) swallowed.push('additionalContext of PreToolUse has no reader');
  }
  return createAnswer(
    {
      decision,
      reason: readNonBlank(specific.permissionDecisionReason, document.stopReason, document.reason),
      stop,
      context: isBeforeTool && !isAligned ? undefined : readNonBlank(specific.additionalContext),
      message: textOf(document.systemMessage),
      toolInput,
      mark: permission === undefined ? undefined : PERMISSION_MARK,
    },
    ...swallowed,
  );
};

const answerExitTwo = (stderr: string | undefined, context: AnswerContext, isAligned: boolean): Answer => {
  if (stderr === undefined) return createAnswer({}, 'exit code 2 without words on stderr blocks nothing');
  const document = readObject(parseWrappedText(stderr));
  return document === undefined
    ? createAnswer({ decision: 'deny', reason: stderr })
    : readAnswerDocument(document, context, isAligned);
};

const readPlainText = (text: string, { event }: AnswerContext, exitCode: number | null, isAligned: boolean): Answer => {
  if (exitCode !== 0) return createAnswer({ decision: 'allow', message: `Warning: ${text}`, isText: true });
  if (isAligned && plainTextContextEvents.includes(event) && !text.startsWith('{'))
    return createAnswer({ context: text });
  return createAnswer({ decision: 'allow', message: text, isText: true });
};

/** `isAligned`: the version follows Claude Code's rules. */
export const readQwenAnswer = (ended: Ended, context: AnswerContext, isAligned: boolean): Answer => {
  if (ended.timedOut === true) return createFailedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return createFailedAnswer(ended.notStarted);
  if (ended.exitCode === 2) return answerExitTwo(readNonBlank(ended.stderr), context, isAligned);
  const text = readNonBlank(ended.stdout, ended.stderr);
  if (text === undefined) return createAnswer({});
  const document = readObject(parseWrappedText(text));
  return document === undefined
    ? readPlainText(text, context, ended.exitCode, isAligned)
    : readAnswerDocument(document, context, isAligned);
};
