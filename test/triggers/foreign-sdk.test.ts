import { describe, expect, test } from 'vitest';
import {
  createHooks,
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  type HookDefinition,
  type HookToolConfig,
  type HookTranslator,
  type LLMRequest,
  type LLMResponse,
} from '../../src/index.ts';
import { configWith, hook, listening, recording } from './support.ts';

/** The SDK of another provider: a chat of messages, choices, and a tool choice of its own making. */
interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  tool_call_id?: string;
}
interface ToolChoice {
  type: 'auto' | 'required' | 'none';
  allowed?: string[];
}
interface ChatRequest {
  engine: string;
  chat: ChatMessage[];
  heat?: number;
  tools?: { name: string }[];
  tool_choice?: ToolChoice;
}
interface ChatResponse {
  id: string;
  choices: { message: ChatMessage; finish: 'stop' | 'length' }[];
}

const modes = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const;
const choices = { AUTO: 'auto', ANY: 'required', NONE: 'none' } as const;

/** Translates it, tool messages staying where they are. */
class ChatTranslator implements HookTranslator<ChatRequest, ChatResponse, ToolChoice> {
  toHookLLMRequest(request: ChatRequest | LLMRequest): LLMRequest {
    if ('messages' in request) return request;
    const { engine, chat, heat, tool_choice } = request;
    return {
      model: engine,
      messages: chat
        .filter(({ role }) => role !== 'tool')
        .map(({ role, content }) => ({
          role: role === 'assistant' ? 'model' : role === 'tool' ? 'user' : role,
          content,
        })),
      ...(heat === undefined ? {} : { config: { temperature: heat } }),
      ...(tool_choice === undefined ? {} : { toolConfig: this.toHookToolConfig(tool_choice) }),
    };
  }

  fromHookLLMRequest(hookRequest: LLMRequest): ChatRequest;
  fromHookLLMRequest<R extends ChatRequest | LLMRequest>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends ChatRequest | LLMRequest>(hookRequest: LLMRequest, base: R | undefined): R | ChatRequest;
  fromHookLLMRequest({ model, messages, config }: LLMRequest, base?: ChatRequest): ChatRequest {
    const said = messages.map(
      ({ role, content }): ChatMessage => ({ role: role === 'model' ? 'assistant' : role, content }),
    );
    const tools = (base?.chat ?? []).filter(({ role }) => role === 'tool');
    const heat = config?.temperature;
    return { ...base, engine: model, chat: [...said, ...tools], ...(heat === undefined ? {} : { heat }) };
  }

  toHookLLMResponse(response: ChatResponse | LLMResponse): LLMResponse {
    if ('candidates' in response) return response;
    return {
      candidates: response.choices.map(({ message }) => ({ content: { role: 'model', parts: [message.content] } })),
    };
  }

  fromHookLLMResponse(hookResponse: LLMResponse): ChatResponse;
  fromHookLLMResponse<R extends ChatResponse | LLMResponse>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends ChatResponse | LLMResponse>(
    hookResponse: LLMResponse,
    base: R | undefined,
  ): R | ChatResponse;
  fromHookLLMResponse({ candidates }: LLMResponse, base?: ChatResponse): ChatResponse {
    return {
      id: base?.id ?? 'made-by-a-hook',
      choices: candidates.map(({ content }) => ({
        message: { role: 'assistant', content: content.parts.join('') },
        finish: 'stop',
      })),
    };
  }

  toHookToolConfig(choice: ToolChoice | HookToolConfig): HookToolConfig;
  toHookToolConfig(choice: ToolChoice | HookToolConfig | undefined): HookToolConfig | undefined;
  toHookToolConfig(choice?: ToolChoice | HookToolConfig): HookToolConfig | undefined {
    if (choice === undefined || !('type' in choice)) return choice;
    return {
      mode: modes[choice.type],
      ...(choice.allowed === undefined ? {} : { allowedFunctionNames: choice.allowed }),
    };
  }

  fromHookToolConfig(config: HookToolConfig): ToolChoice;
  fromHookToolConfig<T extends ToolChoice | HookToolConfig>(config: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends ToolChoice | HookToolConfig>(
    config: HookToolConfig,
    base: T | undefined,
  ): T | ToolChoice;
  fromHookToolConfig({ mode = 'AUTO', allowedFunctionNames: allowed }: HookToolConfig): ToolChoice {
    return { type: choices[mode], ...(allowed === undefined ? {} : { allowed }) };
  }
}

const request: ChatRequest = {
  engine: 'chat-9',
  chat: [
    { role: 'user', content: 'Which key?' },
    { role: 'assistant', content: 'I look.' },
    { role: 'tool', content: 'sk-123', tool_call_id: 't1' },
  ],
  tools: [{ name: 'read' }, { name: 'write' }],
  tool_choice: { type: 'required', allowed: ['read', 'write'] },
};
const response: ChatResponse = {
  id: 'r1',
  choices: [{ message: { role: 'assistant', content: 'sk-123' }, finish: 'stop' }],
};

const translator = new ChatTranslator();
const configFor = (eventName: string, ...definitions: HookDefinition[]) =>
  configWith({ [eventName]: definitions }, { deps: { translator } });

describe('with a translator for another SDK', () => {
  test('hooks see the same stable request', async () => {
    const { seen, definition } = recording();
    await fireBeforeModelHook(configFor('BeforeModel', definition), request);
    expect(seen).toMatchObject([
      {
        llm_request: {
          model: 'chat-9',
          messages: [
            { role: 'user', content: 'Which key?' },
            { role: 'model', content: 'I look.' },
          ],
          toolConfig: { mode: 'ANY', allowedFunctionNames: ['read', 'write'] },
        },
      },
    ]);
  });

  test('a changed request and its system message come back in the form of that SDK', async () => {
    const config = configFor(
      'BeforeModel',
      hook({ systemMessage: 'Be brief.', hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }),
    );
    const { modifiedRequest } = await fireBeforeModelHook(config, request);
    const typed: ChatRequest | undefined = modifiedRequest;
    expect(typed).toEqual({
      ...request,
      heat: 0,
      chat: [request.chat[0], request.chat[1], { role: 'system', content: 'Be brief.' }, request.chat[2]],
    });
  });

  test('an answer in the place of the model is one of that SDK', async () => {
    const answer = { candidates: [{ content: { role: 'model', parts: ['42'] } }] };
    const config = configFor('BeforeModel', hook({ decision: 'deny', hookSpecificOutput: { llm_response: answer } }));
    const { syntheticResponse } = await fireBeforeModelHook<ChatRequest, ChatResponse>(config, request);
    expect(syntheticResponse).toEqual({
      id: 'made-by-a-hook',
      choices: [{ message: { role: 'assistant', content: '42' }, finish: 'stop' }],
    });
  });

  test('a changed response keeps what only that SDK has', async () => {
    const answer = { candidates: [{ content: { role: 'model', parts: ['[redacted]'] } }] };
    const result = await fireAfterModelHook(
      configFor('AfterModel', hook({ hookSpecificOutput: { llm_response: answer } })),
      request,
      response,
    );
    const typed: ChatResponse = result.response;
    expect(typed).toEqual({
      id: 'r1',
      choices: [{ message: { role: 'assistant', content: '[redacted]' }, finish: 'stop' }],
    });
  });

  test('a choice of tools starts from the one of the request, wherever that SDK keeps it', async () => {
    const config = configFor(
      'BeforeToolSelection',
      hook({ hookSpecificOutput: { toolConfig: { allowedFunctionNames: ['read'] } } }),
    );
    const { toolConfig, tools } = await fireBeforeToolSelectionHook(config, request);
    expect(toolConfig).toEqual({ type: 'required', allowed: ['read'] });
    expect(tools).toBe(request.tools);
  });

  test('the facade speaks it too', async () => {
    const hooks = await createHooks({
      hooks: { BeforeModel: [hook({ hookSpecificOutput: { llm_request: { model: 'chat-mini' } } })] },
      deps: { translator },
    });
    const before = await hooks.beforeModel({ request });
    const typed: ChatRequest = before.request;
    expect(typed).toEqual({ ...request, engine: 'chat-mini' });
  });
});

describe('a translator that fails', () => {
  class Broken extends ChatTranslator {
    override fromHookLLMRequest(): never {
      throw new Error('no such chat');
    }
    override fromHookLLMResponse(): never {
      throw new Error('no such choice');
    }
    override fromHookToolConfig(): never {
      throw new Error('no such tool choice');
    }
  }

  const brokenConfig = (eventName: string, definition: HookDefinition) => {
    const { warnings, logger } = listening();
    return {
      warnings,
      config: configWith({ [eventName]: [definition] }, { deps: { translator: new Broken(), logger } }),
    };
  };
  const changes = { llm_request: { model: 'x' }, llm_response: { text: '42' }, toolConfig: { mode: 'NONE' as const } };

  test('leaves the request as it was', async () => {
    const { config, warnings } = brokenConfig('BeforeModel', hook({ hookSpecificOutput: changes }));
    const { blocked, modifiedRequest, syntheticResponse } = await fireBeforeModelHook(config, request);
    expect({ blocked, syntheticResponse }).toEqual({ blocked: false, syntheticResponse: undefined });
    expect(modifiedRequest).toBe(request);
    expect(warnings).toEqual([expect.stringContaining('no such choice'), expect.stringContaining('no such chat')]);
  });

  test('does not lift a block', async () => {
    const { config } = brokenConfig(
      'BeforeModel',
      hook({ decision: 'deny', reason: 'no', hookSpecificOutput: changes }),
    );
    expect(await fireBeforeModelHook(config, request)).toEqual({ blocked: true, reason: 'no' });
  });

  test('keeps system messages for a request that can be made', async () => {
    const { config } = brokenConfig('BeforeModel', hook({ systemMessage: 'Be brief.' }));
    expect((await fireBeforeModelHook(config, request)).modifiedRequest).toBe(request);
    const stable = { model: 'm', messages: [] };
    expect((await fireBeforeModelHook(config, stable)).modifiedRequest).toBe(stable);
  });

  test('leaves the response as it was, and keeps the verdict on it', async () => {
    const { config } = brokenConfig(
      'AfterModel',
      hook({ decision: 'deny', reason: 'no', hookSpecificOutput: changes }),
    );
    expect(await fireAfterModelHook(config, request, response)).toEqual({ response, blocked: true, reason: 'no' });
  });

  test('leaves the tools as they were', async () => {
    const { config, warnings } = brokenConfig('BeforeToolSelection', hook({ hookSpecificOutput: changes }));
    expect(await fireBeforeToolSelectionHook(config, request)).toEqual({ tools: request.tools });
    expect(warnings).toEqual([expect.stringContaining('no such tool choice')]);
  });

  test('is a fault to the facade', async () => {
    const hooks = await createHooks({
      hooks: { BeforeModel: [hook({ hookSpecificOutput: { llm_request: { model: 'x' } } })] },
      deps: { translator: new Broken() },
    });
    const before = await hooks.beforeModel({ request });
    expect(before.request).toBe(request);
    expect(before.faults).toEqual([{ code: 'internal_error', message: expect.stringContaining('no such chat') }]);
  });

  test('on the way to the hooks fires none, and says so', async () => {
    class Mute extends ChatTranslator {
      override toHookLLMRequest(): never {
        throw new Error('cannot be read');
      }
    }
    const { warnings, logger } = listening();
    const { seen, definition } = recording();
    const config = configWith({ BeforeModel: [definition] }, { deps: { translator: new Mute(), logger } });
    expect(await fireBeforeModelHook(config, request)).toEqual({ blocked: false });
    expect(seen).toEqual([]);
    expect(warnings.join('\n')).toContain('cannot be read');
  });
});
