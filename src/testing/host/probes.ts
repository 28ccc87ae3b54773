/** A sample tool and a sample model that record their calls during coverage tests. */
import type { AnyHookTranslator } from '../../models/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { ModelContext, ToolInput } from './driver.ts';
import type { Walk } from './walk.ts';

export interface ToolRun {
  readonly input: ToolInput;
  readonly begun: number;
  ended: number;
}

export interface ToolProbe {
  readonly runs: readonly ToolRun[];
  readonly run: (input: ToolInput) => Promise<ToolResult>;
}

export const createToolProbe = (walk: Walk, act: () => ToolResult | Promise<ToolResult>): ToolProbe => {
  const runs: ToolRun[] = [];
  return {
    runs,
    run: async (input) => {
      const run: ToolRun = { input, begun: walk.now(), ended: Number.POSITIVE_INFINITY };
      runs.push(run);
      try {
        return await act();
      } finally {
        run.ended = walk.now();
      }
    },
  };
};

export interface ObservedModelCall {
  readonly request: object;
  readonly begun: number;
  ended: number;
}

export interface ModelProbe {
  readonly models: ModelContext<object, object>;
  readonly calls: readonly ObservedModelCall[];
}

const answerPieces = ['coverage: the model ', 'has answered'];

export const MODEL_ANSWER = answerPieces.join('');

export const createModelProbe = (walk: Walk, translator: AnyHookTranslator): ModelProbe => {
  const calls: ObservedModelCall[] = [];
  const begin = (request: object): ObservedModelCall => {
    const call: ObservedModelCall = { request, begun: walk.now(), ended: Number.POSITIVE_INFINITY };
    calls.push(call);
    return call;
  };
  const response = (text: string, isLast: boolean): object =>
    translator.fromHookLLMResponse({
      text,
      candidates: [
        { content: { role: 'model', parts: [text] }, index: 0, ...(isLast ? { finishReason: 'STOP' } : {}) },
      ],
    });
  const models: ModelProbe['models'] = {
    model: async (request) => {
      const call = begin(request);
      await Promise.resolve();
      call.ended = walk.now();
      return response(MODEL_ANSWER, true);
    },
    stream: (request) => {
      const call = begin(request);
      return (async function* () {
        for (const [index, piece] of answerPieces.entries()) yield response(piece, index === answerPieces.length - 1);
        call.ended = walk.now();
      })();
    },
  };
  return { models, calls };
};

export const checkModelCalled = (walk: Walk, { calls }: ModelProbe): ObservedModelCall | undefined => {
  if (calls.length === 0) walk.addProblem('the model was not called; the agent has to call what the driver is given');
  return calls[0];
};
