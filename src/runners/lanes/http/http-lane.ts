import {
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type Notice,
  notice,
  originOf,
} from '../../../protocol/index.ts';
import type { OutputReader } from '../../answer/parse-output.ts';
import type { Variables } from '../../command/shell-words.ts';
import type { RunnerLimits } from '../../limits.ts';
import type { Batch, EngineLane } from '../event-run.ts';
import { type ForeignCall, runAsThere } from '../foreign-call.ts';
import { HostEnvironment } from '../host-environment.ts';
import { runHttp, targetOf } from './run-http.ts';

export interface HttpLaneOptions {
  readonly variables?: Variables | undefined;
  readonly readOutput?: OutputReader | undefined;
}

/** Asks the endpoints of one engine's HTTP hooks. An exchange leaves nothing behind, so there is nothing to end. */
export class HttpLane implements EngineLane {
  readonly #limits: RunnerLimits;
  readonly #host: HostEnvironment;
  readonly #readOutput: OutputReader | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, { variables, readOutput }: HttpLaneOptions) {
    this.#limits = limits;
    this.#host = new HostEnvironment(config, variables);
    this.#readOutput = readOutput;
  }

  async run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    const dialect = originOf(hook)?.dialect;
    if (dialect === undefined) return this.#ask(batch, hook, batch.json, this.#readOutput);
    const ask = (call: ForeignCall) => this.#ask(batch, hook, call.stdin, call.readOutput);
    return runAsThere(batch, hook, dialect, ask, { isHttp: true });
  }

  #ask(
    { eventName, input, signal, traceParent }: Batch,
    hook: HookConfig,
    body: string,
    readOutput: OutputReader | undefined,
  ): Promise<HookExecutionResult> {
    const { environment, variables, withheld } = this.#host.to(hook);
    return runHttp(hook, eventName, input, {
      limits: this.#limits,
      environment: variables === undefined ? environment : { ...environment, ...variables },
      withheld,
      signal,
      traceParent,
      body,
      readOutput,
    });
  }

  /** What the URL alone says, without a connection or a lookup. */
  inspect(hook: HookConfig): readonly Notice[] {
    const read = targetOf(hook);
    if (!read.ok) return [notice('http-error', read.message, { fix: 'correct the url' })];
    const { literal } = read.target;
    const refusal = literal === undefined ? undefined : read.target.refuses(literal);
    return refusal === undefined
      ? []
      : [notice('blocked-address', refusal, { fix: 'use an address that hooks may reach' })];
  }
}
