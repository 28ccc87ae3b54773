/** Reads and validates messages from a broker. */
import { HookwrightError } from '../errors.ts';
import { withOutputClass } from '../events/index.ts';
import { explainNotJson, isRecord } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { dropPrototypeKeys, isAnswerType, type MessageBusType, messageSchemas } from '../protocol/index.ts';

const MAX_MESSAGE_BYTES = 10 * 2 ** 20;

/** JSON without these words cannot set a prototype, so most messages need no check of their keys. */
const PROTOTYPE_KEY_PATTERN = /__proto__|constructor|prototype|\\u00/;

const utf8Decoder = new TextDecoder('utf-8', { fatal: true });

const createUnusableError = (type: string, why: string): HookwrightError =>
  new HookwrightError('invalid_message', `a ${type} from the broker cannot be used: ${why}`, { details: { type } });

const findIssues = (type: MessageBusType, message: unknown): string | undefined => {
  if (!isAnswerType(type)) return undefined;
  const notJson = isRecord(message) ? explainNotJson(message) : 'it is no object';
  if (notJson !== undefined) return notJson;
  const read = messageSchemas()[type].safeParse(message);
  return read.error?.issues.map(({ path, message: issue }) => `${path.join('.')}: ${issue}`).join('; ');
};

/**
 * Any client of the broker can publish anything, so the message is validated against the type in its subject.
 *
 * @throws HookwrightError for an invalid message.
 */
export const readMessage = (data: Uint8Array, type: MessageBusType, translator?: AnyHookTranslator): unknown => {
  if (data.byteLength > MAX_MESSAGE_BYTES)
    throw createUnusableError(type, `it has ${data.byteLength} bytes, over ${MAX_MESSAGE_BYTES}`);
  const message = decodeMessage(data, type);
  if (isRecord(message) && message.type !== type) throw createUnusableError(type, 'it says that it is of another type');
  const issues = findIssues(type, message);
  if (issues !== undefined) throw createUnusableError(type, issues);
  return withOutputClass(message, translator);
};

const decodeMessage = (data: Uint8Array, type: MessageBusType): unknown => {
  try {
    const text = utf8Decoder.decode(data);
    const message: unknown = JSON.parse(text);
    return isAnswerType(type) && PROTOTYPE_KEY_PATTERN.test(text) && isRecord(message)
      ? dropPrototypeKeys(message, [])
      : message;
  } catch (error) {
    throw createUnusableError(type, error instanceof Error ? error.message : 'it is no JSON');
  }
};
