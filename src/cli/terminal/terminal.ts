/** Writes outcomes to stdout, and notes, progress and errors to stderr. Creates the context of a command. */
import type { Writable } from 'node:stream';
import { escapeUnprintable, toPlain } from '../../kit/index.ts';
import { findHomeDirectory, TerminalLines } from '../../kit/node.ts';
import { type CliProblem, type CommandOutcome, ExitCode } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import type { CommandEnvelope, CommandItem, EnvelopeError } from '../rendering/json-envelope.ts';
import { formatParagraph, formatParagraphAfter } from '../rendering/layout.ts';
import { formatProblems } from '../rendering/problem-lines.ts';
import { createSpan, type Text, type TextLine, toTerminal, truncate } from '../rendering/text.ts';
import { UsageError } from '../usage-error.ts';
import { type CliHost, createScreen, type Screen } from './screen.ts';

const CLEAR_LINE = '\r\u001b[2K';
const PROGRESS_INTERVAL_MS = 100;

const readStream = async (stream: CliHost['stdin'], maxBytes: number): Promise<string> => {
  if (stream.isTTY) return '';
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of stream) {
    const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
    length += bytes.length;
    if (length > maxBytes) throw new UsageError(`stdin has more than ${maxBytes} bytes`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
};

const formatFailure = (command: string, error: EnvelopeError, stack: string | undefined, width: number): Text => {
  const [first = '', ...picture] = error.message.split('\n');
  const who = command === '' ? 'hookwright: ' : `hookwright ${command}: `;
  return [
    ...formatParagraphAfter([createSpan('red', who)], first, width, who.length, 2),
    ...picture,
    ...(error.hint === undefined ? [] : formatParagraph(error.hint, width, 2, 2, 'dim')),
    ...(stack === undefined ? [] : stack.split('\n')),
  ];
};

export class Terminal {
  readonly #process: CliHost;
  readonly #out: Output;
  readonly #err: Output;
  readonly screen: Screen;
  readonly #errScreen: Screen;
  readonly #stopping = new AbortController();
  #progressAt = Number.NEGATIVE_INFINITY;
  #hasProgress = false;
  #answers: TerminalLines | undefined;
  readonly #unreadable: CliProblem[] = [];
  #ifLost: ExitCode | undefined;

  constructor(host: CliHost) {
    this.#process = host;
    this.#out = new Output(host.stdout, () => this.#stopping.abort());
    this.#err = new Output(host.stderr, () => {});
    this.screen = createScreen(host.stdout, host.env);
    this.#errScreen = createScreen(host.stderr, host.env);
    for (const name of ['SIGINT', 'SIGTERM'] as const) host.on(name, () => this.#interrupt(name));
  }

  #interrupt(name: 'SIGINT' | 'SIGTERM'): void {
    if (this.#stopping.signal.aborted) this.#process.exit(ExitCode.Interrupted);
    this.#stopping.abort(name);
  }

  contextFor(command: string, cwd: string, isJson: boolean): Context {
    return {
      cwd,
      home: findHomeDirectory(),
      env: this.#process.env,
      reportUnreadable: (problems) => this.#reportUnreadable(problems, cwd, isJson),
      hasUnreadable: (file) => this.#unreadable.some((problem) => file === undefined || problem.file === file),
      width: this.screen.width,
      isJson,
      signal: this.#stopping.signal,
      onHangup: (callback) => void this.#process.on('SIGHUP', callback),
      item: (item, text) => {
        this.#clearProgress();
        if (isJson) this.#json({ hookwright: 1, command, item });
        else this.show(text());
      },
      note: (text) => {
        if (!isJson) this.note(text);
      },
      progress: (text) => this.#progress(text),
      write: (text, ifLost) => {
        this.#ifLost = ifLost;
        this.#out.write(text);
      },
      ask: (question) => this.#ask(question, isJson),
      canAsk: this.#canAsk(isJson),
      readStdin: (maxBytes) => readStream(this.#process.stdin, maxBytes),
    };
  }

  #reportUnreadable(problems: readonly CliProblem[], cwd: string, isJson: boolean): void {
    const isNew = (problem: CliProblem): boolean =>
      this.#unreadable.every(({ file, message }) => file !== problem.file || message !== problem.message);
    const news = problems.filter(isNew);
    this.#unreadable.push(...news);
    if (isJson || news.length === 0) return;
    this.#clearProgress();
    this.show([...formatProblems(news, { width: this.screen.width, cwd }), '']);
  }

  #canAsk(isJson: boolean): boolean {
    return !isJson && this.screen.isTerminal && this.#process.stdin.isTTY === true;
  }

  async #ask(question: TextLine, isJson: boolean): Promise<string | undefined> {
    if (!this.#canAsk(isJson)) return undefined;
    this.#clearProgress();
    this.#out.write(`${toTerminal([question], this.screen.colours).trimEnd()} `);
    this.#answers ??= new TerminalLines(this.#process.stdin);
    return this.#answers.next(this.#stopping.signal);
  }

  show(text: Text): void {
    this.#out.write(toTerminal(text, this.screen.colours));
  }

  note(text: Text): void {
    this.#clearProgress();
    this.#err.write(toTerminal(text, this.#errScreen.colours));
  }

  #json(value: CommandEnvelope | CommandItem): void {
    this.#out.write(`${escapeUnprintable(JSON.stringify(toPlain(value)))}\n`);
  }

  #progress(text: string | undefined): void {
    if (!this.#errScreen.isTerminal) return;
    if (text === undefined) {
      this.#clearProgress();
      return;
    }
    if (performance.now() - this.#progressAt < PROGRESS_INTERVAL_MS) return;
    this.#progressAt = performance.now();
    this.#hasProgress = true;
    const [line] = toTerminal([truncate(text, this.#errScreen.width - 1)], false).split('\n');
    this.#err.write(`${CLEAR_LINE}${line}`);
  }

  #clearProgress(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#err.write(CLEAR_LINE);
  }

  finish(command: string, isJson: boolean, outcome: CommandOutcome): ExitCode {
    const { interrupted = false, data, problems = [], text } = outcome;
    const findings = outcome.findings === true || this.#unreadable.length > 0;
    this.#clearProgress();
    if (isJson) {
      const ok = !findings && !interrupted;
      this.#json({ hookwright: 1, command, ok, data, problems: [...this.#unreadable, ...problems] });
    } else {
      this.show(text());
    }
    if (interrupted) return ExitCode.Interrupted;
    return findings ? ExitCode.Findings : ExitCode.Ok;
  }

  fail(command: string, isJson: boolean, error: EnvelopeError, stack?: string): void {
    this.#clearProgress();
    if (isJson) this.#json({ hookwright: 1, command, ok: false, error, problems: [] });
    else this.note(formatFailure(command, error, stack, this.#errScreen.width));
  }

  async flush(): Promise<void> {
    await Promise.all([this.#out.flush(), this.#err.flush()]);
  }

  /** If the answer could not be written, an agent would read exit code 0 as no decision. */
  async exitCodeAfter(code: ExitCode): Promise<ExitCode> {
    await this.flush();
    const { failure } = this.#out;
    if (failure === undefined || this.#ifLost === undefined || code !== ExitCode.Ok) return code;
    this.note([`the answer could not be written: ${failure.message}`]);
    await this.flush();
    return this.#ifLost;
  }
}

/** The reader of the stream may close it early, as `| head` does. */
class Output {
  readonly #stream: Writable;
  #isClosed = false;
  #failure: Error | undefined;

  constructor(stream: Writable, onClosed: () => void) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#isClosed = true;
      if (error.code === 'EPIPE') onClosed();
    });
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  write(text: string): void {
    if (this.#isClosed || text === '') return;
    this.#stream.write(text, (error) => {
      this.#failure ??= error ?? undefined;
    });
  }

  flush(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.write('', () => resolve());
    });
  }
}
