import { emptyResult, fatesOf, type HookAggregator } from '../../aggregator/index.ts';
import {
  type AggregatedResult,
  catalogue,
  type HookEventName,
  type HookInput,
  hookEventNames,
  isHookEventName,
  type PayloadOf,
  withinModelText,
} from '../../events/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { type HookExecutionPlan, type HookPlanner, planContextOf } from '../../planner/index.ts';
import {
  exchanges,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HostConfig,
  hasBaseField,
  MessageBusType,
  workingDirOf,
} from '../../protocol/index.ts';
import { defaultLimits, type HookRunner } from '../../runners/index.ts';
import { type AnyHookTranslator, defaultHookTranslator } from '../../translator/index.ts';
import type { Family, FireOptions, Outcome, Plan } from '../family.ts';
import type { Timestamps } from '../reporting/timestamps.ts';
import { withConflicts, withDenial } from './conflicts.ts';
import { askAgain, isFaithful, mayAskAgain } from './guards.ts';

/** The parts of a planner the engine cannot do without; the rows are used where there are any. */
export type EventPlanner = Pick<HookPlanner, 'createExecutionPlan'> & Partial<Pick<HookPlanner, 'explain'>>;
export type EventRunner = Pick<HookRunner, 'executeHooksParallel' | 'executeHooksSequential'> &
  Partial<Pick<HookRunner, 'limits' | 'dispose'>>;
export type EventAggregator = Pick<HookAggregator, 'aggregateResults'>;

/** The moments of an agent, as types. */
export interface AgentEvents {
  readonly request: typeof MessageBusType.HOOK_EXECUTION_REQUEST;
  readonly events: { readonly [E in HookEventName]: { payload: PayloadOf<E>; result: AggregatedResult<E> } };
  readonly options: FireOptions;
  readonly plan: Plan;
}

export interface AgentParts {
  readonly config: HostConfig;
  readonly planner: EventPlanner;
  readonly runner: EventRunner;
  readonly aggregator: EventAggregator;
  readonly translator?: AnyHookTranslator | undefined;
  readonly timestamps: Timestamps;
  /** Called before an event is planned; a promise is waited for. The hook system loads its hooks here. */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
}

const noHooks: Plan['hooks'] = [];

/** What the hooks of an event read. The base fields are ours: a payload that brings its own does not replace them. */
const inputFor = <E extends HookEventName>(
  { config, translator = defaultHookTranslator, timestamps }: AgentParts,
  eventName: E,
  payload: PayloadOf<E>,
): HookInput<E> => {
  const fields = catalogue[eventName].toFields(payload, translator);
  const session_id = config.getSessionId();
  const transcript_path = config.getTranscriptPath?.() ?? '';
  const cwd = workingDirOf(config);
  const timestamp = timestamps.now();
  // One literal that ends in the spread: any other way to write it takes up to thirty times as long.
  const input = { session_id, transcript_path, cwd, hook_event_name: eventName, timestamp, ...fields };
  if (!hasBaseField(payload)) return input;
  return { ...input, session_id, transcript_path, cwd, hook_event_name: eventName, timestamp };
};

const isPlain = ({ eventName, payload, input, timeoutMs, handledBy }: HookExecutionRequest): boolean =>
  typeof eventName === 'string' &&
  isRecord(payload) &&
  input === undefined &&
  handledBy === undefined &&
  (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0));

const answer = <E extends HookEventName>(
  correlationId: string,
  eventName: E,
  { result, error }: Outcome<AggregatedResult<E>>,
): HookExecutionResponse => {
  const type = MessageBusType.HOOK_EXECUTION_RESPONSE;
  const { finalOutput: output } = result;
  if (error === undefined) {
    return output === undefined
      ? { type, correlationId, eventName, success: true, result }
      : { type, correlationId, eventName, success: true, result, output };
  }
  const { code, message, details } = error;
  const failure = { type, correlationId, eventName, success: false, result, error: { code, message, details } };
  return output === undefined ? failure : { ...failure, output };
};

/** The hooks of an agent: the events of `events/catalogue.ts`. */
export const agentFamily = (parts: AgentParts): Family<AgentEvents> => {
  const { config, planner, runner, aggregator } = parts;
  const isObserved = (): boolean => config.getMode?.() === 'observe';
  return {
    exchange: exchanges[MessageBusType.HOOK_EXECUTION_REQUEST],
    names: hookEventNames,
    noun: 'an event',
    isEvent: isHookEventName,
    read: (eventName, payload) => catalogue[eventName].read(payload),
    isPlain,
    asked: ({ payload, input, timeoutMs }) => ({ payload: payload ?? input ?? {}, options: { timeoutMs } }),
    ready: () => parts.ready?.(),
    plan: (eventName, payload) => {
      const context = planContextOf(eventName, payload);
      const plan: HookExecutionPlan | null = planner.createExecutionPlan(eventName, context);
      return {
        hooks: plan === null ? noHooks : plan.hookConfigs,
        sequential: plan?.sequential === true,
        subject: context?.toolName ?? context?.trigger,
        rows: () => planner.explain?.(eventName, context),
      };
    },
    run: (eventName, payload, { plan: { hooks, sequential }, watch, signal }) => {
      const input = inputFor(parts, eventName, payload);
      const onStart = (_hook: unknown, index: number): void => watch.started(index);
      const onEnd: Parameters<EventRunner['executeHooksParallel']>[4] = (_hook, result, index) =>
        watch.ended(index, result);
      const execute = sequential ? 'executeHooksSequential' : 'executeHooksParallel';
      return signal === undefined
        ? runner[execute](hooks, eventName, input, onStart, onEnd)
        : runner[execute](hooks, eventName, input, onStart, onEnd, signal);
    },
    needs: {
      observe: isObserved,
      // What is only observed does not go on otherwise than it was seen.
      recheck: (eventName, plan) => !isObserved() && mayAskAgain(eventName, plan),
      conflicts: (_eventName, { sequential }) => !sequential && config.getOnConflict?.() === 'deny',
      dialects: (_eventName, { hooks }) => hooks.some(isFaithful),
    },
    askAgain: (eventName, payload, plan, results) => {
      const { finalOutput } = aggregator.aggregateResults(withDenial(results), eventName);
      // A call that does not go on needs nobody's approval.
      if (finalOutput?.isBlockingDecision() || finalOutput?.shouldStopExecution()) return undefined;
      return askAgain(eventName, payload, plan, results, finalOutput);
    },
    withConflicts: (eventName, payload, results) =>
      withConflicts(results, eventName, inputFor(parts, eventName, payload)),
    budgetMs: (eventName) => config.getBudgetMs?.(eventName),
    withinModelText: (results) => withinModelText(results, (runner.limits ?? defaultLimits()).modelTextBytes),
    isGuard: ({ hooks }, index) => (hooks[index]?.onFault ?? 'allow') !== 'allow',
    narrow: (plan, places) => ({ ...plan, hooks: plan.hooks.filter((_hook, index) => places.includes(index)) }),
    empty: () => emptyResult(),
    merge: (eventName, _plan, results, error) => {
      const result = aggregator.aggregateResults(withDenial(results), eventName);
      if (!isRecord(result)) throw new TypeError(`the aggregator gave no result but ${describeValue(result)}`);
      if (error !== undefined) result.success = false;
      return result;
    },
    broken: () => ({ ...emptyResult(), success: false }),
    // The error of the request comes before those of its hooks. Watchers of the bus have it beside the result.
    told: ({ result, error }) => {
      if (error === undefined) return result;
      const { finalOutput, allOutputs, errors, totalDuration } = result;
      return { success: false, finalOutput, allOutputs, errors: [error, ...errors], totalDuration };
    },
    fates: (eventName) => (results, hookIds) => fatesOf(results, eventName, hookIds),
    ask: (correlationId, eventName, payload, { timeoutMs }) => {
      const type = MessageBusType.HOOK_EXECUTION_REQUEST;
      return { type, correlationId, eventName, payload, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
    },
    answer,
    changed: ({ finalOutput }) => {
      const change = finalOutput?.hookSpecificOutput?.llm_request;
      return change === undefined || Object.keys(change).length === 0 ? '' : ' (modified request)';
    },
    limits: () => runner.limits ?? defaultLimits(),
    dispose: async () => runner.dispose?.(),
  };
};
