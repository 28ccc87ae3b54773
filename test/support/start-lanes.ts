// The three ways in which commands are started, for tests that hold for all of them.
import { afterAll, beforeAll } from 'vitest';
import type { ExecutionRequest } from '../../src/runners/index.ts';
import { StartHelper } from '../../src/runners/process/helper/start-helper.ts';
import { loadExeca, type runCommand, startDirectly } from '../../src/runners/process-api.ts';
import { until } from './processes.ts';

const isLinux = process.platform === 'linux';

const helper = new StartHelper();

export const lanes: readonly {
  readonly lane: string;
  readonly start: NonNullable<Parameters<typeof runCommand>[3]['start']>;
}[] = [
  { lane: 'spawn', start: startDirectly },
  { lane: 'execa', start: await loadExeca() },
  ...(isLinux ? [{ lane: 'the start helper', start: (request: ExecutionRequest) => helper.start(request) }] : []),
];

/** Runs the start helper while the tests of a file run. */
export const keepStartHelper = (): void => {
  beforeAll(async () => {
    if (!isLinux) return;
    helper.join(lanes, (trouble) => {
      throw new Error(trouble);
    });
    await until('the helper is ready', 10_000, () => helper.isReady);
  });

  afterAll(() => helper.leave(lanes));
};
