/** Extracts decisions and rows from captured traffic, and describes them when a matcher fails. */
import { createHookOutput, DefaultHookOutput, isHookEventName } from '../../events/index.ts';
import { isRecord, textOf } from '../../kit/index.ts';
import {
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookRow,
  MessageBusType,
  readPayload,
} from '../../protocol/index.ts';
import { type EventVerdict, isBlockedOrParked, toEventVerdict } from '../../triggers/index.ts';
import type { CapturedMessages } from '../capture-traffic.ts';
import { formatTable } from '../text-table.ts';

/** Messages from another process have plain objects as outputs. */
const findVerdict = (eventName: string, output: unknown): EventVerdict => {
  if (!isRecord(output)) return { verdict: 'none' };
  return toEventVerdict(
    isHookEventName(eventName) ? createHookOutput(eventName, output) : new DefaultHookOutput(output),
  );
};

export const readVerdict = ({ eventName, output, result }: HookExecutionResponse): string =>
  findVerdict(eventName, output ?? result.finalOutput).verdict;

const listReasons = ({ verdict, reason, stopReason }: EventVerdict): string[] =>
  verdict === 'stop' ? [stopReason ?? ''] : [reason, stopReason].flatMap((text) => text ?? []);

export interface RequestOutcome {
  readonly eventName: string;
  readonly subject: string | undefined;
  readonly isBlocked: boolean;
  readonly verdict: string;
  readonly reasons: readonly string[];
  /** Hooks that denied the event or stopped the agent; `undefined` without a trace. */
  readonly by: readonly HookRow[] | undefined;
  readonly error: string | undefined;
}

const createOutcome = (
  { eventName, output, result, error }: HookExecutionResponse,
  request: HookExecutionRequest | undefined,
  trace: HookExecutionTrace | undefined,
): RequestOutcome => {
  const decision = findVerdict(eventName, output ?? result.finalOutput);
  return {
    eventName,
    subject: trace?.subject ?? textOf(request && readPayload(request).tool_name),
    isBlocked: isBlockedOrParked(decision),
    verdict: decision.verdict,
    reasons: listReasons(decision),
    by: trace?.rows.filter((row) => isBlockedOrParked(findVerdict(eventName, row.output))),
    error: error?.code,
  };
};

/** A correlation id may be reused, so the order of messages decides which request a response belongs to. */
export const listOutcomes = ({ messages }: CapturedMessages): readonly RequestOutcome[] => {
  const requests = new Map<string, HookExecutionRequest>();
  const traces = new Map<string, HookExecutionTrace>();
  const answers: RequestOutcome[] = [];
  for (const message of messages) {
    const { type, correlationId } = message;
    if (type === MessageBusType.HOOK_EXECUTION_REQUEST) {
      requests.set(correlationId, message);
      traces.delete(correlationId);
    } else if (type === MessageBusType.HOOK_EXECUTION_TRACE) {
      traces.set(correlationId, message);
    } else if (type === MessageBusType.HOOK_EXECUTION_RESPONSE) {
      answers.push(createOutcome(message, requests.get(correlationId), traces.get(correlationId)));
    }
  }
  return answers;
};

export interface TracedRow {
  readonly trace: HookExecutionTrace;
  readonly row: HookRow;
}

export const listTracedRows = ({ traces }: CapturedMessages): readonly TracedRow[] =>
  traces.flatMap((trace) => trace.rows.map((row) => ({ trace, row })));

export const hasHookName = ({ name, hookId }: HookRow, hookName: string): boolean =>
  name === hookName || hookId === hookName;

const MAX_SHOWN_ROWS = 30;

const formatLastRows = <T>(items: readonly T[], table: (shown: readonly T[]) => string): string => {
  const hidden = items.length - MAX_SHOWN_ROWS;
  if (hidden <= 0) return table(items);
  return `${table(items.slice(-MAX_SHOWN_ROWS))}\n  (the last ${MAX_SHOWN_ROWS} of ${items.length})`;
};

export const describeOutcomes = (answers: readonly RequestOutcome[]): string =>
  answers.length === 0
    ? 'No request was answered.'
    : `What the hooks decided:\n${formatLastRows(answers, formatOutcomes)}`;

const formatOutcomes = (answers: readonly RequestOutcome[]): string =>
  formatTable(
    ['event', 'about', 'verdict', 'reason', 'by', 'error'],
    answers.map(({ eventName, subject, verdict, reasons, by, error }) => [
      ...[eventName, subject, verdict, reasons.join('; ')],
      ...[by?.map(({ name }) => name).join(', '), error],
    ]),
  );

const formatAnswerOfRow = ({ trace, row }: TracedRow): string => {
  const decision = findVerdict(trace.eventName, row.output);
  if (decision.verdict === 'none') return row.output?.systemMessage ?? '';
  return [decision.verdict, ...listReasons(decision)].join(': ');
};

export const describeRows = (rows: readonly TracedRow[]): string =>
  rows.length === 0
    ? 'No trace has a row: no hook is configured for what was fired.'
    : `What became of each hook:\n${formatLastRows(rows, formatRows)}`;

const formatRows = (rows: readonly TracedRow[]): string =>
  formatTable(
    ['event', 'about', 'hook', 'outcome', 'why', 'said'],
    rows.map((one) => {
      const { trace, row } = one;
      const isSkipped = row.planned === 'skip';
      const outcome = isSkipped ? 'skipped' : (row.outcome ?? 'not finished');
      return [
        trace.eventName,
        trace.subject,
        row.name,
        outcome,
        isSkipped ? row.reason : row.code,
        formatAnswerOfRow(one),
      ];
    }),
  );

export const explainMissingRequests = ({ messages, requests }: CapturedMessages): string | undefined => {
  if (messages.length === 0) return 'Nothing was captured: no event was fired on this bus since captureTraffic.';
  return requests.length === 0 ? `None of the ${messages.length} captured messages is a request.` : undefined;
};
