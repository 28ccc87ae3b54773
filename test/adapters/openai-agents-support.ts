import type { Model, ModelRequest, ModelResponse, StreamEvent } from '@openai/agents';
import { Runner, Usage } from '@openai/agents';

/** What a stream may end with. */
export type Item = Extract<StreamEvent, { type: 'response_done' }>['response']['output'][number];

export const message = (text: string): Item => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});
export const call = (name: string, args: object, callId = 'call_1'): Item => ({
  type: 'function_call',
  callId,
  name,
  status: 'completed',
  arguments: JSON.stringify(args),
});

/** Gives these answers one after the other, at once or in pieces, and remembers what it was sent. */
export class StubModel implements Model {
  readonly asked: ModelRequest[] = [];
  readonly #answers: Item[][];

  constructor(...answers: Item[][]) {
    this.#answers = answers;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const { signal: _signal, ...rest } = request;
    this.asked.push(structuredClone(rest));
    const output = this.#answers.shift();
    if (output === undefined) throw new Error('the model was asked once too often');
    return { output, usage: new Usage({ inputTokens: 2, outputTokens: 3, totalTokens: 5 }) };
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const output = this.#answers[0] ?? [];
    await this.getResponse(request);
    yield { type: 'output_text_delta', delta: 'The key is ' };
    yield { type: 'output_text_delta', delta: 'sk-1.' };
    const usage = { inputTokens: 2, outputTokens: 3, totalTokens: 5 };
    yield { type: 'response_done', response: { id: 'r', usage, output } };
  }
}

export const runner = new Runner({ tracingDisabled: true });
