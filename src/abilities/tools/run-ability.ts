// Runs an ability: its checks, its guards, the execution, and the hooks afterwards.
import {
  type GuardOutcome,
  interpretGuard,
  type PostAbilityCallContext,
  type PreAbilityCallContext,
} from '../../events/index.ts';
import { omitUndefined } from '../../kit/index.ts';
import { AbilityCode, type AbilityEventResult } from '../../protocol/index.ts';
import { type Ability, type AbilityCall, getScopeNames } from './ability.ts';
import type { Execution } from './execution.ts';
import { findPreflightProblem } from './preflight.ts';
import { createNotExecuted, type Executed, findGuardRefusal, type NotExecuted, toHookMembers } from './results.ts';
import { askUser, type CallContext, fireHooks, type ToolRunnerParts } from './runner-parts.ts';
import { toArgsMembers, toInputMembers } from './summarize.ts';

const BEFORE_CALL_EVENT = 'PreAbilityCall';

export interface AbilityJob {
  readonly ability: Ability;
  readonly input: unknown;
  readonly task_key?: string;
  /** Id in the environment of the processes that this run starts, so that survivors can be found and ended later. */
  readonly runId?: string;
}

/** `end` is called before the outcome is published. */
export interface RunCallbacks {
  begin?(): Promise<void>;
  end?(execution: Execution, durationMs: number): Promise<readonly string[]>;
}

const runGuards = async (
  parts: ToolRunnerParts,
  { ability, input, task_key }: AbilityJob,
  calling: CallContext,
): Promise<{ event: AbilityEventResult; outcome: GuardOutcome; answer?: boolean | undefined }> => {
  const { caller, signal } = calling;
  const context: PreAbilityCallContext = omitUndefined({
    session_id: caller.session_id,
    ...getScopeNames(ability),
    task_key,
    ...toArgsMembers(input),
    environment: parts.environment,
    caller,
  });
  const event = await fireHooks(parts, BEFORE_CALL_EVENT, context, calling);
  const outcome = interpretGuard(event);
  if (outcome.outcome !== 'requires_human') return { event, outcome };
  const { reason = 'No reason provided' } = outcome;
  const question = { eventName: BEFORE_CALL_EVENT, reason, toolName: ability.id, toolInput: input };
  const answer = await askUser(parts, question, signal);
  return { event, answer, outcome: answer === true ? { outcome: 'allowed', reason } : outcome };
};

/** Hooks after a call run in the background, because they can no longer change the call. */
const fireAfterCall = (
  parts: ToolRunnerParts,
  { ability, input, task_key }: AbilityJob,
  { status, output_summary, error_message }: Execution,
  durationMs: number,
  { caller, until }: CallContext,
): void => {
  const context: PostAbilityCallContext = omitUndefined({
    session_id: caller.session_id,
    ...getScopeNames(ability),
    task_key,
    status,
    duration_ms: durationMs,
    ...toInputMembers(input),
    output_summary,
    error_message,
    caller,
  });
  const fired = fireHooks(parts, 'PostAbilityCall', context, { signal: until, until }).finally(() =>
    parts.pending.delete(fired),
  );
  parts.pending.add(fired);
};

const executeAbility = async (
  parts: ToolRunnerParts,
  run: AbilityJob,
  { caller, signal }: CallContext,
): Promise<{ execution: Execution; durationMs: number }> => {
  const { ability, input, task_key } = run;
  const call: AbilityCall = omitUndefined({
    ability_id: ability.id,
    // A copy: the ability cannot change the input that later hooks see.
    input: structuredClone(input),
    task_key,
    session_id: caller.session_id,
    environment: parts.environment,
    caller,
  });
  const startedAt = performance.now();
  const execution = await parts.executor.execute(ability, call, signal, run.runId);
  return { execution, durationMs: Math.round(performance.now() - startedAt) };
};

const cancelledRefusal = { code: 'cancelled', message: 'the caller no longer waits' } as const;

export const findDisposedRefusal = ({ error }: AbilityEventResult) =>
  error?.code === 'disposed'
    ? { code: AbilityCode.Unavailable, message: 'the hooks were disposed of, so its guards cannot be asked' }
    : undefined;

const isCancelled = ({ executor }: ToolRunnerParts, { signal }: CallContext): boolean =>
  signal?.aborted === true || executor.isDisposed;

/** Checks the requirements again: the machine may have changed since the task was created. */
export const runAbility = async (
  parts: ToolRunnerParts,
  run: AbilityJob,
  calling: CallContext,
  { begin, end }: RunCallbacks = {},
): Promise<Executed | NotExecuted> => {
  const names = omitUndefined({ ability_id: run.ability.id, task_key: run.task_key });
  const problem = await findPreflightProblem(run.ability, run.input, parts);
  if (problem !== undefined) return createNotExecuted(names, { code: AbilityCode.Unavailable, message: problem });
  const { event, outcome, answer } = await runGuards(parts, run, calling);
  const withHooks = toHookMembers(event, outcome, answer);
  const refusal = isCancelled(parts, calling)
    ? cancelledRefusal
    : (findDisposedRefusal(event) ?? findGuardRefusal(outcome));
  if (refusal !== undefined) return createNotExecuted(names, refusal, withHooks);
  await begin?.();
  const { execution, durationMs } = await executeAbility(parts, run, calling);
  const warnings = (await end?.(execution, durationMs)) ?? [];
  fireAfterCall(parts, run, execution, durationMs, calling);
  return {
    executed: true,
    ...names,
    duration_ms: durationMs,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...withHooks,
    ...execution,
  };
};
