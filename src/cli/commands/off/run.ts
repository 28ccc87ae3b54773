import { MAX_PAUSE_MS, readPause, writePause } from '../../../config/internal.ts';
import { END_PAUSE } from '../../../registry/index.ts';
import type { Given } from '../../arguments/spec.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { CliProblem, Outcome } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { styled } from '../../terminal/text.ts';
import type { offSpec } from './spec.ts';

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

const EXAMPLE = 'hookwright off --for 10m';

const durationOf = (text: string): number => {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? 0);
  if (ms > 0 && ms <= MAX_PAUSE_MS) return ms;
  throw new UsageError(`--for takes a time such as 30s, 10m or 2h, up to 24h; found ${JSON.stringify(text)}`, EXAMPLE);
};

const wishOf = ({ for: time, end }: Given<typeof offSpec>): number | undefined => {
  if (end && time !== undefined) throw new UsageError('--end and --for cannot be combined');
  if (end) return undefined;
  if (time === undefined) throw new UsageError('for how long? use --for', EXAMPLE);
  return durationOf(time);
};

const endPause = async (home: string): Promise<Outcome> => {
  const before = readPause(home);
  const wasOff = before.trouble !== undefined || before.until !== undefined;
  if (wasOff) await writePause(home, 0);
  return {
    data: { off: false, changed: wasOff },
    text: () => [wasOff ? 'hooks are on again' : 'hooks are not switched off'],
  };
};

/** What an agent types has no terminal: it must not get rid of those who watch it. */
const refuseAlone = ({ screen, cwd }: Context): Outcome => {
  const problem: CliProblem = {
    severity: 'error',
    message: 'only a person on a terminal can switch hooks off; nothing was changed',
    hint: 'run it in your own terminal',
  };
  return {
    findings: true,
    data: { off: false, changed: false },
    problems: [problem],
    text: () => problemsText([problem], screen.width, cwd),
  };
};

export const run: Run<typeof offSpec> = async (given, context) => {
  const duration = wishOf(given);
  const { config } = await loadSettings(context);
  const home = config.getHome();
  if (duration === undefined) return endPause(home);
  if (!context.canAsk) return refuseAlone(context);
  const until = Date.now() + duration;
  await writePause(home, until);
  const time = new Date(until).toISOString();
  return {
    data: { off: true, until: time, changed: true },
    text: () => [['hooks are off until ', styled('bold', time), `; ${END_PAUSE} switches them on again`]],
  };
};
