// How Claude Code reads the answers of its hooks.
import { textOf } from '../../../kit/index.ts';
import { isAtLeast } from '../../agent-version.ts';
import {
  type Answer,
  type AnswerForm,
  createAnswer,
  createFailedAnswer,
  type Ended,
  findFormMismatch,
  parseDocument,
  readNonBlank,
  readObject,
  readSpecificOutput,
  type Said,
} from '../../answers/answer.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AgentRules, AnswerContext } from '../../rules.ts';
import { isDenialWord, plainTextContextEvents, stopEvents } from '../shared.ts';

/** The effect of exit code 2 on events that a hook cannot block. */
const exitTwoEffects: Readonly<Record<string, 'tells-model' | 'tells-user' | 'nothing'>> = {
  PostToolUse: 'tells-model',
  PostToolUseFailure: 'tells-model',
  PermissionRequest: 'nothing',
  Notification: 'nothing',
  StopFailure: 'nothing',
  PermissionDenied: 'nothing',
  InstructionsLoaded: 'nothing',
  MessageDisplay: 'nothing',
  DirectoryAdded: 'nothing',
};

const commonAnswerForm: AnswerForm = {
  continue: 'boolean',
  stopReason: 'text',
  suppressOutput: 'boolean',
  systemMessage: 'text',
  terminalSequence: 'text',
  reason: 'text',
  hookSpecificOutput: 'object',
};

const specificForms: Readonly<Record<string, AnswerForm>> = {
  PreToolUse: {
    permissionDecision: ['allow', 'deny', 'ask', 'defer'],
    permissionDecisionReason: 'text',
    updatedInput: 'object',
    additionalContext: 'text',
  },
  PermissionRequest: { decision: 'object' },
};

const findSchemaProblem = (document: JsonObject, event: string): string | undefined => {
  const decision = event === 'PreToolUse' ? ['approve', 'block'] : ['block'];
  const common = findFormMismatch(document, { ...commonAnswerForm, decision });
  if (common !== undefined) return common;
  const specific = readObject(document.hookSpecificOutput);
  if (specific === undefined) return undefined;
  const { hookEventName: name } = specific;
  if (name === undefined) return '"hookSpecificOutput" needs "hookEventName"';
  if (name !== event) return `"hookEventName" is "${String(name)}", but the event is ${event}`;
  return findFormMismatch(specific, specificForms[event] ?? { additionalContext: 'text' });
};

const NO_REASON = 'the hook gave no reason';
const RESULT_STAYS_NOTE = 'the tool has run: its result stays, and the reason stands beside it';

const neverBlockingEvents: readonly string[] = [
  'PostToolUseFailure',
  'SessionStart',
  'SessionEnd',
  'SubagentStart',
  'PermissionRequest',
];

const readDecision = (document: JsonObject, event: string): Pick<Said, 'decision' | 'reason'> => {
  const specific = readSpecificOutput(document);
  const reason = textOf(document.reason);
  if (event === 'PermissionRequest') {
    const { behavior, message } = readObject(specific.decision) ?? {};
    if (behavior === 'allow') return { decision: 'allow' };
    return behavior === 'deny' ? { decision: 'deny', reason: textOf(message) } : {};
  }
  if (event === 'PreToolUse') {
    const { permissionDecision, permissionDecisionReason } = specific;
    const why = textOf(permissionDecisionReason);
    if (permissionDecision === 'deny' || permissionDecision === 'ask' || permissionDecision === 'allow') {
      return { decision: permissionDecision, reason: why };
    }
    // `defer` leaves the decision to the program that embeds Claude Code. hookwright leaves it to the user.
    if (permissionDecision === 'defer') return { decision: 'ask', reason: why ?? 'the hook defers the decision' };
    if (document.decision === 'approve') return { decision: 'allow', reason };
  }
  return document.decision === 'block' && !neverBlockingEvents.includes(event) ? { decision: 'deny', reason } : {};
};

const answerlessEvents: readonly string[] = [
  'Notification',
  'StopFailure',
  'PermissionDenied',
  'InstructionsLoaded',
  'MessageDisplay',
  'DirectoryAdded',
];

const readUpdatedInput = (document: JsonObject, event: string): JsonObject | undefined => {
  const { updatedInput, decision } = readSpecificOutput(document);
  const permission = readObject(decision);
  if (event === 'PermissionRequest') {
    return permission?.behavior === 'allow' ? readObject(permission.updatedInput) : undefined;
  }
  return readObject(updatedInput);
};

const readPermissionMembers = (document: JsonObject, event: string): JsonObject | undefined => {
  if (event !== 'PermissionRequest') return undefined;
  const { behavior, updatedPermissions, interrupt } = readObject(readSpecificOutput(document).decision) ?? {};
  if (behavior === 'allow') return Array.isArray(updatedPermissions) ? { updatedPermissions } : undefined;
  return behavior === 'deny' && interrupt === true ? { interrupt } : undefined;
};

const readReplacedResult = ({ updatedToolOutput, updatedMCPToolOutput }: JsonObject): unknown => {
  const updated = updatedToolOutput ?? updatedMCPToolOutput;
  const { stdout, stderr } = readObject(updated) ?? {};
  return typeof stdout === 'string' ? [stdout, textOf(stderr)].filter(Boolean).join('\n') : updated;
};

const readAnswerDocument = (document: JsonObject, event: string): Said => {
  if (answerlessEvents.includes(event)) return {};
  const specific = readSpecificOutput(document);
  const context = readNonBlank(specific.additionalContext);
  const decided = readDecision(document, event);
  if (event === 'PreCompact') return decided;
  // The tool has run, so a denial can only add context for the model.
  const objection = event === 'PostToolUse' && decided.decision === 'deny' ? (decided.reason ?? NO_REASON) : undefined;
  const stop = document.continue === false ? { reason: textOf(document.stopReason) ?? '' } : undefined;
  const sendsOn = stopEvents.includes(event) && context !== undefined && decided.decision === undefined;
  // On stop events a denial makes the agent continue, but `continue: false` wins: the turn ends.
  const isOver = objection !== undefined || (stopEvents.includes(event) && stop !== undefined);
  return {
    ...(isOver ? {} : sendsOn ? { decision: 'deny' as const, reason: context } : decided),
    stop,
    context: readNonBlank([objection, context].filter(Boolean).join('\n')),
    message: readNonBlank(document.systemMessage),
    toolInput: readUpdatedInput(document, event),
    toolOutput: event === 'PostToolUse' ? readReplacedResult(specific) : undefined,
    isMcpOutput:
      specific.updatedToolOutput === undefined && specific.updatedMCPToolOutput !== undefined ? true : undefined,
    specific: readPermissionMembers(document, event),
  };
};

const listUnreadMemberNotes = (document: JsonObject, { event, rule }: AnswerContext): string[] => {
  if (answerlessEvents.includes(event)) {
    return Object.keys(document).some((key) => key !== 'terminalSequence')
      ? [`nothing of a ${event} hook is read`]
      : [];
  }
  const { behavior, interrupt, updatedPermissions } = readObject(readSpecificOutput(document).decision) ?? {};
  return [
    ...(document.additionalContext === undefined ? [] : ['additionalContext at the top level is not read']),
    ...(document.suppressOutput === undefined ? [] : ['suppressOutput has no effect']),
    ...(event === 'PostToolUse' && document.decision === 'block' ? [RESULT_STAYS_NOTE] : []),
    ...(document.decision === 'block' && !rule.blocks ? [`a block has no effect on ${event}`] : []),
    ...(interrupt !== undefined && behavior !== 'deny' ? ['interrupt counts only with a denial'] : []),
    ...(updatedPermissions !== undefined && behavior !== 'allow'
      ? ['updatedPermissions count only with an allow']
      : []),
  ];
};

/** With `onFailure: "block"`, a failed hook is treated like exit code 2. */
const answerFailedHook = (why: string, context: AnswerContext): Answer => {
  if (!context.failClosed || !isAtLeast(context.version, '2.1.295') || !context.rule.blocks)
    return createFailedAnswer(why);
  return context.event === 'PostToolUse'
    ? createAnswer({ context: why }, RESULT_STAYS_NOTE)
    : createAnswer({ decision: 'deny', reason: why });
};

const answerExitTwo = (document: JsonObject | undefined, ended: Ended, context: AnswerContext): Answer => {
  const { event, rule } = context;
  const said = document === undefined ? {} : readAnswerDocument(document, event);
  const stderr = readNonBlank(ended.stderr);
  const effect = exitTwoEffects[event] ?? (rule.blocks ? 'blocks' : 'tells-user');
  if (effect === 'nothing')
    return createFailedAnswer(`exit code 2 is ignored on ${event}`, `exit code 2 has no effect on ${event}`);
  if (effect === 'tells-user') return createAnswer({ ...said, decision: undefined, message: stderr ?? said.message });
  if (effect === 'tells-model') {
    const notes = event === 'PostToolUse' ? [RESULT_STAYS_NOTE] : [];
    const isBlock =
      event === 'PostToolUse' && document?.decision === 'block' && readNonBlank(document.reason) !== undefined;
    const context = readNonBlank([isBlock ? undefined : stderr, said.context].filter(Boolean).join('\n'));
    return createAnswer({ ...said, decision: undefined, context }, ...notes);
  }
  const own = said.decision === 'deny' ? said.reason : undefined;
  return createAnswer({ ...said, decision: 'deny', reason: readNonBlank(own, stderr) ?? NO_REASON });
};

export const readClaudeAnswer: AgentRules['readAnswer'] = (ended, context) => {
  const { event } = context;
  if (ended.timedOut === true) {
    return event === 'PreModelSwitch'
      ? createAnswer({ decision: 'deny', reason: 'the hook ran out of time' })
      : answerFailedHook('the hook ran out of time', context);
  }
  if (ended.notStarted !== undefined) return answerFailedHook(ended.notStarted, context);
  const document = parseDocument(ended.stdout);
  const problem = document === undefined ? undefined : findSchemaProblem(document, event);
  if (ended.exitCode === 2) {
    if (problem !== undefined && !isAtLeast(context.version, '2.1.214')) {
      return createFailedAnswer(
        `the answer does not fit: ${problem}`,
        'an answer that does not fit takes the block of exit code 2 away',
      );
    }
    const isRead = problem === undefined && isAtLeast(context.version, '2.1.90');
    return answerExitTwo(isRead ? document : undefined, ended, context);
  }
  if (document !== undefined) {
    if (problem !== undefined) return answerFailedHook(`the answer does not fit: ${problem}`, context);
    return createAnswer(readAnswerDocument(document, event), ...listUnreadMemberNotes(document, context));
  }
  if (ended.exitCode !== 0) {
    const how = ended.exitCode === null ? `was ended by ${ended.signal ?? 'a signal'}` : `ended with ${ended.exitCode}`;
    return answerFailedHook(
      `the hook ${how}: ${readNonBlank(ended.stderr)?.split('\n')[0] ?? 'nothing on stderr'}`,
      context,
    );
  }
  const text = readNonBlank(ended.stdout);
  if (text === undefined) return createAnswer({});
  if (ended.isHttp === true)
    return answerFailedHook('the endpoint answered something else than a JSON object', context);
  if (plainTextContextEvents.includes(event)) return createAnswer({ context: text });
  return createAnswer({}, `plain text on stdout goes to the debug log on ${event}`);
};

export const findClaudeBlock = (document: JsonObject, event: string): string | undefined => {
  const specific = readSpecificOutput(document);
  const words = [document.decision, document.permissionDecision, specific.permissionDecision, specific.decision];
  const says = words.some(isDenialWord);
  const behaves = readObject(specific.decision)?.behavior === 'deny' && event === 'PermissionRequest';
  const stops = document.continue === false && !stopEvents.includes(event);
  if (!says && !behaves && !stops) return undefined;
  const { permissionDecisionReason, reason, stopReason } = document;
  return (
    readNonBlank(specific.permissionDecisionReason, permissionDecisionReason, reason, stops ? stopReason : undefined) ??
    'the hook denies'
  );
};
