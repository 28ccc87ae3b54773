import { describeValue, isRecord, suggestion } from '../../kit/index.ts';
import {
  AbilityCode,
  dropPrototypeKeys,
  type FieldProblem,
  type HookReportedError,
  type HookResult,
  type HookSignal,
  hiddenVerdict,
  mayHoldVerdict,
  resultFields,
  signalKinds,
} from '../../protocol/index.ts';
import { readSignals, refusalForm, type Speaker } from './ability-signals.ts';

const MAX_FIELDS = 100;

const known = ['logs', 'usage_recorded', 'hook_signals', 'error'] as const;

/** What a hook answered, as far as it can be used. */
export interface ReadAnswer {
  readonly answer: HookResult;
  readonly problems: readonly FieldProblem[];
  readonly verdictLost: boolean;
}

const expected: Readonly<Record<string, string>> = {
  logs: 'a list of texts or objects',
  usage_recorded: 'true or false',
};

/** An error in any form is an error: the hook says that it failed. */
const errorOf = (value: unknown): HookReportedError => {
  const read = resultFields().error.safeParse(value);
  if (read.success) return { code: read.data.code, message: read.data.message };
  return { code: 'error', message: typeof value === 'string' ? value : describeValue(value) };
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** `hook_signal`, `hookSignals`, `signals`, `HookSignal`: meant for `hook_signals`. */
const meansSignals = /^(?:hook)?[-_ ]?signals?$/i;

const isEmpty = (value: unknown): boolean => isAbsent(value) || (Array.isArray(value) && value.length === 0);

/** One level too deep, as where another format keeps its answers. */
const holdsSignals = (value: unknown): boolean => isRecord(value) && !isEmpty(value.hook_signals);

const codes: readonly unknown[] = Object.values(AbilityCode);
const kinds: readonly unknown[] = signalKinds;

/** Whatever it is called: nothing else has these codes and kinds. */
const isSignal = (value: unknown): boolean =>
  isRecord(value) && typeof value.code === 'string' && (codes.includes(value.code) || kinds.includes(value.kind));

/** More would be looked at for nothing: one that is misplaced is enough. */
const MAX_SIGNALS = 100;

const areSignals = (value: unknown): boolean =>
  Array.isArray(value) ? value.slice(0, MAX_SIGNALS).some(isSignal) : isSignal(value) || codes.includes(value);

/** No such key is longer; an answer may have a million others. */
const LONGEST_KEY = 16;

/** Signals in the wrong place: their meaning is unknown, and reported as such. */
const misplacedSignals = (value: Record<string, unknown>, keys: readonly string[]): FieldProblem[] => {
  const misplaced: FieldProblem[] = [];
  const tell = (field: string, found: string): unknown =>
    misplaced.push({
      field,
      fate: 'malformed',
      note: `signals belong in the list hook_signals; found ${found}`,
    });
  for (const key of keys) {
    if (key.length > LONGEST_KEY || key === 'hook_signals' || !key.includes('ignal')) continue;
    if (meansSignals.test(key) && !isEmpty(value[key])) tell(key, `"${key}"`);
  }
  const isTold = (key: string): boolean => misplaced.some(({ field }) => field === key);
  for (const key of keys.slice(0, MAX_FIELDS)) {
    if (holdsSignals(value[key])) tell(key, `"${key}.hook_signals"`);
    else if (known.every((name) => name !== key) && key !== 'code' && !isTold(key) && areSignals(value[key]))
      tell(key, `"${key}"`);
  }
  const isAtTop = 'kind' in value || 'payload' in value || codes.includes(value.code);
  if (typeof value.code === 'string' && isAtTop) tell('code', 'a signal at the top');
  return misplaced;
};

/** A verdict in the words of other hooks. Nothing reads it here, and it was meant. */
const foreignVerdict = (key: string, value: unknown, speaker: Speaker): FieldProblem | undefined => {
  const field = mayHoldVerdict(key) && !isAbsent(value) ? key : hiddenVerdict({ [key]: value }, '');
  if (field === undefined) return undefined;
  const form = refusalForm(speaker);
  const note = `an ability hook refuses by a signal in the list hook_signals${form === undefined ? '' : `: ${form}`}`;
  return { field, fate: 'malformed', note };
};

/** Reads a hook's answer field by field; what cannot be used is told and costs nothing but itself. */
export const readAnswer = (said: Record<string, unknown>, speaker: Speaker): ReadAnswer => {
  const problems: FieldProblem[] = [];
  const value = dropPrototypeKeys(said, problems);
  const keys = Object.keys(value);
  const misplaced = misplacedSignals(value, keys);
  problems.push(...misplaced);
  let verdictLost = misplaced.length > 0;
  let signals: readonly HookSignal[] | undefined;
  // Each is looked up among the known ones: an answer has four fields, a flood has a million.
  for (const key of keys.slice(0, MAX_FIELDS)) {
    if (known.some((name) => name === key) || misplaced.some(({ field }) => field === key)) continue;
    const foreign = foreignVerdict(key, value[key], speaker);
    if (foreign !== undefined) {
      problems.push(foreign);
      verdictLost = true;
      continue;
    }
    problems.push({
      field: key,
      fate: 'unsupported',
      note: `an ability hook answers ${known.join(', ')}${suggestion(key, known)}`,
    });
  }
  if (!isAbsent(value.hook_signals)) {
    const read = readSignals(value.hook_signals, speaker);
    signals = read.signals;
    problems.push(...read.problems);
    verdictLost ||= read.verdictLost;
  }
  const logs = typeof value.logs === 'string' ? [value.logs] : value.logs;
  const read = {
    logs: resultFields().logs.safeParse(logs),
    usage_recorded: resultFields().usage_recorded.safeParse(value.usage_recorded),
  };
  for (const field of ['logs', 'usage_recorded'] as const) {
    if (isAbsent(value[field]) || read[field].success) continue;
    problems.push({
      field,
      fate: 'malformed',
      note: `expected ${expected[field]}, found ${describeValue(value[field])}`,
    });
  }
  const answer: HookResult = {
    ...(read.logs.success && !isAbsent(logs) ? { logs: read.logs.data } : {}),
    ...(read.usage_recorded.success ? { usage_recorded: read.usage_recorded.data } : {}),
    ...(signals === undefined || signals.length === 0 ? {} : { hook_signals: signals }),
    ...(isAbsent(value.error) ? {} : { error: errorOf(value.error) }),
  };
  return { answer, problems, verdictLost };
};
