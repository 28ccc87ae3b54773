/** An event of a stream of server-sent events. */
export interface StreamEvent {
  /** Its lines but those of `data`: id, type, time to wait, comments. */
  readonly fields: readonly string[];
  /** `undefined` where it has none, which is how streams are kept open. */
  readonly data: string | undefined;
}

/** The events of a stream, each once its empty line came. */
export async function* eventsOf(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<StreamEvent> {
  let fields: string[] = [];
  let data: string[] = [];
  for await (const line of linesOf(stream, maxBytes)) {
    if (line !== '') {
      const [, name, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
      if (name === 'data') data.push(value);
      else fields.push(line);
      continue;
    }
    if (fields.length > 0 || data.length > 0) yield { fields, data: data.length === 0 ? undefined : data.join('\n') };
    fields = [];
    data = [];
  }
}

/** The event as text, with these messages in place of its own. Its id comes with the last, so that none is lost. */
export const eventsWith = ({ fields, data }: StreamEvent, messages: readonly string[]): string => {
  const before = messages.slice(0, -1).map((message) => `data: ${message}\n\n`);
  const last = data === '' ? [data] : messages.slice(-1);
  return `${before.join('')}${[...fields, ...last.map((text) => `data: ${text}`)].join('\n')}\n\n`;
};

async function* linesOf(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<string> {
  const decoder = new TextDecoder();
  const ends = /\r\n|\n|\r/g;
  let rest = '';
  for await (const piece of stream) {
    // A long line comes in many pieces: what was searched is not searched again.
    let from = Math.max(0, rest.length - 1);
    rest += decoder.decode(piece, { stream: true });
    for (;;) {
      ends.lastIndex = from;
      const end = ends.exec(rest);
      // Whether a line feed follows this one is not known yet.
      if (end === null || (end[0] === '\r' && end.index === rest.length - 1)) break;
      yield rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      from = 0;
    }
    if (rest.length > maxBytes) throw new Error(`the server sent more than ${maxBytes} bytes in one line`);
  }
  if (rest.endsWith('\r')) yield rest.slice(0, -1);
}
