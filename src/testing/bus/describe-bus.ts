import type { Bus } from '../../bus/index.ts';
import { expectVitest } from '../vitest.ts';
import { describeDeliveries } from './deliveries.ts';
import { describeFaults } from './faults.ts';
import { describeRequests } from './requests.ts';
import { describeStreams } from './streams.ts';
import type { BusSuite } from './suite.ts';

export interface BusFeatures {
  /** Everything has been delivered when `publish` returns. */
  readonly inline: boolean;
  /** The bus can say that nobody listens; true when left out. */
  readonly knowsListeners?: boolean;
  /** Messages leave the process: who begins to listen hears what is published from then on, and nothing that is on its way. */
  readonly remote?: boolean;
}

/**
 * What a transport must do to be a `Bus`, as tests for vitest. `createBus` makes a bus of its own for every test;
 * whatever has to be closed afterwards it hands to vitest's `onTestFinished`.
 *
 * @throws HookwrightError in a file that vitest does not run.
 */
export const describeBus = (
  name: string,
  createBus: () => Bus | Promise<Bus>,
  { inline, knowsListeners = true, remote = false }: BusFeatures,
): void => {
  const { describe, expect, test, vi } = expectVitest('describeBus');
  const soon = async (check: () => void): Promise<void> => {
    if (inline) check();
    else await vi.waitFor(check, { interval: 1 });
  };
  const suite: BusSuite = { name, createBus, inline, knowsListeners, remote, soon, describe, expect, test, vi };
  describeDeliveries(suite);
  describeFaults(suite);
  describeRequests(suite);
  describeStreams(suite);
};
