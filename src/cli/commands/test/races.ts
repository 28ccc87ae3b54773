/** `hookwright test --races`: finds hooks whose order or timing changes the result. */
import { races } from '../../../sessions/backtest.ts';
import { expectHookEvent } from '../../arguments/events.ts';
import { completePayload } from '../../arguments/payload.ts';
import type { CommandMain } from '../../command.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { testRacesSpec } from './spec.ts';

export const run: CommandMain<typeof testRacesSpec> = async ({ event, tool, input, orders, latencies }, context) => {
  const eventName = expectHookEvent(event);
  const { payload } = await completePayload(eventName, { tool, input }, context);
  const { config, problems } = await loadSettings(context);
  context.progress('running the hooks in other orders and at other times');
  const report = await races(
    config,
    { eventName, payload },
    {
      orders,
      latencies: latencies.length === 0 ? undefined : latencies.map(parseMilliseconds),
      signal: context.signal,
    },
  );
  const { runs, findings, unsteady, notice } = report;
  return {
    findings: findings.length > 0,
    data: { eventName, payload, runs, findings, unsteady, notice },
    problems,
    text: () => report.toText().split('\n'),
  };
};

const parseMilliseconds = (text: string): number => {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`--latencies must be milliseconds, found ${JSON.stringify(text)}`);
};
