import {
  type Config,
  executeToolWithHooks,
  fireAfterAgentHook,
  fireAfterModelHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  fireBeforeToolHook,
  fireBeforeToolSelectionHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
  fireSubagentStartHook,
  fireSubagentStopHook,
  type PayloadOf,
  type ToolResult,
} from '../../src/index.ts';
import type { GenerateContentParameters, GenerateContentResponse } from '../../src/models/genai-v1/sdk-types.ts';
import type { HostDriver } from '../../src/testing/index.ts';

export type Args = Record<string, unknown>;
export type Run = (input: Args) => Promise<ToolResult>;
export type Model = (request: GenerateContentParameters) => Promise<GenerateContentResponse>;
export type StreamingModel = (request: GenerateContentParameters) => AsyncIterable<GenerateContentResponse>;

export interface Call {
  readonly name: string;
  readonly input: Args;
  readonly run: Run;
}

export const textResponse = (text: string): GenerateContentResponse => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
});

export const textOf = ({ candidates }: GenerateContentResponse): string =>
  candidates?.[0]?.content?.parts?.map(({ text }) => text ?? '').join('') ?? '';

/** An agent that does what it must. The broken ones of the tests differ from it in one method each. */
export class SmallAgent {
  readonly config: Config;
  readonly #history: string[] = [];

  constructor(config: Config) {
    this.config = config;
  }

  /** Resolves to what the model is given. */
  async callTool(name: string, input: Args, run: Run, signal?: AbortSignal): Promise<unknown> {
    const { llmContent } = await executeToolWithHooks(this.config, name, input, run, { signal });
    return llmContent;
  }

  callTools(calls: readonly Call[]): Promise<unknown[]> {
    return Promise.all(calls.map(({ name, input, run }) => this.callTool(name, input, run)));
  }

  /** Goes on after a tool call, unless a hook ended its work. */
  async turnWithTool(call: Call, model: Model, show: (text: unknown) => void): Promise<string> {
    const { name, input, run } = call;
    const result = await executeToolWithHooks(this.config, name, input, run);
    if (!result.suppressDisplay) show(result.returnDisplay);
    if (result.stopped !== undefined) return result.stopped.reason;
    const contents = [{ role: 'user', parts: [{ text: String(result.llmContent) }] }];
    return textOf(await this.callModel({ model: 'small', contents }, model));
  }

  protected async prepare(request: GenerateContentParameters) {
    const { toolConfig } = await fireBeforeToolSelectionHook(this.config, request);
    const selected = toolConfig === undefined ? {} : { toolConfig };
    const asked = { ...request, config: { ...request.config, ...selected } };
    const before = await fireBeforeModelHook(this.config, asked);
    return { ...before, sent: before.modifiedRequest ?? asked };
  }

  async callModel(request: GenerateContentParameters, model: Model): Promise<GenerateContentResponse> {
    const { sent, blocked, reason = '', syntheticResponse } = await this.prepare(request);
    if (syntheticResponse !== undefined) return syntheticResponse;
    if (blocked) return textResponse(reason);
    const { response } = await fireAfterModelHook(this.config, sent, await model(sent));
    return response;
  }

  async streamModel(request: GenerateContentParameters, stream: StreamingModel): Promise<GenerateContentResponse> {
    const { sent, blocked, reason = '', syntheticResponse } = await this.prepare(request);
    if (syntheticResponse !== undefined) return syntheticResponse;
    if (blocked) return textResponse(reason);
    let text = '';
    for await (const chunk of stream(sent)) text += textOf(chunk);
    const { response } = await fireAfterModelHook(this.config, sent, textResponse(text));
    return response;
  }

  async work(prompt: string, model: Model): Promise<string> {
    const before = await fireBeforeAgentHook(this.config, prompt);
    if (before.blocked) return before.reason ?? '';
    let next = before.prompt;
    for (let isBack = false; ; isBack = true) {
      this.#history.push(next);
      const contents = this.#history.map((text) => ({ role: 'user', parts: [{ text }] }));
      const answer = textOf(await this.callModel({ model: 'small', contents }, model));
      const after = await fireAfterAgentHook(this.config, next, answer, isBack);
      if (!after.retry) return answer;
      next = after.reason ?? '';
    }
  }

  async callShell(name: string, input: Args, run: Run): Promise<unknown> {
    return (await executeToolWithHooks(this.config, name, input, run)).llmContent;
  }

  async startAgent(agentType: string, run: Run): Promise<void> {
    const { blocked } = await fireSubagentStartHook(this.config, { agentType });
    if (blocked) return;
    const { llmContent } = await run({});
    await fireSubagentStopHook(this.config, { agentType, response: String(llmContent) });
  }

  startSession(source: PayloadOf<'SessionStart'>['source']): Promise<unknown> {
    return fireSessionStartHook(this.config, source);
  }

  endSession(reason: PayloadOf<'SessionEnd'>['reason']): Promise<unknown> {
    return fireSessionEndHook(this.config, reason);
  }

  async compress(trigger: PayloadOf<'PreCompress'>['trigger']): Promise<void> {
    await firePreCompressHook(this.config, trigger);
    this.#history.length = 0;
  }

  notify(type: string, message: string): Promise<unknown> {
    return fireNotificationHook(this.config, type, message);
  }
}

/** All that plugging in an agent takes. */
export const driverOf = (agent: SmallAgent): HostDriver => ({
  config: agent.config,
  callTool: (name, input, { run, signal }) => agent.callTool(name, input, run, signal),
  callOwnTool: (name, input, { run }) => agent.callShell(name, input, run),
  callElsewhere: async (name, input, { run }) => {
    const result = await fireBeforeToolHook(agent.config, name, input);
    if (result?.isBlockingDecision() === true) return result.getEffectiveReason();
    return run(input);
  },
  startAgent: (agentType, { run }) => agent.startAgent(agentType, run),
  parallelTools: (calls) => agent.callTools(calls),
  toolTurn: (name, input, { run, model, show }) => agent.turnWithTool({ name, input, run }, model, show),
  callModel: (request, { model }) => agent.callModel(request, model),
  streamModel: (request, { stream }) => agent.streamModel(request, stream),
  startSession: (source) => agent.startSession(source),
  endSession: (reason) => agent.endSession(reason),
  sendPrompt: (prompt, { model }) => agent.work(prompt, model),
  compress: (trigger) => agent.compress(trigger),
  notify: (type, message) => agent.notify(type, message),
});
