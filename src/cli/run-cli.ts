/** Runs the command line: finds the command, runs it, writes its outcome and returns the exit code. */
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { HookwrightError } from '../errors.ts';
import { attempt, describeThrown, omitUndefined } from '../kit/index.ts';
import { findCommand, findCommandFamily, isCommandVariant } from './arguments/find-command.ts';
import type { CommandSpec } from './arguments/spec.ts';
import type { Command } from './command.ts';
import { ExitCode } from './command-outcome.ts';
import { readPackageVersion } from './package-version.ts';
import type { EnvelopeError } from './rendering/json-envelope.ts';
import type { CliHost } from './terminal/screen.ts';
import { Terminal } from './terminal/terminal.ts';
import { HintedError, UsageError } from './usage-error.ts';

/** Engine errors with these codes are caused by invalid arguments, so they are reported as usage errors. */
const usageErrorCodes: ReadonlySet<string> = new Set([
  'invalid_argument',
  'unsupported_event',
  'validation_failure',
  'not_supported',
]);

const NO_ARGUMENTS_COMMAND = '__here';

const helpWords: readonly string[] = ['--help', '-h', 'help'];

const versionWords: readonly string[] = ['--version', '-V', '-v', 'version'];

const toReportedError = (error: unknown): { error: EnvelopeError; exitCode: ExitCode } => {
  if (error instanceof HintedError) {
    const { code, message, hint, exitCode } = error;
    return { error: { code, message, ...omitUndefined({ hint }) }, exitCode };
  }
  const message = describeThrown(error);
  if (HookwrightError.is(error) && usageErrorCodes.has(error.code)) {
    return { error: { code: 'usage', message }, exitCode: ExitCode.Usage };
  }
  if (HookwrightError.is(error) && error.code === 'cancelled') {
    return { error: { code: 'interrupted', message }, exitCode: ExitCode.Interrupted };
  }
  // The user can correct these errors, such as a home directory that cannot be written or a missing required guard.
  if (HookwrightError.is(error) && error.code === 'invalid_config') {
    return { error: { code: 'nothing-there', message }, exitCode: ExitCode.Findings };
  }
  const hint = 'this should not happen; HOOKWRIGHT_DEBUG=1 shows where it did';
  return { error: { code: 'internal', message, hint }, exitCode: ExitCode.Internal };
};

const resolveWorkingDirectory = (host: CliHost, wish = ''): string => {
  // `cwd()` throws in a directory that was removed.
  const from = isAbsolute(wish) ? wish : attempt(() => host.cwd());
  if (from === undefined)
    throw new UsageError('the working directory no longer exists', 'change to another one, or use --cwd /path/to/one');
  if (wish === '') return from;
  const directory = resolve(from, wish);
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`--cwd: ${wish} does not exist`);
  if (!found.isDirectory()) throw new UsageError(`--cwd: ${wish} is not a directory`);
  return directory;
};

class Cli {
  readonly #host: CliHost;
  readonly #terminal: Terminal;
  readonly #commands: readonly Command[];
  #command = '';
  /** First read from the unparsed words, so that parse errors are printed as JSON, too. */
  #isJson: boolean;

  constructor(host: CliHost, commands: readonly Command[]) {
    this.#host = host;
    this.#terminal = new Terminal(host);
    this.#commands = commands;
    this.#isJson = host.argv.slice(2).includes('--json');
    // An error thrown in a callback is reported like other errors, without the stack that Node would print.
    host.on('uncaughtException', (error) => host.exit(this.#report(error)));
  }

  async run(): Promise<ExitCode> {
    const code = await this.#dispatch(this.#host.argv.slice(2)).catch((error: unknown) => this.#report(error));
    return this.#terminal.exitCodeAfter(code);
  }

  get #specs(): readonly CommandSpec[] {
    return this.#commands.map(({ spec }) => spec);
  }

  #report(failure: unknown): ExitCode {
    const { error, exitCode } = toReportedError(failure);
    const isDebug = this.#host.env.HOOKWRIGHT_DEBUG !== undefined && this.#host.env.HOOKWRIGHT_DEBUG !== '';
    const stack = isDebug && failure instanceof Error ? failure.stack : undefined;
    this.#terminal.fail(this.#command, this.#isJson, error, stack);
    return exitCode;
  }

  async #dispatch(argv: readonly string[]): Promise<ExitCode> {
    const [first] = argv;
    if (first === undefined && this.#terminal.screen.isTerminal) return this.#dispatch([NO_ARGUMENTS_COMMAND]);
    if (first !== undefined && versionWords.includes(first)) {
      this.#terminal.show([readPackageVersion()]);
      return ExitCode.Ok;
    }
    const isHelp = first === 'help';
    const family = findCommandFamily(argv, this.#commands).map(({ spec }) => spec);
    if (family.length > 0) {
      const { formatFamilyHelp } = await import('./rendering/help.ts');
      this.#terminal.show(formatFamilyHelp(family, this.#terminal.screen.width));
      return ExitCode.Ok;
    }
    const found = findCommand(isHelp ? argv.slice(1) : argv, this.#commands);
    if (found === undefined) return this.#showOverview(argv);
    const { command, words } = found;
    this.#command = command.spec.name;
    const { global, run } = command.prepare(isHelp ? ['--help'] : words);
    this.#isJson = global.json;
    if (!this.#isJson && !words.includes('--as-hook'))
      this.#terminal.note(global.renamed.map((note) => `hookwright ${this.#command}: ${note}`));
    if (global.help) {
      const { formatCommandHelp } = await import('./rendering/help.ts');
      const forms = this.#specs.filter(({ name }) => name.startsWith(`${this.#command} --`));
      this.#terminal.show(formatCommandHelp(command.spec, forms, this.#terminal.screen.width));
      return ExitCode.Ok;
    }
    const cwd = resolveWorkingDirectory(this.#host, global.cwd);
    const outcome = await run(this.#terminal.contextFor(command.spec.name, cwd, global.json));
    return typeof outcome === 'number' ? outcome : this.#terminal.finish(this.#command, this.#isJson, outcome);
  }

  async #showOverview(argv: readonly string[]): Promise<ExitCode> {
    const isAll = argv.includes('--all') && argv.some((word) => helpWords.includes(word));
    const unknown = argv.find((word) => ![...helpWords, '--json'].includes(word) && !(isAll && word === '--all'));
    if (unknown !== undefined) {
      const message = unknown.startsWith('-')
        ? `there is no flag ${unknown}, and no command was given`
        : `there is no command before ${unknown}`;
      throw new UsageError(message, 'hookwright --help lists all commands');
    }
    const specs = this.#specs.filter((spec) => !spec.hidden && !isCommandVariant(spec));
    const { formatFullHelp, formatShortHelp } = await import('./rendering/help.ts');
    this.#terminal.show((isAll ? formatFullHelp : formatShortHelp)(specs, this.#terminal.screen.width));
    return ExitCode.Ok;
  }
}

export const runCli = (host: CliHost, commands: readonly Command[]): Promise<ExitCode> => new Cli(host, commands).run();
