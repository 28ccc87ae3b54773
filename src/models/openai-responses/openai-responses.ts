import { isRecord } from '../../kit/index.ts';
import { isFiniteNumber } from '../json-tools.ts';
import { SdkTranslator } from '../sdk/sdk-translator.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { ResponsesEvent, ResponsesRequest, ResponsesResponse, ResponsesTools } from './responses-types.ts';

type Members = Readonly<Record<string, unknown>>;

const isResponse = (value: unknown): value is ResponsesResponse => isRecord(value) && Array.isArray(value.output);

/** The last event has the response in full; of a stream that was cut, what was done until then. */
const joinEvents = (events: Iterable<ResponsesEvent>): ResponsesResponse => {
  let begun: ResponsesResponse = { output: [] };
  const done: unknown[] = [];
  for (const event of events) {
    const { type, response, item, output_index: index }: Members = { ...event };
    if (isResponse(response)) begun = response;
    if (type === 'response.output_item.done') done[isFiniteNumber(index) ? index : done.length] = item;
    if (/^response\.(completed|incomplete|failed)$/.test(event.type) && isResponse(response)) return response;
  }
  return { ...begun, output: done.filter(isRecord) };
};

/** Translates the Responses API of `openai`. `instructions` are the application's and not shown to hooks. */
export const openaiResponsesTranslator: SdkTranslator<
  ResponsesRequest,
  ResponsesResponse,
  ResponsesTools,
  ResponsesEvent
> = new SdkTranslator({ name: 'openai-responses', request, response, noTools: {}, join: joinEvents });
