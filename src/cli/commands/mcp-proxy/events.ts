import { isRecord, parseJson } from '../../../kit/index.ts';
import type { Message } from './hooked-calls.ts';

/** An event of a stream as it came, its end included. */
export interface StreamEvent {
  readonly raw: string;
  /** There when it carries one message. */
  readonly message: Message | undefined;
}

const messageIn = (raw: string): Message | undefined => {
  const data = raw
    .split(/\r\n|\r|\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
    .join('\n');
  const read = data === '' ? undefined : parseJson(data);
  return read?.ok === true && isRecord(read.value) ? read.value : undefined;
};

/** The same event with another message; what else it says, such as its id, stays. */
export const eventWith = ({ raw }: StreamEvent, message: Message): string => {
  const others = raw.split(/\r\n|\r|\n/).filter((line) => line !== '' && !line.startsWith('data:'));
  return [...others, `data: ${JSON.stringify(message)}`, '', ''].join('\n');
};

/** The events of a stream of server-sent events, as far as it came. */
export async function* eventsOf(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of stream) {
    rest += decoder.decode(piece, { stream: true });
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(rest);
      if (end === null) break;
      const raw = rest.slice(0, end.index + end[0].length);
      rest = rest.slice(raw.length);
      yield { raw, message: messageIn(raw) };
    }
    if (rest.length > maxBytes) throw new Error(`the server sent more than ${maxBytes} bytes in one event`);
  }
}
