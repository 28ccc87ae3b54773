import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once, toError } from '../../kit/index.ts';
import { failureOf, leadsGroup, type StartProcess } from './start-process.ts';

let born: ChildProcess | undefined;

const noteBirth = (message: unknown): void => {
  if (typeof message === 'object' && message !== null && 'process' in message) {
    born = message.process instanceof ChildProcess ? message.process : undefined;
  }
};

/** Loads execa, once: that takes longer than a process takes to start. Answers with a way to start by it. */
export const loadExeca = once(async (): Promise<StartProcess> => {
  const { execa } = await import('execa');
  return ({ file, args, cwd, env, verbatim = false }) => {
    born = undefined;
    // When no file descriptor is left, a child has no streams, execa trips over that, throws, and leaves behind a child
    // whose `error` event has no listener, which ends the host. The channel shows every child of the process before it
    // is started, so we subscribe while ours is started, which is not interrupted by anything, and no longer.
    subscribe('child_process', noteBirth);
    try {
      const execution = execa(file, args, {
        cwd,
        env,
        extendEnv: false,
        buffer: false,
        reject: false,
        cleanup: false,
        detached: leadsGroup,
        windowsVerbatimArguments: verbatim,
      });
      if (execution.pid !== undefined && born !== undefined) {
        execution.catch(() => undefined);
        return { child: born };
      }
      const early = execution.then((result) => toError(result.cause ?? result));
      return { failure: born === undefined ? early : Promise.race([failureOf(born), early]) };
    } catch (error) {
      return { failure: born === undefined ? Promise.resolve(toError(error)) : failureOf(born) };
    } finally {
      unsubscribe('child_process', noteBirth);
    }
  };
});
