/** Translates requests and responses of `@openai/agents`. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { HookToolConfig } from '../../protocol/index.ts';
import { responsesRequestFacts, responsesResponseFacts } from './openai-responses.ts';
import { SdkTranslator } from './sdk-translator.ts';
import { createNumberSetting } from './setting-facts.ts';
import { createSingleChoiceWriter, findToolChoiceMode, toolChoiceModeNames } from './tool-choice.ts';

export interface AgentsTools {
  readonly tools?: readonly object[];
  readonly toolChoice?: string;
}

export interface AgentsRequest extends AgentsTools {
  readonly input: string | readonly object[];
  readonly model?: string;
}

export interface AgentsResponse {
  readonly output: readonly object[];
  readonly usage: object;
}

export interface AgentsEvent {
  readonly type: string;
}

const requestFacts = {
  ...responsesRequestFacts,
  expected: '`input`',
  isOwn: ({ input }: Members) => typeof input === 'string' || Array.isArray(input),
  entries: {
    ...responsesRequestFacts.entries,
    create: ({ role, content }: { role: string; content: string }) =>
      role === 'model'
        ? { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: content }] }
        : { type: 'message', role, content },
    belongTogether: (one: Members, other: Members) =>
      one.type === 'reasoning' || /_(result|output)$/.test(String(other.type)),
    ofText: (content: string) => ({ type: 'message', role: 'user', content }),
  },
  settings: [
    createNumberSetting('temperature', 'temperature'),
    createNumberSetting('maxOutputTokens', 'maxTokens'),
    createNumberSetting('topP', 'topP'),
    createNumberSetting('presencePenalty', 'presencePenalty'),
    createNumberSetting('frequencyPenalty', 'frequencyPenalty'),
  ],
  tools: {
    key: 'toolChoice',
    read: (choice: unknown): HookToolConfig => {
      if (typeof choice !== 'string' || choice === '') return {};
      const mode = findToolChoiceMode(choice);
      return mode === undefined ? { mode: 'ANY', allowedFunctionNames: [choice] } : { mode };
    },
    create: createSingleChoiceWriter(
      (name) => name,
      (mode) => toolChoiceModeNames[mode],
    ),
    nameOf: ({ name }: Members) => name,
  },
  create: (): AgentsRequest => ({ input: [] }),
};

const responseFacts = {
  ...responsesResponseFacts,
  isOwn: ({ output }: Members) => Array.isArray(output),
  finishOf: () => 'completed',
  withFinish: (candidate: Members) => candidate,
  usage: {
    promptTokenCount: ['inputTokens'],
    candidatesTokenCount: ['outputTokens'],
    totalTokenCount: ['totalTokens'],
  },
  create: (): AgentsResponse => ({ output: [], usage: {} }),
};

const joinEvents = (events: Iterable<AgentsEvent>): AgentsResponse => {
  let whole: AgentsResponse = { output: [], usage: {} };
  for (const event of events) {
    const { type, response: done }: Members = { ...event };
    if (type !== 'response_done' || !isRecord(done)) continue;
    const { id, output, usage } = done;
    const joined = { output: Array.isArray(output) ? output : [], usage: isRecord(usage) ? usage : {} };
    whole = typeof id === 'string' ? Object.assign(joined, { responseId: id }) : joined;
  }
  return whole;
};

/** Translator for one model. Requests of the SDK do not name their model, so hooks would not see it otherwise. */
export const openaiAgentsTranslatorOf = (
  model: string,
): SdkTranslator<AgentsRequest, AgentsResponse, AgentsTools, AgentsEvent> =>
  new SdkTranslator({
    name: 'openai-agents',
    request: { ...requestFacts, model },
    response: responseFacts,
    noTools: {},
    join: joinEvents,
  });
