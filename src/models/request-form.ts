/** Translates requests between the form of an SDK and the format of hooks. */
import { isRecord, type Members } from '../kit/index.ts';
import { type HookToolConfig, type LLMMessage, type LLMRequest, llmRequestSchema } from '../protocol/index.ts';
import { areSameMessages } from './conversation.ts';
import { applyHookMessages, readHookMessages } from './hook-messages.ts';
import { copyWithPrototype, expectObject, hasKeys, isSameJson, isStringList, listOrEmpty } from './json-values.ts';
import { createUnknownShapeError } from './sdk-shapes.ts';

type Settings = NonNullable<LLMRequest['config']>;

export interface ConversationTranslation {
  readonly read: (entries: unknown) => LLMMessage[];
  readonly write: (entries: unknown, messages: readonly LLMMessage[]) => unknown;
}

/** Readers and writers of a request, in the form of the SDK and (`stable`) in the format of hooks. */
export interface RequestForm<Request extends object> {
  readonly translator: string;
  readonly expected: string;
  readonly isStable: (source: Members) => boolean;
  readonly isOwn: (source: Members) => boolean;
  readonly model?: string | undefined;
  readonly messages: string;
  readonly conversation: ConversationTranslation;
  readonly readSettings: (source: Members) => Settings;
  readonly readTools: (source: Members) => HookToolConfig;
  readonly changes: (source: Members, shown: LLMRequest, wanted: Members) => Members;
  readonly stable: {
    readonly readSettings: (config: unknown) => Settings | undefined;
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

const isLLMRequest = (value: unknown): value is LLMRequest => llmRequestSchema().safeParse(value).success;

export const createTranslationFromForm = <Request extends object>(
  form: RequestForm<Request>,
): RequestTranslation<Request> => {
  const { translator, expected, isStable, conversation, stable } = form;

  const read = (request: unknown): LLMRequest => {
    const source = expectObject(request, 'An LLM request', expected);
    if (isStable(source)) return isLLMRequest(source) ? source : repair(source);
    if (!form.isOwn(source)) throw createUnknownShapeError('request', source, { translator, expected });
    const config = form.readSettings(source);
    const toolConfig = form.readTools(source);
    return {
      model: typeof source.model === 'string' ? source.model : (form.model ?? ''),
      messages: conversation.read(source[form.messages]),
      ...(hasKeys(config) && { config }),
      ...(hasKeys(toolConfig) && { toolConfig }),
    };
  };

  const repair = ({ model, messages, config, toolConfig, ...others }: Members): LLMRequest => {
    const settings = stable.readSettings(config);
    const tools = stable.readTools(toolConfig);
    return {
      ...others,
      model: typeof model === 'string' ? model : '',
      messages: readHookMessages(messages) ?? [],
      ...(settings !== undefined && { config: settings }),
      ...(hasKeys(tools) && { toolConfig: tools }),
    };
  };

  const stableChanges = (source: Members, shown: LLMRequest, wanted: Members): Members => {
    const config = stable.writeSettings(source.config, shown.config ?? {}, wanted.config);
    const toolConfig = stable.readTools(wanted.toolConfig);
    return {
      ...(config !== source.config && { config }),
      ...(isRecord(wanted.toolConfig) && !isSameJson(toolConfig, shown.toolConfig ?? {}) && { toolConfig }),
    };
  };

  const write = <R extends object>(hookRequest: LLMRequest, base: R): R => {
    const wanted = expectObject(hookRequest, 'An LLM request of a hook', '`model` and `messages`');
    const source = expectObject(base, 'The base of an LLM request', expected);
    const shown = read(base);
    const { model } = wanted;
    const messages = readHookMessages(wanted.messages);
    const hasNewMessages = messages !== undefined && !areSameMessages(messages, shown.messages);
    const changes = {
      ...(typeof model === 'string' && model !== '' && model !== shown.model && { model }),
      ...(hasNewMessages &&
        (isStable(source)
          ? { messages: applyHookMessages(listOrEmpty(source.messages), messages) }
          : { [form.messages]: conversation.write(source[form.messages], messages) })),
      ...(isStable(source) ? stableChanges(source, shown, wanted) : form.changes(source, shown, wanted)),
    };
    return hasKeys(changes) ? copyWithChanges(base, changes) : base;
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

export const copyWithChanges = <R extends object>(base: R, changes: Members): R => {
  const result = Object.assign(copyWithPrototype(base), changes);
  for (const [key, value] of Object.entries(changes)) if (value === undefined) Reflect.deleteProperty(result, key);
  return result;
};

/** Reads a choice of tools in the format that hooks see. */
export const readHookToolConfig = (config: unknown): HookToolConfig => {
  if (!isRecord(config)) return {};
  const { mode, allowedFunctionNames } = config;
  return {
    ...((mode === 'AUTO' || mode === 'ANY' || mode === 'NONE') && { mode }),
    ...(isStringList(allowedFunctionNames) && { allowedFunctionNames: [...allowedFunctionNames] }),
  };
};
