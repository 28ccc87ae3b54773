import { localTime } from '../../../kit/index.ts';
import { END_PAUSE } from '../../../registry/index.ts';
import { MAX_PAUSE_MS, writePause } from '../../../trust/internal.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { styled } from '../../rendering/text.ts';
import { readTime } from '../../sources/choose-session.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { disableAllSpec } from './spec.ts';

const EXAMPLE = 'hookwright disable --all --for 10m';

const durationOf = (text: string): number =>
  readTime('for', text, { allowed: 'smh', maxMs: MAX_PAUSE_MS, such: '30s, 10m or 2h, up to 24h', example: EXAMPLE });

/** What an agent types has no terminal: it must not get rid of those who watch it. */
const refuseAlone = (context: Context): CommandOutcome => {
  const problem: CliProblem = {
    severity: 'error',
    message: 'only a person on a terminal can switch hooks off; nothing was changed',
    hint: 'run it in your own terminal',
  };
  return {
    findings: true,
    data: { off: false, changed: false },
    problems: [problem],
    text: () => problemsText([problem], context),
  };
};

export const run: Run<typeof disableAllSpec> = async (given, context) => {
  const { for: time } = given;
  if (time === undefined) throw new UsageError('for how long? use --for', EXAMPLE);
  const duration = durationOf(time);
  const { config } = await loadSettings(context);
  const home = config.getHome();
  if (!context.canAsk) return refuseAlone(context);
  const until = Date.now() + duration;
  await writePause(home, until);
  return {
    data: { off: true, until: new Date(until).toISOString(), changed: true },
    text: () => [['hooks are off until ', styled('bold', localTime(until)), `; ${END_PAUSE} switches them on again`]],
  };
};
