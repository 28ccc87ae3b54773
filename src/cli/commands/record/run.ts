/** `hookwright record`: writes the hook traffic of an agent to a session file. */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { MessageBus } from '../../../bus/index.ts';
import { describeThrown, onAbort, waitWithinMs } from '../../../kit/index.ts';
import { readErrorCode } from '../../../kit/node.ts';
import { type RecordSummary, record } from '../../../sessions/index.ts';
import { TAP_VARIABLE } from '../../../sessions/tap.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { formatParagraph } from '../../rendering/layout.ts';
import { describeDroppedMessages, readTapEntries } from '../../rendering/message-lines.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { chooseTap, connectToTap } from '../../sources/choose-tap.ts';
import { createSessionFile, selectRecordingFile } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { recordSpec } from './spec.ts';

const COUNT_INTERVAL_MS = 250;

type PublishTap = (socket: Socket, signal?: AbortSignal) => Promise<void>;

export const run: CommandMain<typeof recordSpec> = async ({ command, file: wish, pid }, context) => {
  const { cwd, width } = context;
  const [program, ...args] = command;
  if (program !== undefined && pid !== undefined) {
    throw new UsageError('--pid selects a running agent; a command would be another one');
  }
  const file = wish === undefined ? createSessionFile(cwd, new Date()) : selectRecordingFile(cwd, wish);
  const problems: CliProblem[] = [];
  const bus = new MessageBus();
  const counts = { messages: 0, dropped: 0 };
  const onProblem = (message: string): unknown => problems.push({ severity: 'warning', message });
  const onDropped = (count: number): void => {
    counts.dropped += count;
    onProblem(describeDroppedMessages(count));
  };
  const publish: PublishTap = async (socket, signal) => {
    for await (const { message } of readTapEntries(socket, onProblem, onDropped, signal)) {
      counts.messages += 1;
      bus.publish(message);
    }
  };
  // Connect before the file is created, so that no file is left if there is no agent.
  const socket = program === undefined ? await attachToTap(pid, context) : undefined;
  const recording = record(bus, { file, onProblem: ({ message }) => problems.push({ severity: 'error', message }) });
  let summary: RecordSummary | undefined;
  let exitCode: number | undefined;
  try {
    if (socket !== undefined) {
      const showCount = (): void => context.progress(formatCount(counts.messages, 'message'));
      const counting = setInterval(showCount, COUNT_INTERVAL_MS);
      await publish(socket, context.signal);
      clearInterval(counting);
    } else if (program !== undefined) {
      exitCode = await startProgram(program, args, publish, context);
    }
  } finally {
    summary = await recording.close();
    if (wish === undefined && summary.messages === 0) rmSync(file, { force: true });
  }
  const text: Text = [
    ...formatProblems(problems, context),
    ...(summary.messages > 0 && existsSync(file) ? formatSummary(shortenPath(file, cwd), summary) : []),
    ...(summary.messages + problems.length === 0 ? formatNothingRecorded(program !== undefined, width) : []),
  ];
  const outcome: CommandOutcome = {
    findings: (exitCode !== undefined && exitCode !== 0) || problems.some(({ severity }) => severity === 'error'),
    data: { file, ...summary, dropped: counts.dropped, exitCode },
    problems,
    text: () => text,
  };
  if (program === undefined || context.isJson) return outcome;
  // Stdout belongs to the agent, so the summary goes to stderr.
  context.note(text);
  return { ...outcome, text: () => [] };
};

const formatSummary = (file: string, { messages, redacted }: RecordSummary): Text => [
  [
    createSpan('green', 'recorded '),
    `${formatCount(messages, 'message')} to ${file}`,
    ...(redacted === 0 ? [] : [`, ${formatCount(redacted, 'secret')} taken out`]),
  ],
];

const formatNothingRecorded = (wasStarted: boolean, width: number): Text => {
  const text = `nothing was recorded: no hook ran.${wasStarted ? ' An agent is recorded if it uses createHooks.' : ''}`;
  return formatParagraph(text, width, 0, 2, 'yellow');
};

const attachToTap = async (pid: number | undefined, context: Context): Promise<Socket> => {
  const tap = chooseTap(pid, context);
  const socket = await connectToTap(tap);
  context.note([[createSpan('dim', `recording process ${tap.pid}; Ctrl-C ends it`)]]);
  return socket;
};

const LAST_MESSAGES_WAIT_MS = 1_000;
const STDERR_DESCRIPTOR = 2;

const startProgram = async (
  program: string,
  args: readonly string[],
  publish: PublishTap,
  context: Context,
): Promise<number> => {
  if (process.platform === 'win32')
    throw new UsageError('recording another program needs sockets that Windows does not have');
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-record-'));
  const connections: Promise<void>[] = [];
  const server = createServer((socket) => connections.push(publish(socket)));
  try {
    const path = join(directory, 'record.sock');
    server.listen(path);
    await once(server, 'listening');
    const exitCode = await runAgent(program, args, path, context);
    await waitWithinMs(LAST_MESSAGES_WAIT_MS, Promise.all(connections));
    return exitCode;
  } finally {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
};

const runAgent = async (program: string, args: readonly string[], path: string, context: Context): Promise<number> => {
  const { cwd, signal, isJson } = context;
  const child = execa(program, args, {
    cwd,
    env: { [TAP_VARIABLE]: path },
    reject: false,
    stdio: ['inherit', isJson ? STDERR_DESCRIPTOR : 'inherit', 'inherit'],
  });
  const stopListening = onAbort(signal, () => {
    // On Ctrl-C the terminal sends the signal to the agent as well.
    if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
  });
  const { exitCode, signal: endedBy, cause } = await child;
  stopListening();
  if (exitCode !== undefined) return exitCode;
  if (endedBy !== undefined) return 1;
  if (readErrorCode(cause) !== 'ENOENT')
    throw new UsageError(`${program} could not be started: ${describeThrown(cause)}`);
  throw new UsageError(
    `${program} could not be started: there is no such program`,
    'write the command of your agent after --: hookwright record -- node agent.mjs',
  );
};
