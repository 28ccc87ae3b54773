import type { Attributes } from '@opentelemetry/api';
import { createHookOutput, isHookEventName } from '../../events/index.ts';
import { isRecord, shorten, textOf } from '../../kit/index.ts';
import {
  type AnswerMessage,
  eventIn,
  type HookRow,
  MessageBusType,
  type RequestMessage,
} from '../../protocol/index.ts';
import { decisionOf, type EventVerdict, noOpinion } from '../../triggers/index.ts';

/** Spans are for looking at; what is longer is in a recording. */
const MAX_CONTENT = 4_096;

const content = (value: unknown): string =>
  shorten(typeof value === 'string' ? value : JSON.stringify(value), MAX_CONTENT);

const fieldsOf = (request: RequestMessage): Readonly<Record<string, unknown>> => {
  const fields =
    request.type === MessageBusType.HOOK_EXECUTION_REQUEST ? (request.payload ?? request.input) : request.context;
  return isRecord(fields) ? fields : {};
};

const known = (attributes: Readonly<Record<string, string | number | boolean | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** What is known when a request comes. Names of the conventions for generative AI where there are some. */
export const requestAttributes = (request: RequestMessage, withContent: boolean): Attributes => {
  const fields = fieldsOf(request);
  return known({
    'hookwright.event': eventIn(request),
    'hookwright.request.id': request.correlationId,
    'gen_ai.tool.name': textOf(fields.tool_name),
    'gen_ai.tool.call.id': textOf(fields.tool_use_id),
    'gen_ai.request.model': isRecord(fields.llm_request) ? textOf(fields.llm_request.model) : undefined,
    'gen_ai.agent.name': textOf(fields.agent_type),
    'hookwright.ability': textOf(fields.ability_id),
    'hookwright.request.content': withContent ? content(fields) : undefined,
  });
};

export const decisionIn = (answer: AnswerMessage): EventVerdict => {
  if (answer.type === MessageBusType.ABILITY_EVENT_RESPONSE) {
    const { error } = answer.result;
    return error === undefined ? noOpinion : { verdict: 'deny', reason: error.message };
  }
  const { eventName, output } = answer;
  return output === undefined || !isHookEventName(eventName)
    ? noOpinion
    : decisionOf(createHookOutput(eventName, output));
};

export const answerAttributes = (answer: AnswerMessage, decision: EventVerdict, withContent: boolean): Attributes =>
  known({
    'hookwright.verdict': decision.verdict,
    'hookwright.reason': withContent && decision.reason !== undefined ? content(decision.reason) : undefined,
    'error.type': answer.error?.code,
  });

/** What a hook's span and its measurements have in common. */
export const hookAttributes = ({ eventName, name, source, outcome, code }: HookRow): Attributes =>
  known({
    'hookwright.event': eventName,
    'hookwright.hook.name': name,
    'hookwright.hook.source': source.kind,
    'hookwright.hook.outcome': outcome,
    'error.type': code,
  });

export const hookDetails = (row: HookRow, withContent: boolean): Attributes =>
  known({
    'hookwright.hook.id': row.hookId,
    'hookwright.hook.warm': row.warm,
    'hookwright.hook.recheck': row.recheck,
    'process.exit.code': row.exitCode,
    'hookwright.hook.output': withContent && row.output !== undefined ? content(row.output) : undefined,
    'hookwright.hook.message': withContent ? row.message : undefined,
  });
