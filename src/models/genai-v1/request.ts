import { isRecord } from '../../kit/index.ts';
import { type LLMRequest, llmRequestSchema } from '../../protocol/index.ts';
import { sameMessages } from '../conversation.ts';
import { copyOf, expectObject, hasKeys, listOf, sameJson } from '../json-tools.ts';
import { unknownShape } from '../shapes.ts';
import { readStableMessages, withStableMessages } from '../stable-messages.ts';
import { createContents, readMessages, withMessages } from './contents.ts';
import type { TextRequest } from './sdk-types.ts';
import { createSettings, readSettings, readStableSettings, withSettings } from './settings.ts';
import { createToolConfig, readToolConfig, withToolConfig } from './tool-config.ts';

const expected = '`contents` (the SDK) or `messages` (the stable form)';

const isStableForm = (request: Record<string, unknown>): boolean =>
  Array.isArray(request.messages) && request.contents === undefined;

const isLLMRequest = (value: unknown): value is LLMRequest => llmRequestSchema().safeParse(value).success;

export const toStableRequest = (request: unknown): LLMRequest => {
  const source = expectObject(request, 'An LLM request', expected);
  if (isStableForm(source) ? isUnreadable(source) : !isSDKForm(source)) {
    throw unknownShape('request', source, { translator: 'genai-v1', expected });
  }
  return readRequest(source);
};

/** What of a request can be read, in whichever of the two forms it is. */
const readRequest = (source: Record<string, unknown>): LLMRequest => {
  if (isStableForm(source)) return isLLMRequest(source) ? source : repair(source);
  return createStable(
    source.model,
    readMessages(source.contents),
    readSettings(source.config),
    findToolConfig(source).toolConfig,
  );
};

const members: ReadonlySet<string> = new Set(['model', 'contents', 'config', 'toolConfig', 'tools']);

/** A request that has not begun to say anything may be anybody's; one that says it in another way is not of this SDK. */
const isSDKForm = (request: Record<string, unknown>): boolean =>
  request.contents != null || Object.keys(request).every((key) => members.has(key));

/** A list of messages of which hooks would see none. */
const isUnreadable = ({ messages }: Record<string, unknown>): boolean =>
  Array.isArray(messages) && messages.length > 0 && readStableMessages(messages)?.length === 0;

/** A stable request in which something is unreadable: the rest of it still is what the caller meant. */
const repair = ({ model, messages, config, toolConfig, ...others }: Record<string, unknown>): LLMRequest => ({
  ...others,
  ...createStable(model, readStableMessages(messages) ?? [], readStableSettings(config), toolConfig),
});

const createStable = (
  model: unknown,
  messages: LLMRequest['messages'],
  config: NonNullable<LLMRequest['config']>,
  toolConfigSource: unknown,
): LLMRequest => {
  const toolConfig = readToolConfig(toolConfigSource);
  return {
    model: typeof model === 'string' ? model : '',
    messages,
    ...(hasKeys(config) && { config }),
    ...(hasKeys(toolConfig) && { toolConfig }),
  };
};

/** The SDK keeps it under `config`; some agents beside it. Where it was found is where it is put back. */
const findToolConfig = (request: Record<string, unknown>): { place: 'config' | 'request'; toolConfig: unknown } => {
  const inConfig = isRecord(request.config) ? request.config.toolConfig : undefined;
  const isBeside = !hasKeys(readToolConfig(inConfig)) && hasKeys(readToolConfig(request.toolConfig));
  return isBeside ? { place: 'request', toolConfig: request.toolConfig } : { place: 'config', toolConfig: inConfig };
};

/** Text only, for there is no request to take anything else from. */
export const createRequest = (hookRequest: LLMRequest): TextRequest => {
  const { model, messages, config, toolConfig } = readRequest(
    expectObject(hookRequest, 'An LLM request of a hook', '`model` and `messages`'),
  );
  const sdkToolConfig = createToolConfig(toolConfig);
  const sdkConfig = {
    ...createSettings(config),
    ...(hasKeys(sdkToolConfig) && { toolConfig: sdkToolConfig }),
  };
  return { model, contents: createContents(messages), ...(hasKeys(sdkConfig) && { config: sdkConfig }) };
};

/** The base with what a hook wants otherwise, or the base itself when that is nothing. */
export const withStableRequest = <R extends object>(hookRequest: LLMRequest, base: R): R => {
  const wanted = expectObject(hookRequest, 'An LLM request of a hook', '`model` and `messages`');
  const source = expectObject(base, 'The base of an LLM request', expected);
  const shown = toStableRequest(base);
  const changes = {
    ...changedModel(shown, wanted),
    ...(isStableForm(source) ? stableChanges(source, shown, wanted) : sdkChanges(source, shown, wanted)),
  };
  return hasKeys(changes) ? Object.assign(copyOf(base), changes) : base;
};

type Changes = Record<string, unknown>;

const changedModel = (shown: LLMRequest, { model }: Record<string, unknown>): Changes =>
  typeof model === 'string' && model !== '' && model !== shown.model ? { model } : {};

const sdkChanges = (source: Record<string, unknown>, shown: LLMRequest, wanted: Record<string, unknown>): Changes => {
  const messages = readStableMessages(wanted.messages);
  const contents =
    messages === undefined || sameMessages(messages, shown.messages)
      ? source.contents
      : withMessages(source.contents, messages);
  const settled = withSettings(source.config, shown.config ?? {}, wanted.config);
  const { place, toolConfig: before } = findToolConfig(source);
  const toolConfig = changeToolConfig(before, wanted.toolConfig);
  const isInConfig = place === 'config' && toolConfig !== before;
  const config = isInConfig ? { ...(isRecord(settled) && settled), toolConfig } : settled;
  return {
    ...(contents !== source.contents && { contents }),
    ...(config !== source.config && { config }),
    ...(place === 'request' && toolConfig !== before && { toolConfig }),
  };
};

const changeToolConfig = (before: unknown, wanted: unknown): unknown => {
  if (isRecord(before)) return withToolConfig(before, wanted);
  const created = createToolConfig(wanted);
  return hasKeys(created) ? created : before;
};

/** A base in the stable form is answered in the stable form. */
const stableChanges = (
  source: Record<string, unknown>,
  shown: LLMRequest,
  wanted: Record<string, unknown>,
): Changes => {
  const messages = readStableMessages(wanted.messages);
  const config = withSettings(source.config, shown.config ?? {}, wanted.config);
  const toolConfig = readToolConfig(wanted.toolConfig);
  return {
    ...(messages !== undefined &&
      !sameMessages(messages, shown.messages) && { messages: withStableMessages(listOf(source.messages), messages) }),
    ...(config !== source.config && { config }),
    ...(isRecord(wanted.toolConfig) && !sameJson(toolConfig, shown.toolConfig ?? {}) && { toolConfig }),
  };
};
