import type { JsMsg } from '@nats-io/jetstream';
import { invalidArgument } from '../../../errors.ts';
import type { Session, SessionEntry, SessionFilter, SessionHeader, SessionProblem } from '../../../sessions/index.ts';
import { filteredEntries, parseEntry, SESSION_VERSION } from '../../../sessions/index.ts';
import { checkStreamOptions, type OpenStream, openStream, type StreamOptions } from './open-stream.ts';

const MAX_PROBLEMS = 1_000;

/** Of the broker: one clock for all recorders. */
const timeOf = ({ info }: JsMsg): number => info.timestampNanos / 1e6;

class StreamSession implements Session {
  readonly file: string;
  readonly #options: StreamOptions;
  #problems: SessionProblem[] = [];

  constructor(options: StreamOptions) {
    this.#options = options;
    this.file = `nats:${options.stream ?? 'hookwright-sessions'}/${options.session}`;
  }

  get problems(): readonly SessionProblem[] {
    return this.#problems;
  }

  async header(): Promise<SessionHeader> {
    for await (const message of this.#messages()) {
      const startedAt = new Date(timeOf(message)).toISOString();
      return { hookwright: 'session', version: SESSION_VERSION, startedAt, part: 1, session: this.#options.session };
    }
    throw invalidArgument(`${this.file}: there is no such session`);
  }

  entries(filter?: SessionFilter): AsyncIterable<SessionEntry> {
    return filteredEntries(filter, () => this.#read());
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEntry> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<SessionEntry, void, undefined> {
    const problems: SessionProblem[] = [];
    this.#problems = problems;
    let began: number | undefined;
    for await (const message of this.#messages()) {
      began ??= timeOf(message);
      const parsed = parseEntry(message.string(), message.seq);
      if (parsed.ok) yield { ...parsed.entry, at: timeOf(message) - began };
      else if (problems.length < MAX_PROBLEMS) {
        problems.push({ line: message.seq, code: parsed.code, message: parsed.message });
      }
    }
  }

  /** What the stream has of the session now, in its order. */
  async *#messages(): AsyncGenerator<JsMsg, void, undefined> {
    const open = await openStream(this.#options);
    try {
      const last = await lastOf(open);
      if (last === undefined) return;
      const consumer = await open.client.consumers.get(open.stream, { filter_subjects: open.subject });
      const messages = await consumer.consume();
      try {
        for await (const message of messages) {
          yield message;
          if (message.seq >= last) return;
        }
      } finally {
        await messages.close();
      }
    } finally {
      await open.close();
    }
  }
}

const lastOf = async ({ manager, stream, subject }: OpenStream): Promise<number | undefined> =>
  (await manager.streams.getMessage(stream, { last_by_subj: subject }).catch(() => null))?.seq;

/**
 * A session that `recordStream` keeps, read afresh by each iteration as far as it goes then: `replay` and `backtest` take it
 * as any other. Times are those of the broker.
 */
export const readStream = (options: StreamOptions): Session => {
  checkStreamOptions(options);
  return new StreamSession(options);
};
