// Reads the answer of an ability hook and reports its mistakes.
import { describeValue, formatSuggestion, isRecord } from '../../kit/index.ts';
import {
  AbilityCode,
  dropPrototypeKeys,
  type FieldProblem,
  findHiddenVerdict,
  type HookReportedError,
  type HookResult,
  type HookSignal,
  mayHoldVerdict,
  resultFields,
  signalKinds,
} from '../../protocol/index.ts';
import { formatExampleRefusal, readSignals, type SignalContext } from './ability-signals.ts';

const MAX_CHECKED_FIELDS = 100;

const answerFields = ['logs', 'usage_recorded', 'hook_signals', 'error'] as const;

const isAnswerField = (key: string): boolean => answerFields.some((name) => name === key);

export interface CheckedAbilityAnswer {
  readonly answer: HookResult;
  readonly problems: readonly FieldProblem[];
  readonly verdictLost: boolean;
}

const expectedFieldForms: Readonly<Record<string, string>> = {
  logs: 'a list of texts or objects',
  usage_recorded: 'true or false',
};

/** An error in any form means that the hook failed. */
const readReportedError = (value: unknown): HookReportedError => {
  const read = resultFields().error.safeParse(value);
  if (read.success) return { code: read.data.code, message: read.data.message };
  return { code: 'error', message: typeof value === 'string' ? value : describeValue(value) };
};

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const signalsKeyPattern = /^(?:hook)?[-_ ]?signals?$/i;

const isAbsentOrEmptyList = (value: unknown): boolean =>
  isAbsent(value) || (Array.isArray(value) && value.length === 0);

/** The formats of other agents nest an answer one level deeper, such as in `hookSpecificOutput`. */
const holdsSignals = (value: unknown): boolean => isRecord(value) && !isAbsentOrEmptyList(value.hook_signals);

const abilityCodes: readonly unknown[] = Object.values(AbilityCode);

const looksLikeSignal = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.code === 'string' &&
  (abilityCodes.includes(value.code) || signalKinds.some((kind) => kind === value.kind));

const MAX_CHECKED_SIGNALS = 100;

const looksLikeSignals = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.slice(0, MAX_CHECKED_SIGNALS).some(looksLikeSignal)
    : looksLikeSignal(value) || abilityCodes.includes(value);

/** Longer keys cannot mean `hook_signals`. They are skipped, because a hostile answer may have a million of them. */
const MAX_SIGNALS_KEY_LENGTH = 16;

/** Signals under a wrong key may be refusals, so they make the answer malformed instead of being ignored. */
const findMisplacedSignals = (value: Record<string, unknown>, keys: readonly string[]): FieldProblem[] => {
  const misplaced: FieldProblem[] = [];
  const report = (field: string, found: string): unknown =>
    misplaced.push({
      field,
      fate: 'malformed',
      note: `signals belong in the list hook_signals; found ${found}`,
    });
  for (const key of keys) {
    if (key.length > MAX_SIGNALS_KEY_LENGTH || key === 'hook_signals' || !key.includes('ignal')) continue;
    if (signalsKeyPattern.test(key) && !isAbsentOrEmptyList(value[key])) report(key, `"${key}"`);
  }
  const isReported = (key: string): boolean => misplaced.some(({ field }) => field === key);
  for (const key of keys.slice(0, MAX_CHECKED_FIELDS)) {
    if (holdsSignals(value[key])) report(key, `"${key}.hook_signals"`);
    else if (isAnswerField(key) || key === 'code' || isReported(key)) continue;
    else if (looksLikeSignals(value[key])) report(key, `"${key}"`);
  }
  const isAtTop = 'kind' in value || 'payload' in value || abilityCodes.includes(value.code);
  if (typeof value.code === 'string' && isAtTop) report('code', 'a signal at the top');
  return misplaced;
};

/** Ability hooks refuse by signals. A verdict in the format of agent hooks makes the answer malformed. */
const findMisplacedVerdict = (key: string, value: unknown, signalContext: SignalContext): FieldProblem | undefined => {
  const field = mayHoldVerdict(key) && !isAbsent(value) ? key : findHiddenVerdict({ [key]: value }, '');
  if (field === undefined) return undefined;
  const form = formatExampleRefusal(signalContext);
  const note = `an ability hook refuses by a signal in the list hook_signals${form === undefined ? '' : `: ${form}`}`;
  return { field, fate: 'malformed', note };
};

export const readAbilityAnswer = (
  output: Record<string, unknown>,
  signalContext: SignalContext,
): CheckedAbilityAnswer => {
  const problems: FieldProblem[] = [];
  const value = dropPrototypeKeys(output, problems);
  const keys = Object.keys(value);
  const misplaced = findMisplacedSignals(value, keys);
  problems.push(...misplaced);
  let verdictLost = misplaced.length > 0;
  let signals: readonly HookSignal[] | undefined;
  // The number of keys is limited, because a hostile answer can have a million unknown keys.
  for (const key of keys.slice(0, MAX_CHECKED_FIELDS)) {
    if (isAnswerField(key) || misplaced.some(({ field }) => field === key)) continue;
    const foreign = findMisplacedVerdict(key, value[key], signalContext);
    if (foreign !== undefined) {
      problems.push(foreign);
      verdictLost = true;
      continue;
    }
    problems.push({
      field: key,
      fate: 'unsupported',
      note: `an ability hook answers ${answerFields.join(', ')}${formatSuggestion(key, answerFields)}`,
    });
  }
  if (!isAbsent(value.hook_signals)) {
    const read = readSignals(value.hook_signals, signalContext);
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
      note: `expected ${expectedFieldForms[field]}, found ${describeValue(value[field])}`,
    });
  }
  const answer: HookResult = {
    ...(read.logs.success && !isAbsent(logs) ? { logs: read.logs.data } : {}),
    ...(read.usage_recorded.success ? { usage_recorded: read.usage_recorded.data } : {}),
    ...(signals === undefined || signals.length === 0 ? {} : { hook_signals: signals }),
    ...(isAbsent(value.error) ? {} : { error: readReportedError(value.error) }),
  };
  return { answer, problems, verdictLost };
};
