/** Finds the SDK that a request or response belongs to, by its shape. */
import { HookwrightError } from '../errors.ts';
import { isRecord, type Members } from '../kit/index.ts';

const listRecords = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const readMessages = ({ messages }: Members): Members[] => listRecords(messages);

/** Thoughts that are a list come from servers that are compatible with OpenAI, those of Anthropic are a text. */
const hasPartOfType = ({ content }: Members, ...types: readonly string[]): boolean =>
  listRecords(content).some((part) => types.includes(String(part.type)) && !Array.isArray(part.thinking));

const chatRoles: readonly unknown[] = ['system', 'developer', 'tool', 'function'];

const looksLikeChat = (request: Members): boolean =>
  listRecords(request.tools).some(({ type }) => type === 'function') ||
  typeof request.tool_choice === 'string' ||
  readMessages(request).some(
    (message) =>
      chatRoles.includes(message.role) ||
      Array.isArray(message.tool_calls) ||
      hasPartOfType(message, 'image_url', 'input_audio', 'file', 'refusal'),
  );

const sdkShapes: readonly {
  readonly name: string;
  readonly request: (request: Members) => boolean;
  readonly response: (response: Members) => boolean;
}[] = [
  {
    name: 'genai-v1',
    request: ({ contents }) => contents !== undefined,
    response: ({ candidates }) => Array.isArray(candidates),
  },
  {
    name: 'openai-responses',
    request: ({ input, messages }) => input !== undefined && messages === undefined,
    response: ({ output, object }) => Array.isArray(output) || object === 'response',
  },
  {
    name: 'ai-sdk',
    request: ({ prompt }) => Array.isArray(prompt),
    response: ({ content, finishReason }) => Array.isArray(content) && finishReason !== undefined,
  },
  {
    name: 'langchain',
    request: (request) =>
      readMessages(request).some(({ type, role }) => role === undefined && (type === 'human' || type === 'ai')),
    response: ({ content, usage_metadata }) => content !== undefined && usage_metadata !== undefined,
  },
  {
    name: 'anthropic',
    request: (request) =>
      (typeof request.max_tokens === 'number' && request.system !== undefined) ||
      listRecords(request.tools).some((tool) => tool.input_schema !== undefined) ||
      readMessages(request).some((message) => hasPartOfType(message, 'tool_use', 'tool_result', 'image', 'thinking')),
    response: ({ content, stop_reason }) => Array.isArray(content) && stop_reason !== undefined,
  },
  {
    name: 'openai-chat',
    // A request with `max_tokens` and no other sign fits both Anthropic and OpenAI, so it is not recognised.
    request: (request) =>
      readMessages(request).length > 0 && (typeof request.max_tokens !== 'number' || looksLikeChat(request)),
    response: ({ choices }) => Array.isArray(choices),
  },
];

export const findTranslatorName = (kind: 'request' | 'response', value: object): string | undefined => {
  const members: Members = { ...value };
  return sdkShapes.find((shape) => shape[kind](members))?.name;
};

export const fitsNoOtherSdk = (
  kind: 'request' | 'response',
  name: string,
  value: Members,
  looksLike: readonly string[] = [],
): boolean => [name, ...looksLike, undefined].includes(findTranslatorName(kind, value));

const MAX_LISTED_MEMBERS = 20;

export const createUnknownShapeError = (
  kind: 'request' | 'response',
  value: Members,
  { translator, expected }: { readonly translator: string; readonly expected: string },
): HookwrightError => {
  const found = Object.keys(value).slice(0, MAX_LISTED_MEMBERS);
  const fits = findTranslatorName(kind, value);
  const hint =
    fits === undefined || fits === translator
      ? ''
      : `; it looks like one of ${fits}: give that translator, see hookwright/translators, as deps.translator`;
  return new HookwrightError(
    'validation_failure',
    `the translator ${translator} does not know this ${kind}: expected ${expected}, found ${found.join(', ') || 'no fields'}${hint}`,
    { details: { translator, expected, found, ...(fits === undefined ? {} : { fits }) } },
  );
};
