import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Tests on what npm would publish; they need a build and a tarball, so they have a setup of their own. */
const packageTests = 'test/package/**/*.test.ts';
/** Tests of the built binary; they need the build, too. */
const binaryTests =
  'test/cli/{stories,mistakes,mistakes-of-a-host,mistakes-of-a-newcomer,mistakes-of-a-reader,help-examples,json-data,pseudo-terminal,tap,trust-prompt}.test.ts';
/** Tests that measure time, after all others: what they wait for is theirs, and they judge it by how busy the machine is. */
const timedTests = 'test/faults/**/*.test.ts';
/** Among them those that measure how long this process itself is busy: one after the other, and last. */
const busyTests = 'test/faults/{event-loop,cost-of-settings,near-misses,clock,run-command,run-command-ends}.test.ts';

/** A file for each core, where Vitest would leave one of them free. */
const maxWorkers = Math.max(2, availableParallelism());
/** Files of tests that measure no time: these wait for processes of their own for two thirds of theirs. */
const patientWorkers = 2 * maxWorkers;

export default defineConfig({
  test: {
    pool: 'forks',
    setupFiles: ['test/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Many tests measure time on real processes, and a machine of CI is shared: there a test has to fail three times to be red. A rule
    // that is broken fails every time; locally nothing is tried again.
    retry: process.env.CI === undefined ? 0 : 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [packageTests, binaryTests, timedTests],
          maxWorkers: patientWorkers,
          // Files share their worker, and what it has imported: importing it anew for each took as long as the tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: [packageTests, binaryTests],
          globalSetup: ['test/package/global-setup.ts'],
          maxWorkers: patientWorkers,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: [timedTests],
          exclude: [busyTests],
          maxWorkers,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'busy', include: [busyTests], maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
