/** What the hooks of one event answered, with faults and messages. */
import type { HookwrightError } from '../errors.ts';
import type { HookEventName, OutputOf } from '../events/index.ts';
import type { DetailedResult } from '../handlers/index.ts';
import { type FaultCode, type HookExecutionResult, hookKey, shownName } from '../protocol/index.ts';
import { faultText } from '../runners/index.ts';
import { type EventVerdict, type SaidOf, saysSomething } from '../triggers/index.ts';

/** A hook that could not do its work, or the engine that could not do its own. */
export interface HookFault {
  readonly hook?: string;
  readonly code: FaultCode | HookwrightError['code'] | 'team-fault';
  readonly message: string;
}

/** These faults, and a question that could not be put. */
export const withAsking = (faults: readonly HookFault[], { asked }: EventVerdict): readonly HookFault[] =>
  asked?.failed === undefined ? faults : [...faults, { code: 'internal_error', message: asked.failed }];

/** What hooks said about an event, and what went wrong. */
export interface SaidInFull<E extends HookEventName> extends SaidOf<E> {
  readonly faults: readonly HookFault[];
}

const noMessages: readonly string[] = Object.freeze([]);
const noFaults: readonly HookFault[] = Object.freeze([]);

/** The event of no hook. */
export const nothingSaid = { output: undefined, messages: noMessages, results: [], faults: noFaults } as const;

const messagesOf = ({ result }: DetailedResult<HookEventName>): readonly string[] => {
  // A message of any hook is in the merged one.
  if (!saysSomething(result.finalOutput?.systemMessage)) return noMessages;
  let messages: string[] | undefined;
  // What hooks in the background said earlier is among them.
  for (const { systemMessage } of result.allOutputs) {
    if (!saysSomething(systemMessage)) continue;
    messages ??= [];
    messages.push(systemMessage);
  }
  return messages ?? noMessages;
};

/** The error of a hook that did not end has its name already; what is wrong with an answer has not. */
const faultMessage = (hook: string, result: HookExecutionResult): string =>
  result.error?.message ?? `Hook "${shownName(hook)}": ${faultText(result)}`;

const faultsOf = ({ results, error }: DetailedResult<HookEventName>): readonly HookFault[] => {
  let faults: HookFault[] | undefined;
  if (error !== undefined) faults = [{ code: error.code, message: error.message }];
  for (const result of results) {
    const { code, hookConfig, warnings } = result;
    if (code === undefined && warnings === undefined) continue;
    faults ??= [];
    const hook = hookKey(hookConfig);
    if (code !== undefined) faults.push({ hook, code, message: faultMessage(hook, result) });
    for (const warning of warnings ?? []) {
      if (warning.code === 'team-fault') faults.push({ hook, code: warning.code, message: warning.message });
    }
  }
  return faults ?? noFaults;
};

export const inFull = <E extends HookEventName>(detailed: DetailedResult<E>): SaidInFull<E> => {
  const output: OutputOf<E> | undefined = detailed.result.finalOutput;
  return {
    output,
    messages: messagesOf(detailed),
    results: detailed.results,
    faults: faultsOf(detailed),
    correlationId: detailed.correlationId,
  };
};
