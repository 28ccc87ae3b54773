// Runs a command of the CLI in this process, from its words to its exit code.
import { PassThrough, Readable } from 'node:stream';
import { commands, runCli } from '../../../src/cli/index.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const kept = (): { readonly stream: PassThrough; readonly text: () => string } => {
  const stream = new PassThrough();
  let text = '';
  stream.setEncoding('utf8').on('data', (part) => {
    text += String(part);
  });
  return { stream, text: () => text };
};

/** Runs `hookwright <words>` in a directory, without a terminal. */
export const runCommand = async (cwd: string, ...words: readonly string[]): Promise<Ran> => {
  const [stdout, stderr] = [kept(), kept()];
  const code = await runCli(
    {
      argv: ['node', 'hookwright', ...words],
      env: process.env,
      stdin: Readable.from([]),
      stdout: stdout.stream,
      stderr: stderr.stream,
      cwd: () => cwd,
      exit: () => undefined,
      on: () => undefined,
    },
    commands,
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
};

/** The same with `--json`: the exit code beside the members of the output. */
export const runForJson = async (
  cwd: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly [member: string]: unknown }> => {
  const { code, stdout } = await runCommand(cwd, ...words, '--json');
  return { code, ...JSON.parse(stdout) };
};
