import { backtest } from '../../../backtest/index.ts';
import { type InspectorOptions, type InspectorSource, openInspector } from '../../../inspector/index.ts';
import { onAbort } from '../../../kit/index.ts';
import { readSession } from '../../../recorder/index.ts';
import type { Given } from '../../arguments/spec.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { chooseTap, connectTo, nameOf } from '../../sources/choose-tap.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { sessionFile, shortPath } from '../../sources/sessions.ts';
import { styled } from '../../terminal/text.ts';
import type { inspectSpec } from './spec.ts';
import { tapEntries } from './tap-entries.ts';

interface Shown {
  readonly source: InspectorSource;
  readonly options: InspectorOptions;
}

const agentToShow = async (pid: number | undefined, context: Context, problems: CliProblem[]): Promise<Shown> => {
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

const sessionToShow = async (
  { session: wish, backtest: isCompared }: Given<typeof inspectSpec>,
  context: Context,
  problems: CliProblem[],
): Promise<Shown> => {
  const file = sessionFile(context.cwd, wish);
  const session = readSession(file);
  // A file that is no session is said here, and not on the page.
  await session.header();
  const name = shortPath(file, context.cwd);
  if (!isCompared) return { source: session, options: { name } };
  const settings = await loadSettings(context);
  problems.push(...settings.problems);
  const report = await backtest(readSession(file), settings.config, {
    signal: context.signal,
    onProgress: ({ done }) => context.progress(`${done} decisions`),
  });
  context.progress(undefined);
  return { source: session, options: { name, backtest: report } };
};

const untilCtrlC = ({ signal }: Context): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });

export const run: Run<typeof inspectSpec> = async (given, context) => {
  const { live, pid, port, session, backtest: isCompared } = given;
  if (live && (session !== undefined || isCompared)) {
    throw new UsageError('--live shows an agent that is running, and no session', 'leave one of them out');
  }
  if (pid !== undefined && !live)
    throw new UsageError('--pid says which running agent is meant', 'give it with --live');
  const problems: CliProblem[] = [];
  const shown = live ? await agentToShow(pid, context, problems) : await sessionToShow(given, context, problems);
  const inspector = await openInspector(shown.source, { ...shown.options, port });
  context.note([
    ['look at ', styled('bold', inspector.url)],
    [styled('dim', `${shown.options.name ?? ''}; this address is for you alone; Ctrl-C ends it`)],
  ]);
  if (context.isJson) context.item({ url: inspector.url }, () => []);
  await untilCtrlC(context);
  await inspector.close();
  return {
    data: { name: shown.options.name },
    problems,
    text: () => problemsText(problems, context.screen.width, context.cwd),
  };
};
