import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Bus, MessageBus } from '../../../bus/index.ts';
import { describeThrown, onAbort, withinMs } from '../../../kit/index.ts';
import { codeOf } from '../../../kit/node.ts';
import { type RecordProblem, type RecordSummary, record } from '../../../sessions/index.ts';
import { TAP_VARIABLE } from '../../../sessions/tap.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { paragraph } from '../../rendering/layout.ts';
import { type TapLine, takeLines } from '../../rendering/message-lines.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { shortPath } from '../../rendering/short-path.ts';
import { styled, type Text } from '../../rendering/text.ts';
import { chooseTap, connectTo } from '../../sources/choose-tap.ts';
import { fileToRecord, newSessionFile } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { recordSpec } from './spec.ts';

const summaryText = (file: string, { messages, redacted }: RecordSummary): Text => [
  [
    styled('green', 'recorded '),
    `${counted(messages, 'message')} to ${file}`,
    ...(redacted === 0 ? [] : [`, ${counted(redacted, 'secret')} taken out`]),
  ],
];

const nothingText = (wasStarted: boolean, width: number): Text =>
  paragraph(
    `nothing was recorded: no hook ran.${wasStarted ? ' An agent is recorded if it uses createHooks.' : ''}`,
    width,
    0,
    2,
    'yellow',
  );

export const run: Run<typeof recordSpec> = async ({ command, file: wish, pid }, context) => {
  const { cwd, width } = context;
  const [program, ...args] = command;
  if (program !== undefined && pid !== undefined) {
    throw new UsageError('--pid selects a running agent; a command would be another one');
  }
  const file = wish === undefined ? newSessionFile(cwd, new Date()) : fileToRecord(cwd, wish);
  const problems: CliProblem[] = [];
  const bus = new MessageBus();
  const onProblem = ({ message }: RecordProblem): number => problems.push({ severity: 'error', message });
  const listener = new Listener(bus, (message) => problems.push({ severity: 'warning', message }));
  // Connected before the file is made: without an agent to record, no file is left.
  const source = program === undefined ? await attach(pid, listener, context) : undefined;
  const recording = record(bus, { file, onProblem });
  let summary: RecordSummary | undefined;
  let exitCode: number | undefined;
  try {
    exitCode = program === undefined ? await source?.ended : await launch(program, args, listener, context);
  } finally {
    summary = await recording.close();
    // An empty session would be the last one, and explain nothing. A file that was named is left alone.
    if (wish === undefined && summary.messages === 0) rmSync(file, { force: true });
  }
  const told: Text = [
    ...problemsText(problems, context),
    ...(summary.messages > 0 ? summaryText(shortPath(file, cwd), summary) : []),
    ...(summary.messages + problems.length === 0 ? nothingText(program !== undefined, width) : []),
  ];
  const outcome: CommandOutcome = {
    findings: (exitCode !== undefined && exitCode !== 0) || problems.some(({ severity }) => severity === 'error'),
    data: { file, ...summary, dropped: listener.dropped, ...(exitCode === undefined ? {} : { exitCode }) },
    problems,
    text: () => told,
  };
  if (program === undefined || context.isJson) return outcome;
  // Stdout is the agent's own.
  context.note(told);
  return { ...outcome, text: () => [] };
};

const COUNT_MS = 250;

interface Attached {
  /** Resolves when the agent has ended, or we are to. */
  readonly ended: Promise<undefined>;
}

/** Reads along with an agent that is running. */
const attach = async (pid: number | undefined, listener: Listener, context: Context): Promise<Attached> => {
  const tap = chooseTap(pid, context);
  const socket = await connectTo(tap);
  const stopListening = onAbort(context.signal, () => socket.destroy());
  const counting = setInterval(() => context.progress(counted(listener.messages, 'message')), COUNT_MS);
  context.note([[styled('dim', `recording process ${tap.pid}; Ctrl-C ends it`)]]);
  const ended = listener.listenTo(socket).then(() => {
    stopListening();
    clearInterval(counting);
    return undefined;
  });
  if (context.signal.aborted) socket.destroy();
  return { ended };
};

/** What the agent said last is on its way when it has ended; a child of it that holds the line is not waited for. */
const PATIENCE_MS = 1_000;
const STDERR = 2;

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });

const whyNotStarted = (program: string, cause: unknown): UsageError =>
  codeOf(cause) === 'ENOENT'
    ? new UsageError(
        `${program} could not be started: there is no such program`,
        'write the command of your agent after --: hookwright record -- node agent.mjs',
      )
    : new UsageError(`${program} could not be started: ${describeThrown(cause)}`);

const perform = async (program: string, args: readonly string[], path: string, context: Context): Promise<number> => {
  const { cwd, signal, isJson } = context;
  const child = execa(program, args, {
    cwd,
    env: { [TAP_VARIABLE]: path },
    reject: false,
    // Its own Ctrl-C reaches the agent from the terminal; with --json stdout is for the envelope.
    stdio: ['inherit', isJson ? STDERR : 'inherit', 'inherit'],
  });
  const stopListening = onAbort(signal, () => {
    if (signal.reason !== 'SIGINT') child.kill('SIGTERM');
  });
  const { exitCode, signal: endedBy, cause } = await child;
  stopListening();
  if (exitCode !== undefined) return exitCode;
  if (endedBy === undefined) throw whyNotStarted(program, cause);
  return 1;
};

/** Starts an agent that connects to us with its first engine, and resolves with its exit code. */
const launch = async (
  program: string,
  args: readonly string[],
  listener: Listener,
  context: Context,
): Promise<number> => {
  if (process.platform === 'win32')
    throw new UsageError('recording another program needs sockets that Windows does not have');
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-record-'));
  const server = createServer((socket) => void listener.listenTo(socket));
  try {
    const path = join(directory, 'record.sock');
    await listen(server, path);
    const exitCode = await perform(program, args, path, context);
    await withinMs(PATIENCE_MS, listener.idle());
    return exitCode;
  } finally {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Publishes what comes out of taps on a bus of our own, where it is recorded. */
class Listener {
  readonly #bus: Bus;
  readonly #onProblem: (message: string) => void;
  readonly #open = new Set<Promise<void>>();
  messages = 0;
  dropped = 0;

  constructor(bus: Bus, onProblem: (message: string) => void) {
    this.#bus = bus;
    this.#onProblem = onProblem;
  }

  readonly listenTo = (socket: Socket): Promise<void> => {
    const closed = takeLines(socket, (line) => this.#take(line));
    this.#open.add(closed);
    return closed.finally(() => this.#open.delete(closed));
  };

  /** Resolves when no connection is left. */
  async idle(): Promise<void> {
    await Promise.all(this.#open);
  }

  #take(line: TapLine): void {
    if (line.kind === 'entry') {
      this.messages += 1;
      this.#bus.publish(line.entry.message);
    }
    if (line.kind === 'problem') this.#onProblem(line.message);
    if (line.kind !== 'dropped') return;
    this.dropped += line.count;
    this.#onProblem(`${counted(line.count, 'message')} were dropped because they came too fast`);
  }
}
