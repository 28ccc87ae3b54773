import { describeValue, suggestion } from '../kit/index.ts';
import { type HookReportedError, type HookResult, type HookSignal, resultFields } from '../protocol/ability-result.ts';
import { dropPrototypeKeys } from '../protocol/output.ts';
import type { FieldProblem } from '../protocol/run.ts';
import { readSignals, type Speaker } from './ability-signals.ts';

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

/** Reads a hook's answer field by field; what cannot be used is told and costs nothing but itself. */
export const readAnswer = (said: Record<string, unknown>, speaker: Speaker): ReadAnswer => {
  const problems: FieldProblem[] = [];
  const value = dropPrototypeKeys(said, problems);
  let verdictLost = false;
  let signals: readonly HookSignal[] | undefined;
  // Each is looked up among the known ones: an answer has four fields, a flood has a million.
  for (const key of Object.keys(value).slice(0, MAX_FIELDS)) {
    if (known.some((name) => name === key)) continue;
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
    verdictLost = read.verdictLost;
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
