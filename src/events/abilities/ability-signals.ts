// Reads the signals of ability hooks and reports those that an event does not allow.
import { describeValue, formatSuggestion, isRecord } from '../../kit/index.ts';
import {
  AbilityCode,
  describeIssue,
  type FieldProblem,
  type HookSignal,
  type SignalKind,
  type SignalSeverity,
  signalKinds,
  signalPayloadSchemas,
  signalSeverities,
} from '../../protocol/index.ts';
import { type AbilityEventRecord, allKeysAllowed } from './ability-catalogue.ts';

export interface SignalContext {
  readonly eventType: string;
  readonly hookId: string;
  readonly signals: AbilityEventRecord['signals'];
}

interface CheckedSignals {
  readonly signals: readonly HookSignal[];
  readonly problems: readonly FieldProblem[];
  readonly verdictLost: boolean;
}

type ProblemReporter = (field: string, fate: FieldProblem['fate'], note: string) => void;

const refusalCodes: readonly string[] = [AbilityCode.Denied, AbilityCode.Unavailable, AbilityCode.RequiresHuman];

/** Words by which an unknown code probably means a refusal. */
const refusalPattern = /den(?:y|ied)|block|refuse|reject|unavailable|human/i;

export const isRefusal = ({ code }: Pick<HookSignal, 'code'>): boolean => refusalCodes.includes(code);

const isSignalKind = (value: unknown): value is SignalKind => signalKinds.some((kind) => kind === value);
const isSignalSeverity = (value: unknown): value is SignalSeverity => signalSeverities.some((known) => known === value);

const findDecidingKind = ({ signals }: SignalContext): SignalKind | undefined =>
  signalKinds.find((kind) => Array.isArray(signals[kind]));

/** Returns an example for messages; `undefined` if hooks cannot refuse this event. */
export const formatExampleRefusal = (signalContext: SignalContext): string | undefined => {
  const kind = findDecidingKind(signalContext);
  const codes = kind === undefined ? undefined : signalContext.signals[kind];
  const code = Array.isArray(codes) ? codes.find((each) => refusalCodes.includes(each)) : undefined;
  return code && JSON.stringify({ hook_signals: [{ kind, code, payload: { reason: '…' } }] });
};

/** A refusal with a wrong `kind` still counts, so that no refusal is lost. */
const readSignalKind = (
  value: Record<string, unknown>,
  signalContext: SignalContext,
  at: string,
  note: ProblemReporter,
): SignalKind | undefined => {
  const { kind, code } = value;
  const { eventType, signals } = signalContext;
  const deciding = findDecidingKind(signalContext);
  const allowed = signalKinds.filter((known) => signals[known] !== undefined);
  if (isSignalKind(kind) && allowed.includes(kind)) return kind;
  const only = allowed.length === 1 ? allowed[0] : undefined;
  const found = `${eventType} takes ${allowed.join(', ')}, found ${describeValue(kind)}`;
  if (kind === undefined && only !== undefined) return only;
  if (deciding !== undefined && typeof code === 'string' && refusalCodes.includes(code)) {
    note(`${at}.kind`, 'malformed', `${found}; the refusal counts as ${deciding}`);
    return deciding;
  }
  const near = typeof kind === 'string' ? formatSuggestion(kind, allowed) : '';
  const maySayNo = deciding !== undefined && typeof code === 'string' && refusalPattern.test(code);
  if (isSignalKind(kind) && !maySayNo) note(at, 'unsupported', `${found}; the signal does not count`);
  else note(`${at}.kind`, 'malformed', `${found}${near}; the signal does not count`);
  return undefined;
};

const readSignalCode = (
  value: unknown,
  kind: SignalKind,
  { signals }: SignalContext,
  at: string,
  note: ProblemReporter,
): string | undefined => {
  const known = signals[kind];
  if (typeof value !== 'string' || value === '') {
    const codes = Array.isArray(known) ? known.join(', ') : 'a code';
    note(`${at}.code`, 'malformed', `expected ${codes}, found ${describeValue(value)}; the signal does not count`);
    return undefined;
  }
  if (known === undefined || known === 'any' || known.includes(value)) return value;
  const expected = `${kind} has the codes ${known.join(', ')}`;
  if (refusalCodes.includes(value)) {
    note(`${at}.code`, 'unsupported', `${expected}; ${value} still refuses`);
    return value;
  }
  const found = `"${value}"${formatSuggestion(value, known)}`;
  note(`${at}.code`, 'malformed', `${expected}, found ${found}; the signal does not count`);
  return undefined;
};

/** Invalid members of the payload are reported, but kept. */
const readSignalPayload = (
  value: unknown,
  kind: SignalKind,
  at: string,
  note: ProblemReporter,
): Readonly<Record<string, unknown>> => {
  if (isRecord(value)) {
    const read = signalPayloadSchemas()[kind].safeParse(value);
    for (const issue of read.success ? [] : read.error.issues) {
      for (const { path, message } of describeIssue(issue, value, allKeysAllowed)) {
        note([`${at}.payload`, ...path.map(String)].join('.'), 'malformed', message);
      }
    }
    return value;
  }
  if (value !== undefined) note(`${at}.payload`, 'malformed', `expected an object, found ${describeValue(value)}`);
  return {};
};

/** A hook could pose as another hook, so the `hook_id` and `source_event` of its signal are replaced. */
const reportWrongSender = (
  value: Record<string, unknown>,
  { eventType, hookId }: SignalContext,
  at: string,
  note: ProblemReporter,
): void => {
  const claims = { source_event: eventType, hook_id: hookId };
  for (const [field, ours] of Object.entries(claims)) {
    const found = value[field];
    if (found === undefined || found === ours) continue;
    note(`${at}.${field}`, 'malformed', `it is "${ours}", found ${describeValue(found)}; it was replaced`);
  }
};

const readSignal = (
  value: unknown,
  signalContext: SignalContext,
  at: string,
  note: ProblemReporter,
): HookSignal | undefined => {
  if (!isRecord(value)) {
    note(at, 'malformed', `expected a signal with kind, code and payload, found ${describeValue(value)}`);
    return undefined;
  }
  const kind = readSignalKind(value, signalContext, at, note);
  if (kind === undefined) return undefined;
  const code = readSignalCode(value.code, kind, signalContext, at, note);
  if (code === undefined) return undefined;
  reportWrongSender(value, signalContext, at, note);
  const { severity } = value;
  if (severity !== undefined && !isSignalSeverity(severity)) {
    note(`${at}.severity`, 'malformed', `expected ${signalSeverities.join(', ')}, found ${describeValue(severity)}`);
  }
  const { eventType: source_event, hookId: hook_id } = signalContext;
  const payload = readSignalPayload(value.payload, kind, at, note);
  return { source_event, hook_id, kind, code, ...(isSignalSeverity(severity) ? { severity } : {}), payload };
};

/** No hook needs more signals in one answer. In a longer list, only refusals count. */
const MAX_SIGNALS = 1_000;

const selectRefusals = (list: readonly unknown[]): readonly unknown[] =>
  list.filter((one) => isRecord(one) && refusalCodes.some((code) => code === one.code)).slice(0, MAX_SIGNALS);

/** Signals that the event does not allow are reported and ignored, but refusals always count. */
export const readSignals = (value: unknown, signalContext: SignalContext): CheckedSignals => {
  const problems: FieldProblem[] = [];
  const note: ProblemReporter = (field, fate, text) => problems.push({ field, fate, note: text });
  const decides = findDecidingKind(signalContext) !== undefined;
  const list = Array.isArray(value) ? value : isRecord(value) ? [value] : undefined;
  if (list === undefined) {
    note('hook_signals', 'malformed', `expected a list of signals, found ${describeValue(value)}`);
    return { signals: [], problems, verdictLost: decides };
  }
  if (Object.keys(signalContext.signals).length === 0) {
    if (list.length > 0) {
      note('hook_signals', 'unsupported', `${signalContext.eventType} takes no signals; ${list.length} were ignored`);
    }
    return { signals: [], problems, verdictLost: false };
  }
  const signals: HookSignal[] = [];
  let isLost = list.length > MAX_SIGNALS;
  if (isLost) note('hook_signals', 'malformed', `expected at most ${MAX_SIGNALS} signals, found ${list.length}`);
  for (const [index, one] of (isLost ? selectRefusals(list) : list).entries()) {
    const before = problems.length;
    const signal = readSignal(one, signalContext, `hook_signals[${index}]`, note);
    if (signal !== undefined) signals.push(signal);
    else isLost ||= problems.slice(before).some(({ fate }) => fate === 'malformed');
  }
  return { signals, problems, verdictLost: decides && isLost };
};
