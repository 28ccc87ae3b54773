import { HookwrightError } from '../errors.ts';
import { isRecord } from '../kit/index.ts';

type Members = Readonly<Record<string, unknown>>;

const messagesIn = ({ messages }: Members): Members[] => (Array.isArray(messages) ? messages.filter(isRecord) : []);

const hasPart = ({ content }: Members, ...types: readonly string[]): boolean =>
  Array.isArray(content) && content.some((part) => isRecord(part) && types.includes(String(part.type)));

/** How the requests and responses of model SDKs look, for whoever gave the engine one that its translator does not know. */
const shapes: readonly {
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
    name: 'anthropic',
    request: (request) =>
      (typeof request.max_tokens === 'number' && request.system !== undefined) ||
      messagesIn(request).some((message) => hasPart(message, 'tool_use', 'tool_result', 'image', 'thinking')),
    response: ({ content, stop_reason }) => Array.isArray(content) && stop_reason !== undefined,
  },
  {
    name: 'openai-chat',
    request: (request) => messagesIn(request).length > 0,
    response: ({ choices }) => Array.isArray(choices),
  },
];

/** The name of the translator that a request or a response was written for, as far as its shape tells. */
export const translatorFor = (kind: 'request' | 'response', value: object): string | undefined => {
  const members: Members = { ...value };
  return shapes.find((shape) => shape[kind](members))?.name;
};

const MAX_NAMED = 20;

/** An error that says what was found, what the translator knows, and which other one would have known it. */
export const unknownShape = (
  kind: 'request' | 'response',
  value: Members,
  { translator, expected }: { readonly translator: string; readonly expected: string },
): HookwrightError => {
  const found = Object.keys(value).slice(0, MAX_NAMED);
  const fits = translatorFor(kind, value);
  const hint =
    fits === undefined || fits === translator
      ? ''
      : `; it looks like one of ${fits}: give that translator as deps.translator`;
  return new HookwrightError(
    'validation_failure',
    `the translator ${translator} does not know this ${kind}: expected ${expected}, found ${found.join(', ') || 'no fields'}${hint}`,
    { details: { translator, expected, found, ...(fits === undefined ? {} : { fits }) } },
  );
};
