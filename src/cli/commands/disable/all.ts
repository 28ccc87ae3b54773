/** `hookwright disable --all`: pauses all hooks for some time. */
import { formatLocalTime } from '../../../kit/index.ts';
import { END_PAUSE_COMMAND } from '../../../registry/index.ts';
import { MAX_PAUSE_MS, writePause } from '../../../trust/internal.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import { createProblemOutcome } from '../../rendering/problem-lines.ts';
import { createSpan } from '../../rendering/text.ts';
import { readDuration } from '../../sources/choose-session.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { disableAllSpec } from './spec.ts';

export const run: CommandMain<typeof disableAllSpec> = async (options, context) => {
  const { for: time } = options;
  if (time === undefined) throw new UsageError('for how long? use --for', EXAMPLE_COMMAND);
  const accepted = '30s, 10m or 2h, up to 24h';
  const duration = readDuration('for', time, {
    allowed: 'smh',
    maxMs: MAX_PAUSE_MS,
    accepted,
    example: EXAMPLE_COMMAND,
  });
  const { config } = await loadSettings(context);
  if (!context.canAsk) return createProblemOutcome({ off: false, changed: false }, [noUserProblem], context);
  const until = Date.now() + duration;
  await writePause(config.getHome(), until);
  return {
    data: { off: true, until: new Date(until).toISOString(), changed: true },
    text: () => [
      [
        'hooks are off until ',
        createSpan('bold', formatLocalTime(until)),
        `; ${END_PAUSE_COMMAND} switches them on again`,
      ],
    ],
  };
};

const EXAMPLE_COMMAND = 'hookwright disable --all --for 10m';

/** An agent has no terminal, and must not be able to switch off the hooks that guard it. */
const noUserProblem: CliProblem = {
  severity: 'error',
  message: 'only a person on a terminal can switch hooks off; nothing was changed',
  hint: 'run it in your own terminal',
};
