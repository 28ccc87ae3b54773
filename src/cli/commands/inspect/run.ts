/** `hookwright inspect`: shows a session, a running agent or a broker in the browser. */
import { MessageBus } from '../../../bus/index.ts';
import { type InspectorOptions, type InspectorSource, openInspector } from '../../../inspector/index.ts';
import { backtest } from '../../../sessions/backtest.ts';
import { natsTransport } from '../../../transports/index.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import { type Context, waitForInterrupt } from '../../context.ts';
import { describeDroppedMessages, readTapEntries } from '../../rendering/message-lines.ts';
import { formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan } from '../../rendering/text.ts';
import { readBrokerOptions } from '../../sources/broker.ts';
import { chooseSession } from '../../sources/choose-session.ts';
import { chooseTap, connectToTap, readTapName } from '../../sources/choose-tap.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { inspectSpec } from './spec.ts';

export const run: CommandMain<typeof inspectSpec> = async (given, context) => {
  checkFlags(given);
  const problems: CliProblem[] = [];
  const { source, options, close } = await openSource(given, context, problems);
  const inspector = await openInspector(source, { ...options, port: given.port });
  context.note([
    ['look at ', createSpan('bold', inspector.url)],
    [createSpan('dim', `${options.name ?? ''}; keep this address private; Ctrl-C ends it`)],
  ]);
  if (context.isJson) context.item({ url: inspector.url }, () => []);
  await waitForInterrupt(context);
  await inspector.close();
  await close?.();
  return {
    data: { name: options.name },
    problems,
    text: () => formatProblems(problems, context),
  };
};

type InspectFlags = CommandValues<typeof inspectSpec>;

const LEAVE_OUT_HINT = 'leave one of them out';

const checkFlags = ({ live, pid, nats, stream, answer, session, backtest }: InspectFlags): void => {
  const isRunning = live || (nats !== undefined && stream === undefined);
  if (live && nats !== undefined) throw new UsageError('--live and --nats cannot be combined', LEAVE_OUT_HINT);
  if (isRunning && (session !== undefined || backtest)) {
    throw new UsageError(`--${live ? 'live' : 'nats'} shows what is running, and no session`, LEAVE_OUT_HINT);
  }
  if (stream !== undefined && (session !== undefined || live)) {
    throw new UsageError('--stream cannot be combined with another session', LEAVE_OUT_HINT);
  }
  if (pid !== undefined && !live) throw new UsageError('--pid selects a running agent', 'use it with --live');
  if (answer && (nats === undefined || stream !== undefined)) {
    throw new UsageError(
      '--answer needs a broker: a recorded session is over, and a tap is read-only',
      'use it with --nats, or call openInspector(bus, {answer: true}) in the agent',
    );
  }
};

interface OpenedSource {
  readonly source: InspectorSource;
  readonly options: InspectorOptions;
  readonly close?: () => Promise<void>;
}

const openTap = async ({ pid }: InspectFlags, context: Context, problems: CliProblem[]): Promise<OpenedSource> => {
  const tap = chooseTap(pid, context);
  const name = await readTapName(tap);
  const onProblem = (message: string): unknown => problems.push({ severity: 'warning', message });
  const onDropped = (count: number): unknown => onProblem(describeDroppedMessages(count));
  return {
    source: readTapEntries(await connectToTap(tap), onProblem, onDropped, context.signal),
    options: { name: `${name ?? 'the agent'} (process ${tap.pid})` },
  };
};

const openBroker = async (flags: InspectFlags, context: Context): Promise<OpenedSource> => {
  const { group, prefix, answer } = flags;
  const transport = natsTransport({ ...(await readBrokerOptions('inspect', flags, context)), group, prefix });
  const bus = new MessageBus({ transport });
  bus.on('error', ({ message }) => context.note([[createSpan('yellow', message)]]));
  return {
    source: bus,
    options: { name: `${group ?? 'hosts'} at ${flags.nats ?? context.env.NATS_URL}`, answer },
    close: async () => transport.close(),
  };
};

const openSession = async (flags: InspectFlags, context: Context, problems: CliProblem[]): Promise<OpenedSource> => {
  const { name, open } = await chooseSession('inspect', flags, context);
  const session = open();
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

const openSource = (flags: InspectFlags, context: Context, problems: CliProblem[]): Promise<OpenedSource> => {
  if (flags.live) return openTap(flags, context, problems);
  const isBroker = flags.nats !== undefined && flags.stream === undefined;
  return isBroker ? openBroker(flags, context) : openSession(flags, context, problems);
};
