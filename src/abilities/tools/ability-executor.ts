// Executes abilities: scripts, HTTP requests and functions, each with a timeout.
import type { HookExecutionResult, Logger } from '../../protocol/index.ts';
import { defaultLimits, getFaultText, type RunnerLimits } from '../../runners/index.ts';
import {
  createRunId,
  findDocument,
  getOrphanGuard,
  type OrphanGuard,
  ProcessTable,
  runCommand,
} from '../../runners/process-api.ts';
import type { Ability, AbilityCall } from './ability.ts';
import { createEnvironment, findChangeSinceApproval, getLaunchConfig } from './ability-launch.ts';
import {
  CANCELLED_MESSAGE,
  createFailedExecution,
  type Execution,
  executeFunction,
  executeHttp,
  readAnswer,
} from './execution.ts';

const DEFAULT_ABILITY_TIMEOUT_MS = 300_000;
const DISPOSE_MARGIN_MS = 250;

export interface ExecutorOptions {
  readonly root: string;
  readonly limits?: Partial<RunnerLimits> | undefined;
  readonly allowEnv: readonly string[];
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

export class AbilityExecutor {
  readonly #root: string;
  readonly #allowEnv: readonly string[];
  readonly #limits: RunnerLimits;
  readonly #processes: ProcessTable;
  readonly #guard: OrphanGuard | undefined;
  readonly #closing = new AbortController();

  constructor({ root, limits, allowEnv, orphanGuard, logger }: ExecutorOptions) {
    this.#root = root;
    this.#allowEnv = allowEnv;
    this.#limits = { ...defaultLimits(), ...limits };
    const report = (message: string): void => logger?.warn?.(message);
    const { guard, warning } = getOrphanGuard({ orphanGuard }, process.platform);
    if (warning !== undefined) report(warning);
    this.#guard = guard;
    this.#processes = new ProcessTable({ killGraceMs: this.#limits.killGraceMs, guard, report });
  }

  get isDisposed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Never rejects: errors become failures with a message. */
  async execute(ability: Ability, call: AbilityCall, signal?: AbortSignal, runId?: string): Promise<Execution> {
    const { handler, timeoutMs = DEFAULT_ABILITY_TIMEOUT_MS } = ability;
    const ends = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    if (ends.aborted) return createFailedExecution(CANCELLED_MESSAGE);
    switch (handler.kind) {
      case 'script':
        return this.#script(ability, call, { timeoutMs, signal: ends, runId });
      case 'http':
        return executeHttp(getLaunchConfig(ability), JSON.stringify(call), {
          timeoutMs,
          maxBytes: this.#limits.stdoutBytes,
          signal: ends,
        });
      case 'function':
        return executeFunction(handler, call, { timeoutMs, signal: ends });
    }
  }

  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#processes.idle(this.#limits.killGraceMs + DISPOSE_MARGIN_MS);
    this.#guard?.rest();
  }

  async #script(
    ability: Ability,
    call: AbilityCall,
    { timeoutMs, signal, runId }: { timeoutMs: number; signal: AbortSignal; runId: string | undefined },
  ): Promise<Execution> {
    const change = await findChangeSinceApproval(ability);
    if (change !== undefined) return createFailedExecution(`spawn-failed: ${change}`);
    const config = { ...getLaunchConfig(ability), timeout: timeoutMs };
    const result = await runCommand(config, 'ability', call, {
      processes: this.#processes,
      limits: this.#limits,
      environment: createEnvironment(ability, this.#allowEnv),
      projectDir: this.#root,
      sessionId: call.session_id ?? '',
      newRunId: () => runId ?? createRunId(),
      signal,
    });
    return readProcessResult(result);
  }
}

const toFailure = (result: HookExecutionResult): Execution => {
  const { error, stderr = '', exitCode, code } = result;
  const printed = stderr.trim();
  if (printed !== '') return createFailedExecution(printed);
  const message = error === undefined ? `exited with code ${exitCode}` : getFaultText(result);
  return createFailedExecution(code === undefined || code === 'exit-code' ? message : `${code}: ${message}`);
};

const readPrinted = (stdout: string): Execution => {
  const found = findDocument(stdout);
  if (found.kind === 'broken')
    return createFailedExecution(`malformed-output: the output starts like JSON but ${found.problem}`);
  return readAnswer(found.kind === 'answer' ? found.value : stdout.trim());
};

const hasEndedByItself = ({ exitCode, code }: HookExecutionResult): boolean =>
  exitCode !== undefined && (code === undefined || code === 'exit-code' || code === 'malformed-output');

/** A non-zero exit code is a failure, unless the output itself reports a partial result or an error message. */
const readProcessResult = (result: HookExecutionResult): Execution => {
  if (!hasEndedByItself(result)) return toFailure({ ...result, stderr: '' });
  const printed = readPrinted(result.stdout ?? '');
  if (result.exitCode === 0 || (printed.status === 'partial' && printed.error_message !== undefined)) return printed;
  if (printed.status === 'failure' && printed.error_message !== undefined) return printed;
  return toFailure(result);
};
