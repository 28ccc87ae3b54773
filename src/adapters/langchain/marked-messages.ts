import type { BaseMessage } from 'langchain';
import { isRecord } from '../../kit/index.ts';
import { copyOf } from '../../models/index.ts';

/** What of an answer a provider's client keeps to send back word for word; with other words it would undo them. */
const withoutRaw = (metadata: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { output: _raw, ...rest } = metadata;
  return rest;
};

/** The same message of the same class in other words. */
export const retold = <M extends BaseMessage>(message: M, content: unknown): M => {
  const copy = copyOf(message);
  const changes = { content, response_metadata: withoutRaw(message.response_metadata ?? {}) };
  // Messages are kept by what they were made of.
  return Object.assign(copy, changes, { lc_kwargs: { ...message.lc_kwargs, ...changes } });
};

const marks = ['sent-back', 'blocked', 'stopped'] as const;
type Mark = (typeof marks)[number];

const KEY = 'hookwright';

/** Metadata by which a message of ours is known again, also when it was kept and read. */
export const marked = (mark: Mark) => ({ response_metadata: { [KEY]: mark } });

export const markOf = (message: BaseMessage | undefined): Mark | undefined => {
  const found: unknown = message?.response_metadata?.[KEY];
  return marks.find((mark) => mark === found);
};

/** All words of some content; what is no text is left out. */
export const textIn = (content: unknown): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => {
      if (typeof part === 'string') return [part];
      return isRecord(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : [];
    })
    .join('');
};

/** Content with other words: in place of the first text, what is no text stays. */
export const withText = (content: unknown, text: string): unknown => {
  if (!Array.isArray(content)) return text;
  const others: unknown[] = content.filter((part: unknown) => !(isRecord(part) && part.type === 'text'));
  return [{ type: 'text', text }, ...others];
};
