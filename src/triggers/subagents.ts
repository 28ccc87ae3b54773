/** Functions with which an agent fires events of sub-agents. */
import type { TriggerConfig } from '../config.ts';
import type { PayloadOf } from '../events/index.ts';
import { type AfterAgentHookResult, type FinishedAgentWork, fireEventAfterWork } from './agent-turns.ts';
import { type AskOptions, confirmOrWarn, createHost, fireEvent } from './fire-event.ts';
import { isNotBlank } from './tool-result.ts';
import { isBlockedOrParked, toBlockedFields } from './verdict.ts';
import { addWaitingMessage } from './waiting-messages.ts';

export interface StartedAgent {
  readonly agentType: string;
  readonly prompt?: string | undefined;
}

export const toSubagentStartPayload = ({ agentType, prompt }: StartedAgent): PayloadOf<'SubagentStart'> => ({
  agent_type: agentType,
  ...(prompt === undefined ? {} : { prompt }),
});

export interface SubagentStartHookResult {
  /** If `true`, do not start the sub-agent. */
  blocked: boolean;
  stopped?: boolean;
  reason?: string;
  /** Context of hooks for the sub-agent's prompt. */
  context?: string;
}

export const fireSubagentStartHook = async (
  config: TriggerConfig,
  agent: StartedAgent,
  options?: AskOptions,
): Promise<SubagentStartHookResult> => {
  const host = createHost(config);
  const fired = await fireEvent(host, 'SubagentStart', () => toSubagentStartPayload(agent), options);
  if (fired === undefined) return { blocked: false };
  const decision = await confirmOrWarn(host, fired, () => ({ eventName: 'SubagentStart' }), options);
  addWaitingMessage(host, fired.output?.systemMessage);
  if (isBlockedOrParked(decision)) return toBlockedFields(decision);
  const context = fired.output?.getAdditionalContext();
  return { blocked: false, ...(isNotBlank(context) ? { context } : {}) };
};

export interface StoppedAgent {
  readonly agentType: string;
  readonly response?: string | undefined;
  /** Set if the sub-agent works because a hook wanted a `retry`. */
  readonly stopHookActive?: boolean | undefined;
}

export const toSubagentStopPayload = ({
  agentType,
  response,
  stopHookActive,
}: StoppedAgent): PayloadOf<'SubagentStop'> & FinishedAgentWork => ({
  agent_type: agentType,
  ...(response === undefined ? {} : { response }),
  stop_hook_active: stopHookActive === true,
});

export const fireSubagentStopHook = async (
  config: TriggerConfig,
  agent: StoppedAgent,
  options?: AskOptions,
): Promise<AfterAgentHookResult> =>
  fireEventAfterWork(createHost(config), 'SubagentStop', toSubagentStopPayload(agent), options);
