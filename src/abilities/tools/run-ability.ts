import {
  type GuardOutcome,
  interpretGuard,
  type PostAbilityCallContext,
  type PreAbilityCallContext,
} from '../../events/index.ts';
import { AbilityCode, type AbilityEventResult } from '../../protocol/index.ts';
import { type Ability, type AbilityCall, namesOf } from './ability.ts';
import type { Execution } from './execution.ts';
import { preflightProblem } from './preflight.ts';
import { type CallNames, type Executed, guardRefusal, hooksOf, type NotExecuted, notExecuted } from './results.ts';
import { type Calling, confirmed, fire, sessionOf, type ToolRunnerParts } from './runner-parts.ts';
import { argsOf, inputOf } from './summarize.ts';

const GUARDS = 'PreAbilityCall';

/** What is to be executed: by itself, or because a task says so. */
export interface AbilityJob {
  readonly ability: Ability;
  readonly input: unknown;
  readonly task_key?: string;
  /** What its processes are marked with. */
  readonly runId?: string;
}

/** Called right before the execution, and right after it, before its outcome is published. */
export interface AroundRun {
  begin?(): Promise<void>;
  end?(execution: Execution, durationMs: number): Promise<readonly string[]>;
}

const guard = async (
  parts: ToolRunnerParts,
  { ability, input, task_key }: AbilityJob,
  calling: Calling,
): Promise<{ event: AbilityEventResult; outcome: GuardOutcome; answer?: boolean | undefined }> => {
  const { caller, signal } = calling;
  const context: PreAbilityCallContext = {
    ...sessionOf(caller),
    ...namesOf(ability),
    ...(task_key === undefined ? {} : { task_key }),
    ...argsOf(input),
    environment: parts.environment,
    caller,
  };
  const event = await fire(parts, GUARDS, context, calling);
  const said = interpretGuard(event);
  if (said.outcome !== 'requires_human') return { event, outcome: said };
  const reason = said.reason ?? 'No reason provided';
  const question = { eventName: GUARDS, reason, toolName: ability.id, toolInput: input };
  const answer = await confirmed(parts, question, signal);
  return { event, answer, outcome: answer === true ? { outcome: 'allowed', reason } : said };
};

/** Runs the hooks after the call in the background: they can no longer change it. */
const tellAfterwards = (
  parts: ToolRunnerParts,
  { ability, input, task_key }: AbilityJob,
  { status, output_summary, error_message }: Execution,
  durationMs: number,
  { caller, until }: Calling,
): void => {
  const context: PostAbilityCallContext = {
    ...sessionOf(caller),
    ...namesOf(ability),
    ...(task_key === undefined ? {} : { task_key }),
    status,
    duration_ms: durationMs,
    ...inputOf(input),
    ...(output_summary === undefined ? {} : { output_summary }),
    ...(error_message === undefined ? {} : { error_message }),
    caller,
  };
  const told = fire(parts, 'PostAbilityCall', context, { signal: until, until }).finally(() =>
    parts.pending.delete(told),
  );
  parts.pending.add(told);
};

const execute = async (
  parts: ToolRunnerParts,
  run: AbilityJob,
  { caller, signal }: Calling,
): Promise<{ execution: Execution; durationMs: number }> => {
  const { ability, input, task_key } = run;
  const call: AbilityCall = {
    ability_id: ability.id,
    // A copy of its own: what it does to it is not what later steps tell.
    input: structuredClone(input),
    ...(task_key === undefined ? {} : { task_key }),
    ...sessionOf(caller),
    environment: parts.environment,
    caller,
  };
  const startedAt = performance.now();
  const execution = await parts.executor.execute(ability, call, signal, run.runId);
  return { execution, durationMs: Math.round(performance.now() - startedAt) };
};

const cancelled = { code: 'cancelled', message: 'the caller no longer waits' } as const;

/** Guards that were disposed of were not asked, and nothing runs unasked. */
export const disposedRefusal = ({ error }: AbilityEventResult) =>
  error?.code === 'disposed'
    ? { code: AbilityCode.Unavailable, message: 'the hooks were disposed of, so its guards cannot be asked' }
    : undefined;

/** Whether it ended before the ability was begun; afterwards that is a failure of the ability. */
const isOver = ({ executor }: ToolRunnerParts, { signal }: Calling): boolean =>
  signal?.aborted === true || executor.isDisposed;

/**
 * Executes an ability if its guards let it: for all callers the same, with a task and without. Availability is looked at
 * again, because since the task was created the machine may have changed.
 */
export const runAbility = async (
  parts: ToolRunnerParts,
  run: AbilityJob,
  calling: Calling,
  { begin, end }: AroundRun = {},
): Promise<Executed | NotExecuted> => {
  const names: CallNames & { ability_id: string } = {
    ability_id: run.ability.id,
    ...(run.task_key === undefined ? {} : { task_key: run.task_key }),
  };
  const problem = await preflightProblem(run.ability, run.input, parts);
  if (problem !== undefined) return notExecuted(names, { code: AbilityCode.Unavailable, message: problem });
  const { event, outcome, answer } = await guard(parts, run, calling);
  const withHooks = hooksOf(event, outcome, answer);
  const refusal = isOver(parts, calling) ? cancelled : (disposedRefusal(event) ?? guardRefusal(outcome));
  if (refusal !== undefined) return notExecuted(names, refusal, withHooks);
  await begin?.();
  const { execution, durationMs } = await execute(parts, run, calling);
  const warnings = (await end?.(execution, durationMs)) ?? [];
  tellAfterwards(parts, run, execution, durationMs, calling);
  return {
    executed: true,
    ...names,
    duration_ms: durationMs,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...withHooks,
    ...execution,
  };
};
