import type { FlagSpec } from '../arguments/spec.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';
import type { CommandOutcome } from '../outcome.ts';
import type { Reported } from './check.ts';
import { reporterNames, reportIn } from './reporters.ts';

export const reporterFlag = {
  reporter: {
    kind: 'text',
    value: 'form',
    summary: 'print the findings in the format of a pipeline',
    choices: reporterNames,
  },
} as const satisfies Readonly<Record<string, FlagSpec>>;

/** Where a pipeline reads stdout nothing else may stand there: broken settings are findings like the others. */
export const reportingContext = (context: Context, reporter: string | undefined): Context => {
  if (reporter === undefined) return context;
  if (context.isJson) throw new UsageError('--json and --reporter are two forms of one answer', 'take one of them');
  return { ...context, broken: undefined };
};

/** The outcome in the form that was asked for. */
export const inForm = (
  outcome: CommandOutcome,
  form: string | undefined,
  { command, cwd, checks }: { command: string; cwd: string; checks: () => readonly Reported[] },
): CommandOutcome => {
  if (form === undefined) return outcome;
  const text = reportIn(form, { command, cwd, checks: checks() });
  return { ...outcome, text: () => (text === '' ? [] : text.split('\n')) };
};
