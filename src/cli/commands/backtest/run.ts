/** `hookwright backtest`: lists the recorded decisions that the current hooks would change. */
import { HookwrightError } from '../../../errors.ts';
import { backtest } from '../../../sessions/backtest.ts';
import { undefinedIfEmpty } from '../../arguments/flags.ts';
import type { CommandMain } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import { createReportingContext, type ReportedCheck, withReporter } from '../../rendering/reporters.ts';
import { createSpan } from '../../rendering/text.ts';
import { chooseSession } from '../../sources/choose-session.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import { type backtestSpec, differenceNames } from './spec.ts';

const defaultDifferences: readonly string[] = differenceNames.filter((kind) => kind !== 'changed-order');

export const run: CommandMain<typeof backtestSpec> = async (options, outer) => {
  const context = createReportingContext(outer, options.reporter);
  const { real, hook: only, event: events, tool: tools, 'fail-on': failOn } = options;
  if (only.length > 0 && !real)
    throw new UsageError('--hook selects the hooks that run for real', 'use it with --real');
  const { name: sessionName, open } = await chooseSession('backtest', options, context);
  const session = open();
  const { config, problems } = await loadSettings(context);
  let progress = '0';
  const report = await backtest(session, config, {
    dry: !real,
    only: undefinedIfEmpty(only),
    events: undefinedIfEmpty(events),
    tools: undefinedIfEmpty(tools),
    signal: context.signal,
    onProgress: ({ done, total }) => {
      progress = `${done}${total === undefined ? '' : ` of ${total}`}`;
      context.progress(`${progress} decisions`);
    },
  }).catch((error: unknown) => {
    if (!context.signal.aborted) throw error;
    throw new HookwrightError('cancelled', `interrupted after ${progress} decisions; there is no result`);
  });
  const counting = failOn.length === 0 ? defaultDifferences : failOn;
  const failing = differenceNames.filter((kind) => counting.includes(kind) && report.counts[kind] > 0);
  const { mode, notice, total, counts, decisions } = report;
  const checks = (): ReportedCheck[] =>
    decisions.map(({ line, file = session.file, eventName, subject, kinds, details }) => {
      const name = `line ${line}, ${eventName}${subject === undefined ? '' : ` ${subject}`}`;
      const level = kinds.some((kind) => counting.includes(kind)) ? 'error' : 'note';
      return { name, rule: kinds[0] ?? 'changed', level, message: `${name}: ${details.join('; ')}`, file, line };
    });
  const outcome: CommandOutcome = {
    findings: failing.length > 0 || total === 0,
    data: { session: session.file, mode, notice, total, counts, failing, decisions, problems: report.problems },
    problems,
    text: () => [
      ...report.toText().split('\n'),
      [createSpan('dim', `${sessionName} against the settings of ${context.cwd}`)],
    ],
  };
  return withReporter(outcome, options.reporter, { command: 'backtest', cwd: context.cwd, checks });
};
