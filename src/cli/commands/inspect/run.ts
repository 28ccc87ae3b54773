import { openInspector } from '../../../inspector/index.ts';
import { onAbort } from '../../../kit/index.ts';
import type { Given } from '../../arguments/spec.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { styled } from '../../terminal/text.ts';
import { whatToShow } from './shown.ts';
import type { inspectSpec } from './spec.ts';

const untilCtrlC = ({ signal }: Context): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else onAbort(signal, resolve);
  });

const fix = 'leave one of them out';

/** Flags that contradict each other. */
const check = ({ live, pid, nats, stream, answer, session, backtest }: Given<typeof inspectSpec>): void => {
  const isRunning = live || (nats !== undefined && stream === undefined);
  if (live && nats !== undefined) throw new UsageError('--live and --nats cannot be combined', fix);
  if (isRunning && (session !== undefined || backtest)) {
    throw new UsageError(`--${live ? 'live' : 'nats'} shows what is running, and no session`, fix);
  }
  if (stream !== undefined && (session !== undefined || live)) {
    throw new UsageError('--stream cannot be combined with another session', fix);
  }
  if (pid !== undefined && !live) throw new UsageError('--pid selects a running agent', 'use it with --live');
  if (answer && (nats === undefined || stream !== undefined)) {
    throw new UsageError(
      '--answer needs a broker: a recorded session is over, and a tap is read-only',
      'use it with --nats, or call openInspector(bus, {answer: true}) in the agent',
    );
  }
};

export const run: Run<typeof inspectSpec> = async (given, context) => {
  check(given);
  const problems: CliProblem[] = [];
  const { source, options, close } = await whatToShow(given, context, problems);
  const inspector = await openInspector(source, { ...options, port: given.port });
  context.note([
    ['look at ', styled('bold', inspector.url)],
    [styled('dim', `${options.name ?? ''}; keep this address private; Ctrl-C ends it`)],
  ]);
  if (context.isJson) context.item({ url: inspector.url }, () => []);
  await untilCtrlC(context);
  await inspector.close();
  await close?.();
  return {
    data: { name: options.name },
    problems,
    text: () => problemsText(problems, context.screen.width, context.cwd),
  };
};
