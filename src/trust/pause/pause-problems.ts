import { type ConfigProblem, ConfigSource } from '../../protocol/index.ts';
import { END_PAUSE, pausedUntil } from '../../registry/index.ts';
import { type Pause, pauseFile } from './pause-file.ts';

/** That nothing is checked for a while is to be heard of without asking. */
export const pauseProblems = (home: string, pause: Pause): readonly ConfigProblem[] => {
  const base = { severity: 'warning', path: '', source: ConfigSource.User, file: pauseFile(home) } as const;
  if (pause.trouble !== undefined) {
    return [{ ...base, code: 'unreadable-file', skipped: false, message: pause.trouble, hint: END_PAUSE }];
  }
  const { until } = pause;
  if (until === undefined || until <= Date.now()) return [];
  return [{ ...base, code: 'hooks-disabled', skipped: true, message: pausedUntil(until), hint: END_PAUSE }];
};
