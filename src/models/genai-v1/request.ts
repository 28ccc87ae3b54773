/** Translates requests of `@google/genai` to the SDK-independent format of hooks and back. */
import { isPrototypeKey, isRecord, type Members } from '../../kit/index.ts';
import type { LLMMessage, LLMRequest } from '../../protocol/index.ts';
import {
  hasText,
  markAsSystemMessage,
  placeMessages,
  removeSystemPrefix,
  SYSTEM_MESSAGE_MARK,
  SYSTEM_TEXT_PREFIX,
  toMessage,
} from '../conversation.ts';
import { readHookMessages, toHookRole } from '../hook-messages.ts';
import { hasKeys, isFiniteNumber, isSameJson, isStringList } from '../json-values.ts';
import { createTranslationFromForm, type RequestTranslation } from '../request-form.ts';
import { removeText, replaceText, textsOfParts } from './content-parts.ts';
import type { TextContent, TextRequest } from './sdk-types.ts';
import { applyHookToolConfig, createGenaiToolConfig, readGenaiToolConfig } from './tool-config.ts';

const isHookRequest = (request: Members): boolean =>
  Array.isArray(request.messages) && request.contents === undefined && !hasUnreadableMessages(request);

const sdkMembers: ReadonlySet<string> = new Set(['model', 'contents', 'config', 'toolConfig', 'tools']);

/** A request with members that `@google/genai` does not know belongs to another SDK. */
const isSdkRequest = (request: Members): boolean =>
  request.contents != null || Object.keys(request).every((key) => sdkMembers.has(key));

const hasUnreadableMessages = ({ messages }: Members): boolean =>
  Array.isArray(messages) && messages.length > 0 && readHookMessages(messages)?.length === 0;

/** The SDK reads `config.toolConfig`, but some agents put `toolConfig` beside `config`. Changes keep its position. */
const findToolConfig = (request: Members): { parent: 'config' | 'request'; toolConfig: unknown } => {
  const inConfig = isRecord(request.config) ? request.config.toolConfig : undefined;
  const isBeside = !hasKeys(readGenaiToolConfig(inConfig)) && hasKeys(readGenaiToolConfig(request.toolConfig));
  return isBeside ? { parent: 'request', toolConfig: request.toolConfig } : { parent: 'config', toolConfig: inConfig };
};

const findRequestChanges = (source: Members, shown: LLMRequest, wanted: Members): Members => {
  const settled = applySettings(source.config, shown.config ?? {}, wanted.config);
  const { parent, toolConfig: before } = findToolConfig(source);
  const toolConfig = changeToolConfig(before, wanted.toolConfig);
  const isInConfig = parent === 'config' && toolConfig !== before;
  const config = isInConfig ? { ...(isRecord(settled) && settled), toolConfig } : settled;
  return {
    ...(config !== source.config && { config }),
    ...(parent === 'request' && toolConfig !== before && { toolConfig }),
  };
};

const changeToolConfig = (before: unknown, wanted: unknown): unknown => {
  if (isRecord(before)) return applyHookToolConfig(before, wanted);
  const created = createGenaiToolConfig(wanted);
  return hasKeys(created) ? created : before;
};

interface ContentTurn {
  readonly content?: Record<string, unknown>;
  readonly parts: readonly unknown[];
  readonly role: LLMMessage['role'];
  readonly text: string;
}

const readMessages = (contents: unknown): LLMMessage[] => readTurns(contents).filter(hasText).map(toMessage);

const readTurns = (contents: unknown): ContentTurn[] => {
  const turns: ContentTurn[] = [];
  let run: unknown[] = [];
  const endRun = (): void => {
    if (run.length > 0) turns.push(createBareTurn(run));
    run = [];
  };
  for (const entry of contents == null ? [] : Array.isArray(contents) ? contents : [contents]) {
    if (isContent(entry)) {
      endRun();
      turns.push(readContentTurn(entry));
    } else run.push(entry);
  }
  endRun();
  return turns;
};

const isContent = (entry: unknown): entry is Record<string, unknown> =>
  isRecord(entry) && (Array.isArray(entry.parts) || (typeof entry.role === 'string' && typeof entry.text !== 'string'));

const createBareTurn = (parts: readonly unknown[]): ContentTurn => ({
  parts,
  role: 'user',
  text: textsOfParts(parts).join(''),
});

const readContentTurn = (content: Record<string, unknown>): ContentTurn => {
  const parts = Array.isArray(content.parts) ? content.parts : [];
  const isMarked = SYSTEM_MESSAGE_MARK in content;
  const role = isMarked ? 'system' : toHookRole(content.role);
  const text = textsOfParts(parts).join('');
  return { content, parts, role, text: isMarked ? removeSystemPrefix(text) : text };
};

/** Gemini has no role `system`, so a system message within a conversation gets the role `user` and a marker. */
const createContent = ({ role, content }: LLMMessage): TextContent =>
  role === 'system'
    ? markAsSystemMessage({ role: 'user', parts: [{ text: SYSTEM_TEXT_PREFIX + content }] })
    : { role, parts: [{ text: content }] };

const replaceParts = (turn: ContentTurn, parts: readonly unknown[]): ContentTurn => {
  if (turn.content === undefined) return createBareTurn(parts);
  const content: Record<string, unknown> = { ...turn.content, parts };
  return readContentTurn(SYSTEM_MESSAGE_MARK in turn.content ? markAsSystemMessage(content) : content);
};

const replaceTurnText = (turn: ContentTurn, text: string): ContentTurn | undefined => {
  const isMarked = turn.content !== undefined && SYSTEM_MESSAGE_MARK in turn.content;
  const parts =
    text === '' ? removeText(turn.parts) : replaceText(turn.parts, isMarked ? SYSTEM_TEXT_PREFIX + text : text);
  return parts.length === 0 ? undefined : replaceParts(turn, parts);
};

const replaceMessages = (contents: unknown, messages: readonly LLMMessage[]): unknown => {
  const turns = readTurns(contents);
  const create = (message: LLMMessage): ContentTurn => readContentTurn(createContent(message));
  return assembleContents(
    contents,
    turns,
    placeMessages(turns, messages, { replaceText: replaceTurnText, create, belongTogether: isCallWithResponse }),
  );
};

/** The API refuses any content between a function call and its response. */
const isCallWithResponse = (call: ContentTurn, response: ContentTurn): boolean =>
  call.parts.some((part) => isRecord(part) && isRecord(part.functionCall)) &&
  response.parts.some((part) => isRecord(part) && isRecord(part.functionResponse));

const assembleContents = (
  contents: unknown,
  turns: readonly ContentTurn[],
  placed: readonly ContentTurn[],
): unknown => {
  const [only] = placed;
  if (only !== undefined && placed.length === 1) {
    const isList = Array.isArray(contents);
    if (only.content === undefined) return isList || only.parts.length !== 1 ? only.parts : only.parts[0];
    if (!isList && turns[0]?.content !== undefined) return only.content;
  }
  return placed.flatMap((turn) => (turn.content === undefined ? wrapParts(turn.parts) : [turn.content]));
};

/** Wraps bare parts in a content, because the SDK refuses a list of parts and contents. */
const wrapParts = (parts: readonly unknown[]): readonly unknown[] => {
  const readable = parts.flatMap((part) =>
    typeof part === 'string' ? [{ text: part }] : isRecord(part) ? [part] : [],
  );
  return readable.length === 0 ? parts : [{ role: 'user', parts: readable }];
};

type GenerationSettings = NonNullable<LLMRequest['config']>;

const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/**
 * Settings of `config` that hooks see, with a check of each value. Nested options are left out, because their shape
 * changes between releases of the SDK.
 */
const settingChecks: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ['temperature', isFiniteNumber],
  ['maxOutputTokens', isFiniteNumber],
  ['topP', isFiniteNumber],
  ['topK', isFiniteNumber],
  ['candidateCount', isFiniteNumber],
  ['seed', isFiniteNumber],
  ['presencePenalty', isFiniteNumber],
  ['frequencyPenalty', isFiniteNumber],
  ['logprobs', isFiniteNumber],
  ['stopSequences', isStringList],
  ['responseModalities', isStringList],
  ['responseLogprobs', isBoolean],
  ['audioTimestamp', isBoolean],
  ['responseMimeType', isString],
  ['mediaResolution', isString],
]);

export const settingsShownToHooks: readonly string[] = [...settingChecks.keys()];

/**
 * Keys of `config` that no hook may set. A hook's answer may come over HTTP, so it must not weaken safety, give the
 * model other tools or send the caller's key to another host.
 */
export const settingsHooksMayNotSet: ReadonlySet<string> = new Set([
  'systemInstruction',
  'safetySettings',
  'modelArmorConfig',
  'tools',
  'toolConfig',
  'automaticFunctionCalling',
  'cachedContent',
  'httpOptions',
  'abortSignal',
  'routingConfig',
  'modelSelectionConfig',
  'generationOutputConfig',
  'store',
  'automaticContinuation',
  'continuationToken',
]);

const isReadableSetting = (key: string, value: unknown): boolean => settingChecks.get(key)?.(value) ?? true;

const readSettings = (config: unknown): GenerationSettings => {
  const read: GenerationSettings = {};
  if (!isRecord(config)) return read;
  for (const [key, isWellFormed] of settingChecks) {
    const value = config[key];
    if (isWellFormed(value)) read[key] = Array.isArray(value) ? [...value] : value;
  }
  return read;
};

const readHookSettings = (config: unknown): GenerationSettings => {
  const read: GenerationSettings = {};
  if (!isRecord(config)) return read;
  for (const [key, value] of Object.entries(config)) {
    if (mayHooksSet(key) && value != null && isReadableSetting(key, value)) read[key] = value;
  }
  return read;
};

const mayHooksSet = (key: string): boolean => !settingsHooksMayNotSet.has(key) && !isPrototypeKey(key);

/**
 * Returns `config` itself if nothing differs. Removes a setting that the hook left out or set to `null`, and ignores
 * values of the wrong type.
 */
const applySettings = (config: unknown, shown: GenerationSettings, wanted: unknown): unknown => {
  if (!isRecord(wanted)) return config;
  const before: Record<string, unknown> = isRecord(config) ? config : {};
  const removed = new Set<string>();
  const changed: GenerationSettings = {};
  for (const key of Object.keys(shown)) if (wanted[key] === undefined) removed.add(key);
  for (const [key, value] of Object.entries(wanted)) {
    if (!mayHooksSet(key) || value === undefined) continue;
    if (value === null) {
      if (before[key] != null) removed.add(key);
    } else if (isReadableSetting(key, value) && !isSameJson(value, shown[key] ?? before[key])) changed[key] = value;
  }
  if (removed.size === 0 && Object.keys(changed).length === 0) return config;
  const kept = Object.entries(before).filter(([key]) => !removed.has(key));
  return { ...Object.fromEntries(kept), ...changed };
};

export const genaiRequestTranslation: RequestTranslation<TextRequest> = createTranslationFromForm<TextRequest>({
  translator: 'genai-v1',
  expected: '`contents` (the SDK) or `messages` (the stable form)',
  isStable: isHookRequest,
  isOwn: isSdkRequest,
  messages: 'contents',
  conversation: { read: readMessages, write: replaceMessages },
  readSettings: ({ config }) => readSettings(config),
  readTools: (source) => readGenaiToolConfig(findToolConfig(source).toolConfig),
  changes: findRequestChanges,
  stable: {
    readSettings: (config) => {
      const read = readHookSettings(config);
      return hasKeys(read) ? read : undefined;
    },
    writeSettings: applySettings,
    readTools: readGenaiToolConfig,
  },
  create: (model) => ({ model, contents: [] }),
});
