import { MessageBus } from '../../../bus/index.ts';
import type { InspectorOptions, InspectorSource } from '../../../inspector/index.ts';
import { onAbort } from '../../../kit/index.ts';
import { backtest } from '../../../sessions/backtest.ts';
import { natsTransport } from '../../../transports/index.ts';
import type { Given } from '../../arguments/spec.ts';
import type { Context } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { brokerOptions } from '../../serving/broker.ts';
import { chooseSession } from '../../sources/choose-session.ts';
import { chooseTap, connectTo, nameOf } from '../../sources/choose-tap.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { styled } from '../../terminal/text.ts';
import type { inspectSpec } from './spec.ts';
import { tapEntries } from './tap-entries.ts';

type Flags = Given<typeof inspectSpec>;

/** What is looked at, and how to let go of it. */
export interface Shown {
  readonly source: InspectorSource;
  readonly options: InspectorOptions;
  readonly close?: () => Promise<void>;
}

const tapToShow = async ({ pid }: Flags, context: Context, problems: CliProblem[]): Promise<Shown> => {
  const tap = chooseTap(pid, context);
  const name = await nameOf(tap);
  const socket = await connectTo(tap);
  onAbort(context.signal, () => socket.destroy());
  const onProblem = (message: string): void => {
    problems.push({ severity: 'warning', message });
  };
  return {
    source: tapEntries(socket, onProblem),
    options: { name: `${name ?? 'the agent'} (process ${tap.pid})` },
  };
};

/** Whoever watches a broker says nothing there, but for the answers of a person. */
const brokerToShow = async (flags: Flags, context: Context): Promise<Shown> => {
  const { group, prefix, answer } = flags;
  const transport = natsTransport({ ...(await brokerOptions('inspect', flags, context)), group, prefix });
  const bus = new MessageBus({ transport });
  bus.on('error', ({ message }) => context.note([[styled('yellow', message)]]));
  return {
    source: bus,
    options: { name: `${group ?? 'hosts'} at ${flags.nats ?? context.env.NATS_URL}`, answer },
    close: async () => transport.close(),
  };
};

const sessionToShow = async (flags: Flags, context: Context, problems: CliProblem[]): Promise<Shown> => {
  const { name, open } = await chooseSession('inspect', flags, context);
  const session = open();
  // What is not a session is reported here, and not on the page.
  await session.header();
  if (!flags.backtest) return { source: session, options: { name } };
  const settings = await loadSettings(context);
  problems.push(...settings.problems);
  const report = await backtest(open(), settings.config, {
    signal: context.signal,
    onProgress: ({ done }) => context.progress(`${done} decisions`),
  });
  context.progress(undefined);
  return { source: session, options: { name, backtest: report } };
};

/** What the flags mean. */
export const whatToShow = (flags: Flags, context: Context, problems: CliProblem[]): Promise<Shown> => {
  if (flags.live) return tapToShow(flags, context, problems);
  const isBroker = flags.nats !== undefined && flags.stream === undefined;
  return isBroker ? brokerToShow(flags, context) : sessionToShow(flags, context, problems);
};
