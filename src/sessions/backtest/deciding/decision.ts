// A decision of hooks in comparable form, from a recording or from a merged answer.
import type { ErrorCode } from '../../../errors.ts';
import { catalogue, createHookOutput, type HookEventName, isHookEventName } from '../../../events/index.ts';
import { isRecord } from '../../../kit/index.ts';
import { mergeRules } from '../../../merging/index.ts';
import type { FaultCode, HookOutput, HookRow, HookSpecificOutput, Verdict } from '../../../protocol/index.ts';
import { decisionOf } from '../../../triggers/index.ts';
import type { RecordedDecision } from '../collect.ts';
import { isSame } from '../values.ts';

export interface DecisionFault {
  readonly hook: string;
  readonly code: FaultCode;
}

export interface UnknownAnswer {
  readonly hook: string;
  readonly why: string;
}

/** The decision of the hooks of one event. */
export interface Decision {
  /** `none` if no hook had an opinion. With unknown answers, the verdict that holds whatever they are. */
  readonly verdict: Verdict;
  readonly reason?: string;
  /** Changes of the input by wire name: `{tool_input: {command: 'ls'}}`. Members that change nothing are omitted. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly context?: string;
  /** All other fields of the merged answer: system messages, switches, unknown fields. */
  readonly other?: Readonly<Record<string, unknown>>;
  /** Names of the hooks that ran, in configured order. */
  readonly order: readonly string[];
  /** Set if two or more hooks ran one after another, each with the input as changed by those before it. */
  readonly sequential?: true;
  readonly faults: readonly DecisionFault[];
  readonly error?: ErrorCode;
  /** Hooks that would run but have no recorded answer. Only a real run can tell the result. */
  readonly unknown?: readonly UnknownAnswer[];
}

interface RunFacts {
  readonly order: readonly string[];
  readonly sequential: boolean;
  readonly faults: readonly DecisionFault[];
  readonly error?: ErrorCode | undefined;
  readonly unknown?: readonly UnknownAnswer[];
}

const withoutNoise = (patch: Readonly<Record<string, unknown>>, base: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(patch).filter(([key, value]) => !isSame(value, base[key])));

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const ownFields: ReadonlySet<string> = new Set(['decision', 'reason', 'continue', 'stopReason', 'hookSpecificOutput']);
/** Keys of `hookSpecificOutput` that do not change the event. */
const sideFields: ReadonlySet<string> = new Set(['hookEventName', 'additionalContext']);
const switches: ReadonlySet<string> = new Set(['clearContext']);

interface Parts {
  readonly input: Record<string, unknown>;
  readonly other: Record<string, unknown>;
}

const addSpecific = (
  { input, other }: Parts,
  eventName: HookEventName,
  payload: Readonly<Record<string, unknown>>,
  specific: HookSpecificOutput,
): void => {
  const { supports, merge } = catalogue[eventName];
  const supported: readonly string[] = supports;
  for (const key of Object.keys(specific)) {
    const value = specific[key];
    if (value === undefined || sideFields.has(key)) continue;
    if (!supported.includes(key) || switches.has(key)) {
      other[key] = value;
      continue;
    }
    const base = payload[key];
    const isPatch = mergeRules[merge].specific[key]?.members !== undefined;
    if (isPatch && isRecord(value)) {
      const change = withoutNoise(value, isRecord(base) ? base : {});
      if (!isEmpty(change)) input[key] = change;
    } else if (!isSame(value, base)) {
      input[key] = value;
    }
  }
};

const partsOf = (eventName: HookEventName, payload: object, output: HookOutput): Parts => {
  const parts: Parts = { input: {}, other: {} };
  for (const key of Object.keys(output)) {
    if (!ownFields.has(key) && output[key] !== undefined) parts.other[key] = output[key];
  }
  const { hookSpecificOutput: specific } = output;
  if (specific !== undefined) addSpecific(parts, eventName, isRecord(payload) ? payload : {}, specific);
  return parts;
};

/** Unknown answers can only be stricter, so an allow is not certain. */
const sureOf = (verdict: Verdict): Verdict => (verdict === 'allow' ? 'none' : verdict);

const fieldsOfRun = ({ order, sequential, faults, error, unknown = [] }: RunFacts) => ({
  order,
  ...(sequential && order.length > 1 ? { sequential: true as const } : {}),
  faults,
  ...(error === undefined ? {} : { error }),
  ...(unknown.length === 0 ? {} : { unknown }),
});

const stopOf = ({ stopReason }: HookOutput): object => ({
  continue: false,
  ...(stopReason === undefined ? {} : { stopReason }),
});

export const decisionFrom = (
  eventName: HookEventName,
  payload: object,
  output: HookOutput | undefined,
  run: RunFacts,
): Decision => {
  if (output === undefined) return { verdict: 'none', ...fieldsOfRun(run) };
  const merged = createHookOutput(eventName, output);
  const { verdict, reason, stopReason } = decisionOf(merged);
  const context = merged.getAdditionalContext();
  const { input, other } = partsOf(eventName, payload, merged);
  // A block takes precedence over a stop, which is kept in `other`.
  if (stopReason !== undefined && verdict === 'deny') Object.assign(other, stopOf(merged));
  return {
    verdict: (run.unknown ?? []).length === 0 ? verdict : sureOf(verdict),
    ...(reason === undefined ? {} : { reason }),
    ...(isEmpty(input) ? {} : { input }),
    ...(context === undefined ? {} : { context }),
    ...(isEmpty(other) ? {} : { other }),
    ...fieldsOfRun(run),
  };
};

export const noDecision = (error?: ErrorCode): Decision => ({
  verdict: 'none',
  order: [],
  faults: [],
  ...(error === undefined ? {} : { error }),
});

export const rowsThatRan = ({ trace }: RecordedDecision): readonly HookRow[] =>
  trace?.rows.filter(({ planned, recheck }) => planned === 'run' && recheck !== true) ?? [];

export const payloadOf = ({ request }: RecordedDecision): object => request.payload ?? request.input ?? {};

const isOutput = (value: unknown): value is HookOutput => typeof value === 'object' && value !== null;

const outputOf = ({ response }: RecordedDecision): HookOutput | undefined => {
  const output = response.output ?? response.result.finalOutput;
  return isOutput(output) ? output : undefined;
};

export const recordedDecision = (recorded: RecordedDecision): Decision => {
  const { request, response, trace } = recorded;
  const error = response.error?.code;
  if (!isHookEventName(request.eventName)) return noDecision(error);
  const ran = rowsThatRan(recorded);
  return decisionFrom(request.eventName, payloadOf(recorded), outputOf(recorded), {
    order: ran.map(({ name }) => name),
    sequential: trace?.mode === 'sequential',
    faults: ran.flatMap(({ name, code }) => (code === undefined ? [] : [{ hook: name, code }])),
    error,
  });
};
