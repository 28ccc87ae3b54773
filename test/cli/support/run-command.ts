// Runs a command of the CLI in this process, from its words to its exit code.
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { commands, runCli } from '../../../src/cli/index.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** stdin and the outputs are terminals; what was printed is given without their codes. */
  readonly isTerminal?: boolean;
  /** All that comes from stdin, without a terminal. */
  readonly stdin?: string;
}

/** A command that runs: what it has printed so far, and its end. */
export interface RunningCommand {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Presses Ctrl-C. */
  readonly interrupt: () => void;
  readonly type: (text: string) => void;
  readonly ended: Promise<Ran>;
}

const kept = (isTTY: boolean) => {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 100 });
  let text = '';
  stream.setEncoding('utf8').on('data', (part) => {
    text += String(part);
  });
  return { stream, text: () => (isTTY ? stripVTControlCharacters(text) : text) };
};

/** Starts `hookwright <words>` in a directory. */
export const startCommand = (
  cwd: string,
  words: readonly string[],
  { env = process.env, isTerminal = false, stdin: given = '' }: Surroundings = {},
): RunningCommand => {
  const [stdout, stderr] = [kept(isTerminal), kept(isTerminal)];
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  if (!isTerminal) stdin.end(given);
  const signals = new EventEmitter();
  const host: Parameters<typeof runCli>[0] = {
    argv: ['node', 'hookwright', ...words],
    env,
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    cwd: () => cwd,
    exit: () => undefined,
    on: (event: string, listener: (error: Error) => void) => signals.on(event, listener),
  };
  const run = async (): Promise<Ran> => {
    const code = await runCli(host, commands);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    interrupt: () => signals.emit('SIGINT'),
    type: (text) => stdin.write(text),
    ended: run(),
  };
};

/** Runs `hookwright <words>` in a directory, without a terminal. */
export const runCommand = (cwd: string, ...words: readonly string[]): Promise<Ran> => startCommand(cwd, words).ended;

/** The same with `--json`: the exit code beside the members of the output. */
export const runForJson = async (
  cwd: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly [member: string]: unknown }> => {
  const { code, stdout } = await runCommand(cwd, ...words, '--json');
  return { code, ...JSON.parse(stdout) };
};
