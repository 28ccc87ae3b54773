import { createHookOutput, type HookEventName, type OutputOf } from '../events/index.ts';
import { once } from '../kit/index.ts';
import type { AnyHookTranslator, TranslatableRequest, TranslatableResponse } from '../models/index.ts';
import type { LLMRequest, LLMResponse } from '../protocol/index.ts';
import type { Host } from '../triggers/index.ts';
import { expectObject } from './arguments.ts';

/** A call of the model. */
export interface ModelCall {
  readonly request: TranslatableRequest;
  /** Of the SDK of this request, where it is not the engine's. */
  readonly translator?: AnyHookTranslator | undefined;
}

export interface AnsweredModelCall extends ModelCall {
  readonly response: TranslatableResponse;
}

export const checkModelRequest = (method: string, { request }: ModelCall): void =>
  expectObject(method, 'request', 'the model request', request);

export const checkModelAnswer = (call: AnsweredModelCall): void => {
  expectObject('afterModel', 'response', 'the complete model response', call.response);
  checkModelRequest('afterModel', call);
};

/** A request that no hook is asked about is not translated. */
export const modelRequest = ({ request, translator }: ModelCall) => {
  if (translator === undefined) return { llm_request: request };
  const shown = once(() => translator.toHookLLMRequest(request));
  return {
    get llm_request(): LLMRequest {
      return shown();
    },
  };
};

export const modelAnswer = (call: AnsweredModelCall) => {
  const { response, translator } = call;
  const asked = modelRequest(call);
  if (translator === undefined) return { ...asked, llm_response: response };
  const shown = once(() => translator.toHookLLMResponse(response));
  return {
    get llm_request() {
      return asked.llm_request;
    },
    get llm_response(): LLMResponse {
      return shown();
    },
  };
};

interface Said<E extends HookEventName> {
  readonly host: Host;
  readonly output: OutputOf<E> | undefined;
}

/** What hooks said, to be put into the form of the SDK that the call is of. */
export const inItsForm = <E extends HookEventName>(
  event: E,
  { translator }: ModelCall,
  { host, output }: Said<E>,
): Said<E> => {
  if (translator === undefined) return { host, output };
  return {
    host: { ...host, translator },
    output: output === undefined ? undefined : createHookOutput(event, output, translator),
  };
};
