/** Formats verdicts, answers and durations as text. */
import { createHookOutput, isHookEventName } from '../../events/index.ts';
import {
  type AbilityEventResult,
  type AnswerMessage,
  describeVerdict,
  type HookOutput,
  MessageBusType,
  type Verdict,
} from '../../protocol/index.ts';
import { type EventVerdict, toEventVerdict } from '../../triggers/index.ts';
import { createSpan, type Span, type Style } from './text.ts';

const styleByVerdict: Readonly<Record<Verdict, Style>> = {
  none: 'dim',
  allow: 'green',
  ask: 'yellow',
  deny: 'red',
  stop: 'red',
};

export const findVerdict = (eventName: string, output: HookOutput | undefined): EventVerdict =>
  toEventVerdict(output === undefined || !isHookEventName(eventName) ? undefined : createHookOutput(eventName, output));

export const toVerdictSpan = (verdict: Verdict): Span => createSpan(styleByVerdict[verdict], describeVerdict(verdict));

/** A reason has one line for each hook. The lines are joined with semicolons. */
const joinReasonLines = (reason: string): string => {
  const [first = '', ...others] = reason.split('\n').flatMap((line) => line.trim() || []);
  return others.reduce((text, line) => `${text}${/[.,:;!?]$/.test(text) ? '' : ';'} ${line}`, first);
};

export const formatVerdictPieces = ({ verdict, reason }: EventVerdict): (string | Span)[] => [
  toVerdictSpan(verdict),
  ...(reason === undefined || reason === '' ? [] : [`: ${joinReasonLines(reason)}`]),
];

const effectTexts: Readonly<Record<string, string>> = {
  additionalContext: 'context for the model',
  tool_input: 'another input',
  llm_request: 'another request',
  llm_response: 'another answer',
  toolConfig: 'a choice of tools',
  clearContext: 'a new conversation',
  updatedOutput: 'another result',
  tailToolCallRequest: 'another call',
};

export const formatOutputPieces = (eventName: string, output: HookOutput | undefined): (string | Span)[] => {
  const decision = findVerdict(eventName, output);
  if (decision.verdict !== 'none' || output === undefined) return formatVerdictPieces(decision);
  const changes = Object.entries(output.hookSpecificOutput ?? {}).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : (effectTexts[key] ?? []),
  );
  const message = output.systemMessage === undefined || output.systemMessage === '' ? [] : ['a message'];
  const all = [...changes, ...message];
  return all.length === 0 ? formatVerdictPieces(decision) : [createSpan('green', all.join(' and '))];
};

const formatSignals = ({ hook_signals: signals }: AbilityEventResult): string =>
  signals.length === 0 ? 'no signals' : signals.map(({ hook_id, code }) => `${code} (${hook_id})`).join(', ');

export const formatAnswerPieces = (answer: AnswerMessage | undefined): (string | Span)[] => {
  if (answer === undefined) return [createSpan('yellow', 'no answer was recorded')];
  if (answer.error !== undefined) return [createSpan('red', answer.error.code), `: ${answer.error.message}`];
  if (answer.type === MessageBusType.HOOK_EXECUTION_RESPONSE) {
    return formatOutputPieces(answer.eventName, answer.output);
  }
  const { error } = answer.result;
  return error === undefined ? [formatSignals(answer.result)] : [createSpan('red', error.code), `: ${error.message}`];
};

export const formatDuration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
