// How Qwen Code reads the answers of its hooks.
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
import { verdictOrApproval } from '../shared.ts';

const permissionOf = (document: JsonObject): Answer => {
  const { behavior, message, updatedInput, updatedPermissions, interrupt } =
    objectOf(specificOutputOf(document).decision) ?? {};
  const decision = verdictOrApproval(behavior);
  const specific = decision === 'deny' && interrupt === true ? { interrupt } : undefined;
  return said(
    { decision, reason: textOf(message), toolInput: objectOf(updatedInput), specific },
    ...(updatedPermissions === undefined ? [] : ['updatedPermissions have no reader']),
  );
};

/** Marks a decision in `hookSpecificOutput`: the last of them beats all top-level decisions. */
export const PERMISSION = 'permission';

export const continuingEvents: readonly string[] = ['Stop', 'SubagentStop'];

const ofDocument = (document: JsonObject, { event }: AnswerContext, isAligned: boolean): Answer => {
  const specific = specificOutputOf(document);
  if (event === 'PermissionRequest') return permissionOf(document);
  const swallowed: string[] = [];
  const permission = event === 'PreToolUse' ? verdictOrApproval(specific.permissionDecision) : undefined;
  let decision = permission ?? verdictOrApproval(document.decision);
  let stop: Said['stop'] = document.continue === false ? { reason: textOf(document.stopReason) ?? '' } : undefined;
  if (stop !== undefined && continuingEvents.includes(event) && !isAligned) {
    decision = 'deny';
    stop = undefined;
  }
  if (event === 'PostToolUse' && decision === 'deny') {
    decision = undefined;
    swallowed.push('a block after a tool has no effect');
  }
  const isBeforeTool = event === 'PreToolUse';
  const toolInput = isBeforeTool && isAligned ? objectOf(specific.updatedInput) : undefined;
  if (isBeforeTool && !isAligned) {
    if (specific.updatedInput !== undefined) swallowed.push('updatedInput has no reader');
    if (specific.additionalContext !== undefined) swallowed.push('additionalContext of PreToolUse has no reader');
  }
  return said(
    {
      decision,
      reason: firstNonBlank(specific.permissionDecisionReason, document.stopReason, document.reason),
      stop,
      context: isBeforeTool && !isAligned ? undefined : nonBlank(specific.additionalContext),
      message: textOf(document.systemMessage),
      toolInput,
      mark: permission === undefined ? undefined : PERMISSION,
    },
    ...swallowed,
  );
};

const textIsContext: readonly string[] = ['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion'];

const withTwo = (stderr: string | undefined, context: AnswerContext, isAligned: boolean): Answer => {
  if (stderr === undefined) return said({}, 'exit code 2 without words on stderr blocks nothing');
  const parsed = parseDocument(stderr, { unwrap: true });
  if ('document' in parsed) return ofDocument(parsed.document, context, isAligned);
  return said({ decision: 'deny', reason: stderr });
};

const ofText = (text: string, { event }: AnswerContext, exitCode: number | null, isAligned: boolean): Answer => {
  if (exitCode !== 0) return said({ decision: 'allow', message: `Warning: ${text}`, isText: true });
  if (isAligned && textIsContext.includes(event) && !text.startsWith('{')) return said({ context: text });
  return said({ decision: 'allow', message: text, isText: true });
};

/** `isAligned`: by the rules since Qwen Code follows Claude Code. */
export const readQwenAnswer = (ended: Ended, context: AnswerContext, isAligned: boolean): Answer => {
  if (ended.timedOut === true) return failedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return failedAnswer(ended.notStarted);
  if (ended.exitCode === 2) return withTwo(nonBlank(ended.stderr), context, isAligned);
  const text = firstNonBlank(ended.stdout, ended.stderr);
  if (text === undefined) return silentAnswer;
  const parsed = parseDocument(text, { unwrap: true });
  if ('document' in parsed) return ofDocument(parsed.document, context, isAligned);
  return ofText(text, context, ended.exitCode, isAligned);
};
