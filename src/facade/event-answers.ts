/** Collects the answers of hooks of an event: output, messages, faults. */
import type { HookwrightError } from '../errors.ts';
import type { HookEventName, OutputOf } from '../events/index.ts';
import type { DetailedResult } from '../handlers/index.ts';
import { type FaultCode, getHookKey, type HookExecutionResult, shortenHookName } from '../protocol/index.ts';
import { getFaultText } from '../runners/index.ts';
import { type EventAnswers, type EventVerdict, isNotBlank } from '../triggers/index.ts';

/** Why a hook, or the engine itself, failed. */
export interface HookFault {
  readonly hook?: string;
  readonly code: FaultCode | HookwrightError['code'] | 'team-fault';
  readonly message: string;
}

export const withConfirmFault = (faults: readonly HookFault[], { asked }: EventVerdict): readonly HookFault[] =>
  asked?.failed === undefined ? faults : [...faults, { code: 'internal_error', message: asked.failed }];

export interface EventAnswersWithFaults<E extends HookEventName> extends EventAnswers<E> {
  readonly faults: readonly HookFault[];
}

const noMessages: readonly string[] = Object.freeze([]);
const noFaults: readonly HookFault[] = Object.freeze([]);

export const noAnswers = { output: undefined, messages: noMessages, results: [], faults: noFaults } as const;

const collectMessages = ({ result }: DetailedResult<HookEventName>): readonly string[] => {
  // If the merged output has no message, no hook has a message.
  if (!isNotBlank(result.finalOutput?.systemMessage)) return noMessages;
  let messages: string[] | undefined;
  // `allOutputs` also has messages of background hooks of earlier events.
  for (const { systemMessage } of result.allOutputs) {
    if (!isNotBlank(systemMessage)) continue;
    messages ??= [];
    messages.push(systemMessage);
  }
  return messages ?? noMessages;
};

const formatFault = (hook: string, result: HookExecutionResult): string =>
  result.error?.message ?? `Hook "${shortenHookName(hook)}": ${getFaultText(result)}`;

const collectFaults = ({ results, error }: DetailedResult<HookEventName>): readonly HookFault[] => {
  let faults: HookFault[] | undefined;
  if (error !== undefined) faults = [{ code: error.code, message: error.message }];
  for (const result of results) {
    const { code, hookConfig, warnings } = result;
    if (code === undefined && warnings === undefined) continue;
    faults ??= [];
    const hook = getHookKey(hookConfig);
    if (code !== undefined) faults.push({ hook, code, message: formatFault(hook, result) });
    for (const warning of warnings ?? []) {
      if (warning.code === 'team-fault') faults.push({ hook, code: warning.code, message: warning.message });
    }
  }
  return faults ?? noFaults;
};

export const createEventAnswers = <E extends HookEventName>(detailed: DetailedResult<E>): EventAnswersWithFaults<E> => {
  const output: OutputOf<E> | undefined = detailed.result.finalOutput;
  return {
    output,
    messages: collectMessages(detailed),
    results: detailed.results,
    faults: collectFaults(detailed),
    correlationId: detailed.correlationId,
  };
};
