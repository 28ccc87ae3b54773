/** Translates requests of an SDK, described by facts. */
import { isRecord } from '../../kit/index.ts';
import { type HookToolConfig, type LLMRequest, llmRequestSchema } from '../../protocol/index.ts';
import { sameMessages } from '../conversation.ts';
import { copyOf, expectObject, hasKeys, listOrEmpty, sameJson } from '../json-tools.ts';
import { unknownShape } from '../shapes.ts';
import { readStableMessages, withStableMessages } from '../stable-messages.ts';
import { type ConversationEntries, type EntryFacts, entriesOf } from './entries.ts';
import { changedSettings, readSettings, type SettingFact } from './setting-facts.ts';
import { changedTools, readStableToolConfig, readToolChoice, type ToolChoiceFacts } from './tool-choice.ts';

type Members = Readonly<Record<string, unknown>>;
type Settings = NonNullable<LLMRequest['config']>;

export interface RequestFacts<Request extends object> {
  /** Describes a request in errors. */
  readonly expected: string;
  readonly isOwn: (request: Members) => boolean;
  /** The model of requests that name none. */
  readonly model?: string;
  /** The member that holds the conversation. */
  readonly messages: string;
  readonly entries: EntryFacts;
  readonly settings: readonly SettingFact[];
  readonly tools: ToolChoiceFacts;
  readonly create: (model: string) => Request;
}

/** Readers and writers of a request's members, in the form of the SDK and in the stable form. */
export interface RequestForm<Request extends object> {
  readonly translator: string;
  readonly expected: string;
  readonly isStable: (source: Members) => boolean;
  readonly isOwn: (source: Members) => boolean;
  readonly model?: string | undefined;
  readonly messages: string;
  readonly conversation: ConversationEntries;
  readonly readSettings: (source: Members) => Settings;
  readonly readTools: (source: Members) => HookToolConfig;
  /** Changes for the settings and tool choice that a hook wants. */
  readonly changes: (source: Members, shown: LLMRequest, wanted: Members) => Members;
  readonly stable: {
    readonly readSettings: (config: unknown) => Settings | undefined;
    /** Returns `config` itself if nothing changes. */
    readonly writeSettings: (config: unknown, shown: Settings, wanted: unknown) => unknown;
    readonly readTools: (toolConfig: unknown) => HookToolConfig;
  };
  readonly create: (model: string) => Request;
}

export interface RequestTranslation<Request extends object> {
  readonly read: (request: unknown) => LLMRequest;
  readonly write: <R extends object>(wanted: LLMRequest, base: R) => R;
  readonly create: (wanted: LLMRequest) => Request;
}

const stableMembers: ReadonlySet<string> = new Set(['model', 'messages', 'config', 'toolConfig']);

/** Some SDKs name messages as the stable form does: members of that form only, or the role `model`, decide. */
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
  const { expected, isOwn, model, messages, settings, tools, create } = facts;
  return translateRequests({
    translator,
    expected,
    isStable: (source) => isStableRequest(source) || (!isOwn(source) && isPlainStable(source)),
    isOwn,
    model,
    messages,
    conversation: entriesOf(facts.entries),
    readSettings: (source) => readSettings(source, settings),
    readTools: (source) => readToolChoice(source, tools),
    changes: (source, _shown, wanted) => ({
      ...changedSettings(source, settings, wanted.config),
      ...changedTools(source, tools, wanted.toolConfig),
    }),
    stable: {
      readSettings: (config) => (isRecord(config) ? config : undefined),
      writeSettings: (config, _shown, wanted) => (isRecord(wanted) && !sameJson(wanted, config) ? wanted : config),
      readTools: readStableToolConfig,
    },
    create,
  });
};

export const translateRequests = <Request extends object>(form: RequestForm<Request>): RequestTranslation<Request> => {
  const { translator, expected, isStable, conversation, stable } = form;

  const read = (request: unknown): LLMRequest => {
    const source = expectObject(request, 'An LLM request', expected);
    if (isStable(source)) return isLLMRequest(source) ? source : repair(source);
    if (!form.isOwn(source)) throw unknownShape('request', source, { translator, expected });
    const config = form.readSettings(source);
    const toolConfig = form.readTools(source);
    return {
      model: typeof source.model === 'string' ? source.model : (form.model ?? ''),
      messages: conversation.read(source[form.messages]),
      ...(hasKeys(config) && { config }),
      ...(hasKeys(toolConfig) && { toolConfig }),
    };
  };

  /** Keeps the readable part of a broken stable request. */
  const repair = ({ model, messages, config, toolConfig, ...others }: Members): LLMRequest => {
    const settings = stable.readSettings(config);
    const tools = stable.readTools(toolConfig);
    return {
      ...others,
      model: typeof model === 'string' ? model : '',
      messages: readStableMessages(messages) ?? [],
      ...(settings !== undefined && { config: settings }),
      ...(hasKeys(tools) && { toolConfig: tools }),
    };
  };

  const stableChanges = (source: Members, shown: LLMRequest, wanted: Members): Members => {
    const config = stable.writeSettings(source.config, shown.config ?? {}, wanted.config);
    const toolConfig = stable.readTools(wanted.toolConfig);
    return {
      ...(config !== source.config && { config }),
      ...(isRecord(wanted.toolConfig) && !sameJson(toolConfig, shown.toolConfig ?? {}) && { toolConfig }),
    };
  };

  const write = <R extends object>(hookRequest: LLMRequest, base: R): R => {
    const wanted = expectObject(hookRequest, 'An LLM request of a hook', '`model` and `messages`');
    const source = expectObject(base, 'The base of an LLM request', expected);
    const shown = read(base);
    const { model } = wanted;
    const messages = readStableMessages(wanted.messages);
    const isRetold = messages !== undefined && !sameMessages(messages, shown.messages);
    const changes = {
      ...(typeof model === 'string' && model !== '' && model !== shown.model && { model }),
      ...(isRetold &&
        (isStable(source)
          ? { messages: withStableMessages(listOrEmpty(source.messages), messages) }
          : { [form.messages]: conversation.write(source[form.messages], messages) })),
      ...(isStable(source) ? stableChanges(source, shown, wanted) : form.changes(source, shown, wanted)),
    };
    return hasKeys(changes) ? withChanges(base, changes) : base;
  };

  return {
    read,
    write,
    create: (wanted) => {
      const { model } = expectObject(wanted, 'An LLM request of a hook', '`model` and `messages`');
      return write(wanted, form.create(typeof model === 'string' ? model : ''));
    },
  };
};

/** A copy with changed members; `undefined` removes a member. */
export const withChanges = <R extends object>(base: R, changes: Members): R => {
  const result = Object.assign(copyOf(base), changes);
  for (const [key, value] of Object.entries(changes)) if (value === undefined) Reflect.deleteProperty(result, key);
  return result;
};
