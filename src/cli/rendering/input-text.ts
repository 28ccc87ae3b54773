import { catalogue, isHookEventName } from '../../events/index.ts';
import { isRecord, shorten } from '../../kit/index.ts';

/** What of a value a line has room for. */
const MAX_INPUT = 160;

const json = (value: unknown): string => JSON.stringify(value) ?? '';

/** The last thing that was said to a model. */
const lastMessage = (request: Record<string, unknown>): string | undefined => {
  const { messages } = request;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isRecord(last) && typeof last.content === 'string' ? `${String(last.role)}: ${last.content}` : undefined;
};

const textOfObject = (value: Record<string, unknown>): string | undefined => {
  const members = Object.entries(value).filter(([, member]) => member !== undefined && member !== '');
  if (members.length === 0) return undefined;
  if (typeof value.command === 'string') return value.command;
  const [[name, only] = ['', undefined], another] = members;
  return another === undefined && typeof only === 'string' ? `${name}: ${only}` : json(value);
};

/** Which call, or which prompt, a request was about: what tells it apart from others of its event. */
export const inputText = (eventName: string, payload: unknown): string | undefined => {
  if (!isRecord(payload)) return undefined;
  const { tool_input: toolInput, llm_request: request, prompt, message } = payload;
  if (isRecord(toolInput)) return textOfObject(toolInput);
  if (isRecord(request)) return lastMessage(request) ?? json(request);
  for (const text of [prompt, message]) if (typeof text === 'string' && text !== '') return text;
  // What matchers compare with is told already.
  const told = isHookEventName(eventName) ? catalogue[eventName].subject?.field : undefined;
  return textOfObject(Object.fromEntries(Object.entries(payload).filter(([key]) => key !== told)));
};

/** The same, cut to what a line has room for. */
export const shortInput = (eventName: string, payload: unknown, most = MAX_INPUT): string | undefined => {
  const text = inputText(eventName, payload);
  return text === undefined ? undefined : shorten(text, most);
};
