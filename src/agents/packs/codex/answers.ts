// How Codex reads the answers of its hooks.
import { isAtLeast } from '../../agent-version.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  findFormMismatch,
  findUnknownKeys,
  parseDocument,
  readNonBlank,
  readObject,
  readSpecificOutput,
} from '../../answers/answer.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AgentRules, AnswerContext } from '../../rules.ts';
import { describeExit, isDenialWord, stopEvents } from '../shared.ts';

const universalKeys = ['continue', 'stopReason', 'suppressOutput', 'systemMessage'] as const;

interface EventAnswerForm {
  readonly keys: readonly string[];
  readonly specificKeys?: readonly string[];
  /** The effect of exit code 2 with text on stderr. */
  readonly exitTwo: 'deny' | 'fails';
  readonly plainText: 'context' | 'nothing' | 'fails';
}

const toolForm = { keys: ['decision', 'reason', 'hookSpecificOutput'], exitTwo: 'deny', plainText: 'nothing' } as const;
const startForm: EventAnswerForm = {
  keys: ['hookSpecificOutput'],
  specificKeys: ['hookEventName', 'additionalContext'],
  exitTwo: 'fails',
  plainText: 'context',
};
const stopForm: EventAnswerForm = { keys: ['decision', 'reason'], exitTwo: 'deny', plainText: 'fails' };
const compactForm: EventAnswerForm = { keys: [], exitTwo: 'fails', plainText: 'nothing' };

/** Codex ignores an answer with members that are not listed here. */
const answerForms: Readonly<Record<string, EventAnswerForm>> = {
  PreToolUse: {
    ...toolForm,
    specificKeys: [
      'hookEventName',
      'permissionDecision',
      'permissionDecisionReason',
      'updatedInput',
      'additionalContext',
    ],
  },
  PostToolUse: { ...toolForm, specificKeys: ['hookEventName', 'additionalContext', 'updatedMCPToolOutput'] },
  PermissionRequest: {
    keys: ['hookSpecificOutput'],
    specificKeys: ['hookEventName', 'decision'],
    exitTwo: 'deny',
    plainText: 'nothing',
  },
  UserPromptSubmit: { ...toolForm, specificKeys: ['hookEventName', 'additionalContext'], plainText: 'context' },
  SessionStart: startForm,
  SubagentStart: startForm,
  Stop: stopForm,
  SubagentStop: stopForm,
  PreCompact: compactForm,
  PostCompact: compactForm,
};

/** Codex shows this text to the model if a hook stops without a reason. */
const DEFAULT_STOP_REASON = 'PostToolUse hook stopped execution';

const UNKNOWN_FIELDS_REJECTED_SINCE = '0.136';

const findFormProblem = (
  document: JsonObject,
  { event, version }: AnswerContext,
  form: EventAnswerForm,
): string | undefined => {
  const isStrict = isAtLeast(version, UNKNOWN_FIELDS_REJECTED_SINCE);
  const [stranger] = findUnknownKeys(document, [...universalKeys, ...form.keys]);
  if (stranger !== undefined && isStrict)
    return `it knows no field "${stranger}" on ${event}, and drops the whole answer`;
  const wrong = findFormMismatch(document, {
    continue: 'boolean',
    stopReason: 'text',
    suppressOutput: 'boolean',
    systemMessage: 'text',
    decision: ['block', 'approve'],
    reason: 'text',
    hookSpecificOutput: 'object',
  });
  if (wrong !== undefined) return wrong;
  const specific = readObject(document.hookSpecificOutput);
  if (specific === undefined) return undefined;
  if (specific.hookEventName !== event) return `"hookSpecificOutput" needs "hookEventName": "${event}"`;
  const [inside] = findUnknownKeys(specific, form.specificKeys ?? []);
  if (inside !== undefined && isStrict)
    return `it knows no field "${inside}" in hookSpecificOutput, and drops the whole answer`;
  return findFormMismatch(specific, {
    permissionDecision: ['allow', 'deny', 'ask'],
    permissionDecisionReason: 'text',
    updatedInput: 'object',
    additionalContext: 'text',
    decision: 'object',
  });
};

const stopsOrHidesOutput = ({ continue: goesOn, stopReason, suppressOutput }: JsonObject): boolean =>
  goesOn === false || stopReason !== undefined || suppressOutput === true;

const findDecisionProblem = ({ decision, reason }: JsonObject): string | undefined => {
  if (decision === 'approve') return '"approve" is not supported';
  if (decision === 'block' && readNonBlank(reason) === undefined) return 'a block needs a reason';
  return decision === undefined && reason !== undefined ? 'a reason without a decision' : undefined;
};

const findToolProblem = (document: JsonObject, version: string): string | undefined => {
  const { permissionDecision: word, permissionDecisionReason: why, updatedInput } = readSpecificOutput(document);
  if (stopsOrHidesOutput(document)) return 'continue, stopReason and suppressOutput are not supported before a tool';
  if (word === 'ask') return '"ask" is not supported';
  if (updatedInput !== undefined && !isAtLeast(version, '0.131')) return 'updatedInput is not supported yet';
  if (word === 'deny' && readNonBlank(why) === undefined) return 'a denial needs a reason';
  if (word === 'allow' && updatedInput === undefined) return '"allow" without updatedInput is not supported';
  if (updatedInput !== undefined && word !== 'allow') return 'updatedInput needs "allow"';
  if (word === undefined && why !== undefined) return 'a reason without a decision';
  return findDecisionProblem(document);
};

const findProblemByEvent = (document: JsonObject, event: string): string | undefined => {
  if (event === 'PermissionRequest') {
    const decision = readObject(readSpecificOutput(document).decision);
    if (stopsOrHidesOutput(document)) return 'continue, stopReason and suppressOutput are not supported here';
    const [stranger] = findUnknownKeys(decision ?? {}, [
      'behavior',
      'message',
      ...(decision?.interrupt === true ? [] : ['interrupt']),
    ]);
    return stranger === undefined ? undefined : `"${stranger}" is not supported here`;
  }
  const decides = event === 'PostToolUse' || event === 'UserPromptSubmit' || stopEvents.includes(event);
  const problem = decides ? findDecisionProblem(document) : undefined;
  if (problem !== undefined || event !== 'PostToolUse') return problem;
  return document.suppressOutput === true || readSpecificOutput(document).updatedMCPToolOutput !== undefined
    ? 'suppressOutput and updatedMCPToolOutput are not supported'
    : undefined;
};

const readAnswerDocument = (document: JsonObject, event: string): Answer => {
  const specific = readSpecificOutput(document);
  const permission = readObject(specific.decision);
  const word = permission?.behavior ?? specific.permissionDecision ?? document.decision;
  const deny = isDenialWord(word);
  const fallback = event === 'PermissionRequest' ? 'PermissionRequest hook denied approval' : undefined;
  const ignoresStop = event === 'SubagentStart';
  const stops = document.continue === false && !ignoresStop;
  const decision = deny ? 'deny' : word === 'allow' ? 'allow' : undefined;
  return createAnswer(
    {
      // `continue: false` beats a block that would make the agent continue.
      decision: stops && stopEvents.includes(event) ? undefined : decision,
      reason:
        readNonBlank(permission?.message, specific.permissionDecisionReason, document.reason) ??
        (deny ? fallback : undefined),
      stop: stops
        ? { reason: readNonBlank(document.stopReason) ?? (event === 'PostToolUse' ? DEFAULT_STOP_REASON : '') }
        : undefined,
      context: readNonBlank(specific.additionalContext),
      message: readNonBlank(document.systemMessage),
      toolInput: readObject(specific.updatedInput),
    },
    ...(document.continue === false && ignoresStop ? ['continue: false has no effect on SubagentStart'] : []),
  );
};

export const readCodexAnswer: AgentRules['readAnswer'] = (ended, context) => {
  const { event, version } = context;
  const form = answerForms[event];
  if (ended.timedOut === true) return createFailedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return createFailedAnswer(ended.notStarted);
  const stderr = readNonBlank(ended.stderr);
  if (ended.exitCode === 2 && form !== undefined) {
    if (form.exitTwo === 'deny' && stderr !== undefined) return createAnswer({ decision: 'deny', reason: stderr });
    return createFailedAnswer(
      form.exitTwo === 'deny' ? 'exit code 2 without words on stderr blocks nothing' : `exit code 2 on ${event}`,
    );
  }
  if (ended.exitCode !== 0) return createFailedAnswer(describeExit(ended));
  if (form === undefined) return createAnswer({});
  const text = ended.stdout.trim();
  if (text === '') return createAnswer({});
  const document = parseDocument(text);
  if (document !== undefined) {
    const problem =
      findFormProblem(document, context, form) ??
      (event === 'PreToolUse' ? findToolProblem(document, version) : findProblemByEvent(document, event));
    return problem === undefined ? readAnswerDocument(document, event) : createFailedAnswer(problem);
  }
  if (/^[{[]/.test(text)) return createFailedAnswer('the answer looks like JSON and is none that fits');
  if (form.plainText === 'context') return createAnswer({ context: text });
  return form.plainText === 'fails'
    ? createFailedAnswer(`plain text is no answer on ${event}`)
    : createAnswer({}, `plain text is not read on ${event}`);
};

export const findCodexBlock = (document: JsonObject, event: string): string | undefined => {
  const specific = readSpecificOutput(document);
  const words = [document.decision, document.permissionDecision, specific.permissionDecision, specific.decision];
  const says = words.some(isDenialWord) || readObject(specific.decision)?.behavior === 'deny';
  const stops = document.continue === false && !stopEvents.includes(event);
  if (!says && !stops) return undefined;
  const { message } = readObject(specific.decision) ?? {};
  const stopReason = stops ? document.stopReason : undefined;
  return readNonBlank(specific.permissionDecisionReason, message, document.reason, stopReason) ?? 'the hook denies';
};
