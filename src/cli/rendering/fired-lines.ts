/** Renders a fired event for people: its verdict, and the result of each hook. */
import { catalogue, isHookEventName } from '../../events/index.ts';
import { describeThrown, isRecord, shorten } from '../../kit/index.ts';
import {
  type AnswerMessage,
  type ConfigProblem,
  type HookExecutionTrace,
  MessageBusType,
  shortenHookName,
} from '../../protocol/index.ts';
import { selectHookKind } from '../hook-kinds.ts';
import { formatLabelParagraph, formatParagraph, type Page } from './layout.ts';
import { formatCount } from './problem-lines.ts';
import { formatFailure, formatHookDetail } from './row-lines.ts';
import { createSpan, type Span, type Text } from './text.ts';
import { findVerdict, formatAnswerPieces, formatDuration, toVerdictSpan } from './verdict-text.ts';

export interface AnsweredEvent<Answer extends AnswerMessage = AnswerMessage> {
  readonly eventName: string;
  readonly subject?: string | undefined;
  readonly response?: Answer | undefined;
  readonly trace?: HookExecutionTrace | undefined;
  /** The result of an `ask`, or who approved a parked call. */
  readonly confirmation?: string | undefined;
  readonly payload?: unknown;
  readonly leftRunning?: readonly string[] | undefined;
  readonly problems?: readonly ConfigProblem[] | undefined;
  readonly isUnread?: boolean | undefined;
}

const modeWords = { parallel: 'at once', sequential: 'one after another', none: '' } as const;

const formatRunCounts = ({ mode, durationMs, rows }: HookExecutionTrace, isUnread = false): string => {
  if (rows.length === 0)
    return isUnread ? 'no hook could be read: correct the settings first' : 'no hook is configured for this event';
  const ran = rows.filter(({ planned, background }) => planned === 'run' && background !== true).length;
  const skipped = rows.length - ran;
  const how = ran > 1 ? ` ${modeWords[mode]}` : '';
  const others = skipped === 0 ? '' : `, ${formatCount(skipped, 'hook')} did not run`;
  return `${formatCount(ran, 'hook')} ran${how} in ${formatDuration(durationMs)}${others}`;
};

const formatFaultPieces = ({ eventName, response, trace }: AnsweredEvent): (string | Span)[] => {
  const failed = (trace?.rows ?? []).filter(({ outcome }) => outcome === 'faulted');
  const decision =
    response?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? findVerdict(eventName, response.output) : undefined;
  if (failed.length === 0 || response?.error !== undefined || decision?.verdict !== 'none') return [];
  const named = failed.map((row) => `${shortenHookName(row.name)} failed (${formatFailure(row)})`);
  const isCall = isHookEventName(eventName) && selectHookKind(eventName) === 'guard';
  return [createSpan('red', named.join(', ')), isCall ? ', so the call goes ahead' : ', so the agent goes on'];
};

export const formatFiredHeadline = (fired: AnsweredEvent): Text[number] => {
  const { eventName, subject, response } = fired;
  const about = createSpan('bold', subject === undefined || subject === '' ? eventName : `${eventName} ${subject}`);
  const faults = formatFaultPieces(fired);
  // If only failed hooks ran, the response has their stderr, which is no answer.
  const isOnlyFault = faults.length > 0 && fired.trace?.rows.every(({ outcome }) => outcome !== 'answered');
  const answer = isOnlyFault ? [toVerdictSpan('none')] : formatAnswerPieces(response);
  return [about, ': ', ...answer, ...(faults.length === 0 ? [] : ['; ', ...faults])];
};

export const formatFiredEvent = (fired: AnsweredEvent, page: Page): Text => {
  const { eventName, payload, confirmation, trace, response, isUnread } = fired;
  const { width } = page;
  const input = (page.isFull ? formatInput : formatShortInput)(eventName, payload);
  const head = [
    formatFiredHeadline(fired),
    ...(confirmation === undefined ? [] : formatParagraph(confirmation, width, 2, 2, 'yellow')),
    ...(input === undefined ? [] : formatLabelParagraph('input', input, { width, indent: 2, labelWidth: 7 })),
  ];
  if (trace !== undefined) {
    const details = trace.rows.flatMap((row) => ['', ...formatHookDetail(row, page, fired)]);
    return [...head, ...formatParagraph(formatRunCounts(trace, isUnread), width, 2), ...details];
  }
  const errors = response?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? response.result.errors : [];
  return [
    ...head,
    ...formatParagraph('the recording has no trace for it', width, 2),
    ...errors.flatMap((error) => formatParagraph(describeThrown(error), width, 2, 4, 'red')),
  ];
};

const MAX_INPUT_LENGTH = 160;

const toJson = (value: unknown): string => JSON.stringify(value) ?? '';

const findLastMessage = (request: Record<string, unknown>): string | undefined => {
  const { messages } = request;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isRecord(last) && typeof last.content === 'string' ? `${String(last.role)}: ${last.content}` : undefined;
};

const findInputText = (value: Record<string, unknown>): string | undefined => {
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== '');
  if (members.length === 0) return undefined;
  if (typeof value.command === 'string') return value.command;
  const [[name, only] = ['', undefined], another] = members;
  return another === undefined && typeof only === 'string' ? `${name}: ${only}` : toJson(value);
};

export const formatInput = (eventName: string, payload: unknown): string | undefined => {
  if (!isRecord(payload)) return undefined;
  const { tool_input: toolInput, llm_request: request, prompt, message } = payload;
  if (isRecord(toolInput)) return findInputText(toolInput);
  if (isRecord(request)) return findLastMessage(request) ?? toJson(request);
  for (const text of [prompt, message]) if (typeof text === 'string' && text !== '') return text;
  const title = isHookEventName(eventName) ? catalogue[eventName].subject?.field : undefined;
  return findInputText(Object.fromEntries(Object.entries(payload).filter(([key]) => key !== title)));
};

export const formatShortInput = (eventName: string, payload: unknown): string | undefined => {
  const text = formatInput(eventName, payload);
  return text === undefined ? undefined : shorten(text, MAX_INPUT_LENGTH);
};
