import {
  executeToolWithHooks,
  fireAfterModelHook,
  fireAfterToolHook,
  fireBeforeAgentHook,
  fireBeforeToolHook,
  fireSessionEndHook,
  type PayloadOf,
} from '../../src/index.ts';
import type { GenerateContentParameters, GenerateContentResponse } from '../../src/models/genai-v1/sdk-types.ts';
import {
  type Args,
  type Call,
  type Model,
  type Run,
  SmallAgent,
  type StreamingModel,
  textOf,
  textResponse,
} from './small-agent.ts';

/** Its fast lane for calls at the same time was written before there were hooks after a tool. */
export class SkipsAfterToolInParallel extends SmallAgent {
  override callTools(calls: readonly Call[]): Promise<unknown[]> {
    return Promise.all(
      calls.map(async ({ name, input, run }) => {
        const before = await fireBeforeToolHook(this.config, name, input);
        const { blocked, reason } = before?.getBlockingError() ?? { blocked: false };
        return blocked ? reason : run(input);
      }),
    );
  }
}

export class RetriesBlockedCalls extends SmallAgent {
  override async callTool(name: string, input: Args, run: Run, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt += 1) {
      const { llmContent, error } = await executeToolWithHooks(this.config, name, input, run, { signal });
      if (error?.type !== 'hook_blocked' || attempt === 3) return llmContent;
    }
  }
}

export class GoesOnWhenStopped extends SmallAgent {
  override async turnWithTool({ name, input, run }: Call, model: Model, show: (text: unknown) => void) {
    const { llmContent, returnDisplay } = await executeToolWithHooks(this.config, name, input, run);
    show(returnDisplay);
    const contents = [{ role: 'user', parts: [{ text: String(llmContent) }] }];
    return textOf(await this.callModel({ model: 'small', contents }, model));
  }
}

export class IgnoresChangedInput extends SmallAgent {
  override async callTool(name: string, input: Args, run: Run, signal?: AbortSignal): Promise<unknown> {
    const { llmContent } = await executeToolWithHooks(this.config, name, input, () => run(input), { signal });
    return llmContent;
  }
}

export class ForgetsSessionEnd extends SmallAgent {
  override endSession(): Promise<unknown> {
    return Promise.resolve();
  }
}

export class CallsBlockedModel extends SmallAgent {
  override async callModel(request: GenerateContentParameters, model: Model): Promise<GenerateContentResponse> {
    const { sent, syntheticResponse } = await this.prepare(request);
    if (syntheticResponse !== undefined) return syntheticResponse;
    const { response } = await fireAfterModelHook(this.config, sent, await model(sent));
    return response;
  }
}

export class DiscardsAfterModel extends SmallAgent {
  override async callModel(request: GenerateContentParameters, model: Model): Promise<GenerateContentResponse> {
    const { sent, blocked, reason = '', syntheticResponse } = await this.prepare(request);
    if (syntheticResponse !== undefined) return syntheticResponse;
    if (blocked) return textResponse(reason);
    const response = await model(sent);
    await fireAfterModelHook(this.config, sent, response);
    return response;
  }
}

export class ThrowsWhenBlocked extends SmallAgent {
  override async callTool(name: string, input: Args, run: Run, signal?: AbortSignal): Promise<unknown> {
    const { llmContent, error } = await executeToolWithHooks(this.config, name, input, run, { signal });
    if (error?.type === 'hook_blocked') throw new Error(error.message);
    return llmContent;
  }
}

/** Asks, and does not wait for the answer. */
export class RunsWithoutWaiting extends SmallAgent {
  override async callTool(name: string, input: Args, run: Run): Promise<unknown> {
    const asked = fireBeforeToolHook(this.config, name, input);
    const result = await run(input);
    await asked;
    await fireAfterToolHook(this.config, name, input, result);
    return result;
  }
}

export class NeverEnds extends SmallAgent {
  override endSession(): Promise<unknown> {
    return new Promise(() => {});
  }
}

export class LeavesAtOnce extends SmallAgent {
  override endSession(reason: PayloadOf<'SessionEnd'>['reason']): Promise<unknown> {
    fireSessionEndHook(this.config, reason).catch(() => {});
    return Promise.resolve();
  }
}

export class FiresAfterModelForEveryPiece extends SmallAgent {
  override async streamModel(
    request: GenerateContentParameters,
    stream: StreamingModel,
  ): Promise<GenerateContentResponse> {
    const { sent, blocked, reason = '', syntheticResponse } = await this.prepare(request);
    if (syntheticResponse !== undefined) return syntheticResponse;
    if (blocked) return textResponse(reason);
    let text = '';
    for await (const chunk of stream(sent)) {
      text += textOf((await fireAfterModelHook(this.config, sent, chunk)).response);
    }
    return textResponse(text);
  }
}

export class OpensBlockedStream extends SmallAgent {
  override async streamModel(
    request: GenerateContentParameters,
    stream: StreamingModel,
  ): Promise<GenerateContentResponse> {
    const { sent, syntheticResponse } = await this.prepare(request);
    const first = await stream(sent)[Symbol.asyncIterator]().next();
    return syntheticResponse ?? (first.done === true ? textResponse('') : first.value);
  }
}

export class AnswersOnce extends SmallAgent {
  override async work(prompt: string, model: Model): Promise<string> {
    await fireBeforeAgentHook(this.config, prompt);
    const contents = [{ role: 'user', parts: [{ text: prompt }] }];
    return textOf(await this.callModel({ model: 'small', contents }, model));
  }
}
