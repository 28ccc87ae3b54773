// The records of the events of sub-agents.
import * as z from 'zod/mini';
import { createEventRecord } from './event-record.ts';
import { AfterAgentHookOutput, DefaultHookOutput } from './outputs.ts';
import {
  createAgentTypeField,
  createStopCountField,
  createStopHookActiveField,
  createTextSubject,
  withDescription,
} from './payload-fields.ts';

export const subagentRecords = {
  SubagentStart: createEventRecord({
    when: 'before another agent starts on a part of the work',
    denied: 'it is not started',
    sample: { agent_type: 'example-agent' },
    payload: () =>
      z.object({
        agent_type: createAgentTypeField(),
        prompt: withDescription(z.optional(z.string()), 'the task of the other agent', 'Find all callers.'),
      }),
    fromArgs: (agent: string | { agent_type: string; prompt?: string | undefined }, prompt?: string) =>
      typeof agent === 'string' ? { agent_type: agent, ...(prompt === undefined ? {} : { prompt }) } : agent,
    toFields: (payload) => payload,
    subject: createTextSubject('agent_type'),
    merge: 'keep-everything',
    holdsUp: true,
    supports: ['additionalContext'],
    output: DefaultHookOutput,
  }),
  SubagentStop: createEventRecord({
    when: 'when such an agent has finished',
    denied: 'it goes on working, with the reason as its instruction',
    sample: { agent_type: 'example-agent', response: '' },
    payload: () =>
      z.object({
        agent_type: createAgentTypeField(),
        response: withDescription(z.optional(z.string()), 'the answer of the other agent', 'There are three callers.'),
        stop_hook_active: createStopHookActiveField(),
        stop_count: createStopCountField(),
      }),
    fromArgs: (
      agent:
        | string
        | {
            agent_type: string;
            response?: string | undefined;
            stop_hook_active?: boolean | undefined;
            stop_count?: number | undefined;
          },
      response?: string,
      stop_hook_active: boolean = false,
    ) =>
      typeof agent === 'string'
        ? { agent_type: agent, ...(response === undefined ? {} : { response }), stop_hook_active }
        : agent,
    toFields: (payload) => ({ ...payload, stop_hook_active: payload.stop_hook_active ?? false }),
    subject: createTextSubject('agent_type'),
    merge: 'keep-result',
    endsTurn: true,
    holdsUp: true,
    supports: ['clearContext', 'updatedOutput'],
    output: AfterAgentHookOutput,
  }),
};
