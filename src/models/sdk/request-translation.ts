/** Translates requests of an SDK that is described by `RequestFacts`. */
import { isRecord, type Members } from '../../kit/index.ts';
import { isSameJson } from '../json-values.ts';
import { createTranslationFromForm, type RequestTranslation, readHookToolConfig } from '../request-form.ts';
import { createConversationTranslation, type EntryFacts } from './conversation-entries.ts';
import { findSettingChanges, readSettings, type SettingFact } from './setting-facts.ts';
import { findToolChoiceChanges, readToolChoice, type ToolChoiceFacts } from './tool-choice.ts';

export interface RequestFacts<Request extends object> {
  readonly expected: string;
  readonly isOwn: (request: Members) => boolean;
  readonly model?: string;
  readonly messages: string;
  readonly entries: EntryFacts;
  readonly settings: readonly SettingFact[];
  readonly tools: ToolChoiceFacts;
  readonly create: (model: string) => Request;
}

const hookRequestMembers: ReadonlySet<string> = new Set(['model', 'messages', 'config', 'toolConfig']);

/**
 * Some SDKs also use `messages`. The members `config` and `toolConfig` and the role `model` exist only in the hooks'
 * format.
 */
const isHookRequest = (request: Members): boolean =>
  Array.isArray(request.messages) &&
  (isRecord(request.config) ||
    isRecord(request.toolConfig) ||
    request.messages.some((message) => isRecord(message) && message.role === 'model'));

const isPlainHookRequest = (request: Members): boolean =>
  Array.isArray(request.messages) &&
  request.messages.every((message) => isRecord(message) && typeof message.content === 'string') &&
  Object.keys(request).every((key) => hookRequestMembers.has(key));

export const createRequestTranslation = <Request extends object>(
  translator: string,
  facts: RequestFacts<Request>,
): RequestTranslation<Request> => {
  const { expected, isOwn, model, messages, settings, tools, create } = facts;
  return createTranslationFromForm({
    translator,
    expected,
    isStable: (source) => isHookRequest(source) || (!isOwn(source) && isPlainHookRequest(source)),
    isOwn,
    model,
    messages,
    conversation: createConversationTranslation(facts.entries),
    readSettings: (source) => readSettings(source, settings),
    readTools: (source) => readToolChoice(source, tools),
    changes: (source, _shown, wanted) => ({
      ...findSettingChanges(source, settings, wanted.config),
      ...findToolChoiceChanges(source, tools, wanted.toolConfig),
    }),
    stable: {
      readSettings: (config) => (isRecord(config) ? config : undefined),
      writeSettings: (config, _shown, wanted) => (isRecord(wanted) && !isSameJson(wanted, config) ? wanted : config),
      readTools: readHookToolConfig,
    },
    create,
  });
};
