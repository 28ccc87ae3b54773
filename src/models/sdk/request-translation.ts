import { isRecord } from '../../kit/index.ts';
import { type LLMRequest, llmRequestSchema } from '../../protocol/index.ts';
import { sameMessages } from '../conversation.ts';
import { copyOf, expectObject, hasKeys, listOf, sameJson } from '../json-tools.ts';
import { unknownShape } from '../shapes.ts';
import { readStableMessages, withStableMessages } from '../stable-messages.ts';
import { type EntryFacts, entriesOf } from './entries.ts';
import { changedSettings, readSettings, type SettingFact } from './setting-facts.ts';
import { changedTools, readStableToolConfig, readToolChoice, type ToolChoiceFacts } from './tool-choice.ts';

type Members = Readonly<Record<string, unknown>>;

/** What is particular to the requests of an SDK. */
export interface RequestFacts<Request extends object> {
  /** What such a request is known by, in words. */
  readonly expected: string;
  readonly isOwn: (request: Members) => boolean;
  /** The model of a request that names none. */
  readonly model?: string;
  /** The member that holds the conversation. */
  readonly messages: string;
  readonly entries: EntryFacts;
  readonly settings: readonly SettingFact[];
  readonly tools: ToolChoiceFacts;
  /** A request that says nothing yet. */
  readonly create: (model: string) => Request;
}

export interface RequestTranslation<Request extends object> {
  readonly read: (request: unknown) => LLMRequest;
  readonly write: <R extends object>(wanted: LLMRequest, base: R) => R;
  readonly create: (wanted: LLMRequest) => Request;
}

const stableMembers: ReadonlySet<string> = new Set(['model', 'messages', 'config', 'toolConfig']);

/**
 * Some SDKs name their messages as the stable form does. What nothing but the stable form has decides: a member of the
 * request, or the role `model`; where both forms would say the same, the SDK's is the likelier one.
 */
const isStableRequest = (request: Members): boolean =>
  Array.isArray(request.messages) &&
  (isRecord(request.config) ||
    isRecord(request.toolConfig) ||
    request.messages.some((message) => isRecord(message) && message.role === 'model'));

const isPlainStable = (request: Members): boolean =>
  Array.isArray(request.messages) &&
  request.messages.every((message) => isRecord(message) && typeof message.content === 'string') &&
  Object.keys(request).every((key) => stableMembers.has(key));

const isLLMRequest = (value: unknown): value is LLMRequest => llmRequestSchema().safeParse(value).success;

export const requestTranslation = <Request extends object>(
  translator: string,
  facts: RequestFacts<Request>,
): RequestTranslation<Request> => {
  const { expected, settings, tools } = facts;
  const entries = entriesOf(facts.entries);
  const isStable = (source: Members): boolean =>
    isStableRequest(source) || (!facts.isOwn(source) && isPlainStable(source));

  const readOwn = (source: Members): LLMRequest => {
    const config = readSettings(source, settings);
    const toolConfig = readToolChoice(source, tools);
    return {
      model: typeof source.model === 'string' ? source.model : (facts.model ?? ''),
      messages: entries.read(source[facts.messages]),
      ...(hasKeys(config) && { config }),
      ...(hasKeys(toolConfig) && { toolConfig }),
    };
  };

  const read = (request: unknown): LLMRequest => {
    const source = expectObject(request, 'An LLM request', expected);
    if (isStable(source)) return isLLMRequest(source) ? source : repair(source);
    if (!facts.isOwn(source)) throw unknownShape('request', source, { translator, expected });
    return readOwn(source);
  };

  const changesOf = (source: Members, shown: LLMRequest, wanted: Members): Record<string, unknown> => {
    const messages = readStableMessages(wanted.messages);
    const isRetold = messages !== undefined && !sameMessages(messages, shown.messages);
    return {
      ...(isRetold && { [facts.messages]: entries.write(source[facts.messages], messages) }),
      ...changedSettings(source, settings, wanted.config),
      ...changedTools(source, tools, wanted.toolConfig),
    };
  };

  const write = <R extends object>(hookRequest: LLMRequest, base: R): R => {
    const wanted = expectObject(hookRequest, 'An LLM request of a hook', '`model` and `messages`');
    const source = expectObject(base, 'The base of an LLM request', expected);
    const shown = read(base);
    const { model } = wanted;
    const changes = {
      ...(typeof model === 'string' && model !== '' && model !== shown.model && { model }),
      ...(isStable(source) ? stableChanges(source, shown, wanted) : changesOf(source, shown, wanted)),
    };
    return hasKeys(changes) ? withChanges(base, changes) : base;
  };

  return {
    read,
    write,
    create: (wanted) => {
      const { model } = expectObject(wanted, 'An LLM request of a hook', '`model` and `messages`');
      return write(wanted, facts.create(typeof model === 'string' ? model : ''));
    },
  };
};

/** The base with members that differ; one that is `undefined` is taken away. */
export const withChanges = <R extends object>(base: R, changes: Members): R => {
  const result = Object.assign(copyOf(base), changes);
  for (const [key, value] of Object.entries(changes)) if (value === undefined) Reflect.deleteProperty(result, key);
  return result;
};

/** A stable request in which something is unreadable: the rest of it still is what the caller meant. */
const repair = ({ model, messages, config, toolConfig, ...others }: Members): LLMRequest => {
  const readable = readStableToolConfig(toolConfig);
  return {
    ...others,
    model: typeof model === 'string' ? model : '',
    messages: readStableMessages(messages) ?? [],
    ...(isRecord(config) && { config }),
    ...(hasKeys(readable) && { toolConfig: readable }),
  };
};

/** A base in the stable form is answered in the stable form. */
const stableChanges = (source: Members, shown: LLMRequest, wanted: Members): Record<string, unknown> => {
  const messages = readStableMessages(wanted.messages);
  const isRetold = messages !== undefined && !sameMessages(messages, shown.messages);
  const toolConfig = readStableToolConfig(wanted.toolConfig);
  return {
    ...(isRetold && { messages: withStableMessages(listOf(source.messages), messages) }),
    ...(isRecord(wanted.config) && !sameJson(wanted.config, source.config) && { config: wanted.config }),
    ...(isRecord(wanted.toolConfig) && !sameJson(toolConfig, shown.toolConfig ?? {}) && { toolConfig }),
  };
};
