// Converts recorded answers and new merged answers to decisions that can be compared.
import type { ErrorCode } from '../../../errors.ts';
import { catalogue, createHookOutput, type HookEventName, isHookEventName } from '../../../events/index.ts';
import { isRecord, omitUndefined } from '../../../kit/index.ts';
import { mergeRules } from '../../../merging/index.ts';
import type { FaultCode, HookOutput, HookRow, HookSpecificOutput, Notice, Verdict } from '../../../protocol/index.ts';
import { toEventVerdict } from '../../../triggers/index.ts';
import type { RecordedExchange } from '../collect-exchanges.ts';
import { isEqualJson } from '../compare-fields.ts';

export interface DecisionFault {
  readonly hook: string;
  readonly code: FaultCode;
}

export interface UnknownAnswer {
  readonly hook: string;
  readonly why: string;
}

export interface Decision {
  /** `none` if no hook had an opinion. If some answers are unknown, a verdict that no unknown answer can weaken. */
  readonly verdict: Verdict;
  readonly reason?: string;
  /**
   * Changes of the event's input by field: `{tool_input: {command: 'ls'}}`. Fields with unchanged values are omitted.
   */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly context?: string;
  /** All remaining fields of the merged answer, such as `systemMessage` and `suppressOutput`. */
  readonly other?: Readonly<Record<string, unknown>>;
  readonly order: readonly string[];
  /** True if at least two hooks ran one after another, so that each read the input as changed by earlier hooks. */
  readonly sequential?: true;
  readonly faults: readonly DecisionFault[];
  readonly error?: ErrorCode;
  /** Hooks that would run now but have no usable recorded answer, so their part in the decision is unknown. */
  readonly unknown?: readonly UnknownAnswer[];
}

export interface TrialOutcome {
  readonly decision: Decision;
  readonly notes: readonly string[];
}

export interface DecisionRun extends Pick<Decision, 'order' | 'faults'> {
  readonly sequential: boolean;
  readonly error?: ErrorCode | undefined;
  readonly unknown?: readonly UnknownAnswer[];
}

const omitUnchanged = (patch: Readonly<Record<string, unknown>>, base: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(patch).filter(([key, value]) => !isEqualJson(value, base[key])));

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const separatelyComparedFields: ReadonlySet<string> = new Set([
  'decision',
  'reason',
  'continue',
  'stopReason',
  'hookSpecificOutput',
]);
const uncomparedSpecificFields: ReadonlySet<string> = new Set(['hookEventName', 'additionalContext']);

interface OutputParts {
  readonly input: Record<string, unknown>;
  readonly other: Record<string, unknown>;
}

const addSpecificFields = (
  { input, other }: OutputParts,
  eventName: HookEventName,
  payload: Readonly<Record<string, unknown>>,
  specific: HookSpecificOutput,
): void => {
  const { supports, merge } = catalogue[eventName];
  const supported: readonly string[] = supports;
  for (const key of Object.keys(specific)) {
    const value = specific[key];
    if (value === undefined || uncomparedSpecificFields.has(key)) continue;
    if (!supported.includes(key) || key === 'clearContext') {
      other[key] = value;
      continue;
    }
    const base = payload[key];
    const isPatch = mergeRules[merge].specific[key]?.members !== undefined;
    if (isPatch && isRecord(value)) {
      const change = omitUnchanged(value, isRecord(base) ? base : {});
      if (!isEmpty(change)) input[key] = change;
    } else if (!isEqualJson(value, base)) {
      input[key] = value;
    }
  }
};

const splitOutput = (eventName: HookEventName, payload: object, output: HookOutput): OutputParts => {
  const parts: OutputParts = { input: {}, other: {} };
  for (const key of Object.keys(output)) {
    if (!separatelyComparedFields.has(key) && output[key] !== undefined) parts.other[key] = output[key];
  }
  const { hookSpecificOutput: specific } = output;
  if (specific !== undefined) addSpecificFields(parts, eventName, isRecord(payload) ? payload : {}, specific);
  return parts;
};

/** A hook whose answer is unknown may still deny, so an allow is not certain. */
const toCertainVerdict = (verdict: Verdict): Verdict => (verdict === 'allow' ? 'none' : verdict);

const toRunFields = ({ order, sequential, faults, error, unknown = [] }: DecisionRun) =>
  omitUndefined({
    order,
    sequential: sequential && order.length > 1 ? true : undefined,
    faults,
    error,
    unknown: unknown.length === 0 ? undefined : unknown,
  });

export const createDecision = (
  eventName: HookEventName,
  payload: object,
  output: HookOutput | undefined,
  run: DecisionRun,
): Decision => {
  if (output === undefined) return { verdict: 'none', ...toRunFields(run) };
  const merged = createHookOutput(eventName, output);
  const { verdict, reason, stopReason } = toEventVerdict(merged);
  const context = merged.getAdditionalContext();
  const { input, other } = splitOutput(eventName, payload, merged);
  if (stopReason !== undefined && verdict === 'deny')
    Object.assign(other, { continue: false }, omitUndefined({ stopReason: merged.stopReason }));
  return {
    verdict: (run.unknown ?? []).length === 0 ? verdict : toCertainVerdict(verdict),
    ...omitUndefined({
      reason,
      input: isEmpty(input) ? undefined : input,
      context,
      other: isEmpty(other) ? undefined : other,
    }),
    ...toRunFields(run),
  };
};

const createEmptyDecision = (error: ErrorCode | undefined): Decision => ({
  verdict: 'none',
  order: [],
  faults: [],
  ...omitUndefined({ error }),
});

export const createEmptyOutcome = (error?: ErrorCode): TrialOutcome => ({
  decision: createEmptyDecision(error),
  notes: [],
});

export const getRunRows = ({ trace }: RecordedExchange): readonly HookRow[] =>
  trace?.rows.filter(({ planned, recheck }) => planned === 'run' && recheck !== true) ?? [];

export const getRecordedPayload = ({ request }: RecordedExchange): object => request.payload ?? request.input ?? {};

const isHookOutput = (value: unknown): value is HookOutput => typeof value === 'object' && value !== null;

export const readOutput = ({ response }: RecordedExchange): HookOutput | undefined => {
  const output = response.output ?? response.result.finalOutput;
  return isHookOutput(output) ? output : undefined;
};

/** Context and messages of background hooks of earlier events. They end the merged answers, and no row has them. */
export const readLateOutputs = ({ response, trace }: RecordedExchange): readonly HookOutput[] => {
  const ofRows = trace?.rows.flatMap(({ output, warnings = [] }) => [output, ...warnings.map(readMergedAnswer)]) ?? [];
  return response.result.allOutputs.filter(
    (output) => isLateOutput(output) && !ofRows.some((one) => isEqualJson(one, output)),
  );
};

/** The answer that another agent's rules make of those of several hooks. */
const readMergedAnswer = ({ detail }: Notice): unknown => (isRecord(detail) ? detail.answer : undefined);

const isLateOutput = ({ systemMessage: _message, hookSpecificOutput = {}, ...others }: HookOutput): boolean => {
  const { additionalContext: _context, ...specific } = hookSpecificOutput;
  return isEmpty(others) && isEmpty(specific);
};

export const extractDecision = (recorded: RecordedExchange): Decision => {
  const { request, response, trace } = recorded;
  const error = response.error?.code;
  if (!isHookEventName(request.eventName)) return createEmptyDecision(error);
  const ran = getRunRows(recorded);
  return createDecision(request.eventName, getRecordedPayload(recorded), readOutput(recorded), {
    order: ran.map(({ name }) => name),
    sequential: trace?.mode === 'sequential',
    faults: ran.flatMap(({ name, code }) => (code === undefined ? [] : [{ hook: name, code }])),
    error,
  });
};
