/** Tests one guard with its canary, a call that it must deny. */
import { catalogue, isHookEventName } from './events/index.ts';
import {
  type EventAggregator,
  type EventRunner,
  HookEventHandler,
  type HookEventHandlerDeps,
} from './handlers/index.ts';
import { omitUndefined, shorten, toOneLine } from './kit/index.ts';
import { createPlanContext, type HookPlanner } from './planner/index.ts';
import {
  type CanaryCall,
  type ConfigProblem,
  getProjectDir,
  getWorkingDir,
  type HookExecutionResult,
  type HostConfig,
  type SkipReason,
} from './protocol/index.ts';
import type { CanaryStage, ConfiguredHook, LostDenial } from './registry/index.ts';
import { getFaultText } from './runners/index.ts';

export interface CanaryFailure extends LostDenial {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly problem: ConfigProblem;
  /** `undefined` for a failure in an earlier process. */
  readonly call?: CanaryCall;
}

export interface CanaryParts {
  readonly config: HostConfig;
  readonly planner: HookPlanner;
  readonly runner: EventRunner;
  readonly aggregator: EventAggregator;
  readonly handlerDeps: Pick<HookEventHandlerDeps, 'translator' | 'clock'>;
}

/** `left out` if the hook does not run on purpose, for example because it is switched off. */
export type CanaryOutcome = 'denied' | 'left out' | CanaryFailure;

export const runCanary = async (hook: ConfiguredHook, call: CanaryCall, parts: CanaryParts): Promise<CanaryOutcome> => {
  const { config, eventName } = hook;
  if (config === undefined || !isHookEventName(eventName)) return 'left out';
  const failed = (stage: CanaryStage, why: string): CanaryFailure => ({
    ...createStageFailure(hook, stage, why),
    call,
  });
  const fields: object = catalogue[eventName].sample;
  const payload = { ...fields, ...call, canary: true };
  const read = catalogue[eventName].read(payload);
  if (!read.ok) return failed('configuration', `${eventName} cannot be fired with it: ${read.message}`);
  const context = createPlanContext(eventName, read.payload);
  if (context?.toolName === undefined) return failed('configuration', `${eventName} is not about a tool`);
  const rows = parts.planner.explain(eventName, { ...context, payload });
  const row = rows.find(({ hookId }) => hookId === hook.hookId);
  const stage = row?.reason === undefined ? undefined : stageBySkipReason[row.reason];
  if (stage === 'matcher') return failed(stage, explainUnmatched(call, row?.matcher));
  if (stage !== undefined) return failed(stage, row?.hint ?? `it says ${row?.reason}`);
  if (row?.planned !== 'run') return 'left out';
  // Runs only this hook, with the same handler as for events.
  const plan = { eventName, hookConfigs: [config], sequential: false };
  const planner = { createExecutionPlan: () => plan };
  const { runner, aggregator, handlerDeps } = parts;
  const options = { ...handlerDeps, warnings: false };
  const host = withoutObserveMode(parts.config);
  const handler = new HookEventHandler(host, planner, runner, aggregator, undefined, options);
  const { result, results, error } = await handler.fireDetailed(eventName, read.payload);
  const [first] = results;
  if (error !== undefined) return failed('configuration', error.message);
  if (first === undefined) return failed('process', 'it was not run');
  // A cancelled run, or a file that changed since the approval, proves nothing about the guard.
  if (first.code === 'cancelled' || first.code === 'changed-since-trusted') return 'left out';
  if (first.code !== undefined) return failed(findStage(first), `${first.code}: ${getFaultText(first)}`);
  const { finalOutput } = result;
  if (finalOutput?.isBlockingDecision() || finalOutput?.isAskDecision() || finalOutput?.shouldStopExecution()) {
    return 'denied';
  }
  const decision = first.output?.decision;
  const answer = decision === undefined ? `gave no opinion${describeExit(first)}` : `answered "${decision}"`;
  return failed('answer', `${hook.name} ${answer}`);
};

/** Skip reasons that mean a failed test. With all other reasons the hook is off on purpose or awaits an approval. */
const stageBySkipReason: Partial<Record<SkipReason, CanaryStage>> = {
  'matcher-mismatch': 'matcher',
  'condition-mismatch': 'condition',
};

const describeExit = ({ exitCode, stderr = '' }: HookExecutionResult): string => {
  const said = toOneLine(stderr.trim());
  if (exitCode === undefined || said === '') return '';
  return ` (exit code ${exitCode}, stderr: ${JSON.stringify(shorten(said, MAX_STDERR_LENGTH))}; ${SUBSHELL_NOTE})`;
};

const SUBSHELL_NOTE = 'an exit in a pipe or in brackets ends only its subshell';
const MAX_STDERR_LENGTH = 100;

const explainUnmatched = ({ tool_name: tool }: CanaryCall, matcher = ''): string =>
  `the matcher ${JSON.stringify(matcher)} does not match ${JSON.stringify(tool)}, the tool that it calls`;

const findStage = ({ code }: HookExecutionResult): CanaryStage => (code === 'malformed-output' ? 'answer' : 'process');

/** Leaves out observe mode, in which no verdict has an effect, and the hooks, because only the canary's hook runs. */
const withoutObserveMode = (config: HostConfig): HostConfig => ({
  getSessionId: () => config.getSessionId(),
  getTranscriptPath: () => config.getTranscriptPath?.() ?? '',
  getWorkingDir: () => getWorkingDir(config),
  getProjectDir: () => getProjectDir(config),
  getHooks: () => ({}),
});

const createStageFailure = (hook: ConfiguredHook, stage: CanaryStage, why: string): CanaryFailure => {
  const { name, eventName, config } = hook;
  const { onFault = 'allow' } = config ?? {};
  const effect =
    stage === 'matcher'
      ? `so calls of that tool go on unguarded${onFault === 'allow' ? '' : `; its onFault "${onFault}" counts only for calls that the matcher matches`}`
      : onFault === 'allow'
        ? 'it guards nothing'
        : `until it passes, its onFault "${onFault}" counts`;
  const message = `the canary of ${eventName} hook "${name}" was not denied, lost at the ${stage}: ${why.replace(/\.$/, '')}; ${effect}`;
  return createCanaryFailure(hook, { stage, message });
};

export const createCanaryFailure = (
  { hookId, name, eventName, source: { kind, file, line } }: ConfiguredHook,
  { stage, message }: LostDenial,
): CanaryFailure => {
  const wrong = stage === 'matcher' ? 'the matcher, or the tool_name of the canary' : 'the hook or its canary';
  const hint = `correct ${wrong}, then: hookwright doctor`;
  const found = { code: 'canary-failed', severity: 'error', skipped: false, path: `hooks.${eventName}` } as const;
  const problem: ConfigProblem = omitUndefined({ ...found, source: kind, message, hint, file, line });
  return { hookId, name, eventName, stage, message, problem };
};
