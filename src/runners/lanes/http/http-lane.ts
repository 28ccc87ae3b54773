import { describeThrown, turnFor } from '../../../kit/index.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type Notice,
  notice,
  originOf,
} from '../../../protocol/index.ts';
import { faultResult } from '../../answer/faults.ts';
import { type OutputReader, parseOutput, resultOf } from '../../answer/parse-output.ts';
import { howToAllow, isForeign } from '../../command/foreign-environment.ts';
import type { Variables } from '../../command/shell-words.ts';
import { type RunnerLimits, timeoutOf } from '../../limits.ts';
import type { Batch, EngineLane } from '../event-run.ts';
import { type ForeignCall, runAsThere } from '../foreign-call.ts';
import { HostEnvironment } from '../host-environment.ts';
import { type Exchanged, exchange, type Resolve } from './exchange.ts';
import { type ReadTarget, readTarget } from './target.ts';

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
    this.#host = new HostEnvironment(config, { variables });
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

/** What the HTTP hooks of one engine share, and what one request adds. */
export interface HttpContext {
  readonly limits: Pick<RunnerLimits, 'stdoutBytes'>;
  /** The part of the host's environment that the hook may see. */
  readonly environment: Variables;
  /** Names of variables that were left out. */
  readonly withheld?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The input as JSON, where several hooks get the same. */
  readonly body?: string | undefined;
  /** Sent as the header of that name, unless the hook sets one itself. */
  readonly traceParent?: string | undefined;
  /** Reads answers of another kind than those of agent hooks. */
  readonly readOutput?: OutputReader | undefined;
  /** Finds the addresses of names; by default as the system does. */
  readonly resolve?: Resolve | undefined;
}

/** Hooks of the user, the system and of code may name places inside; others only once the user has approved that very URL. */
const mayGoInward = (hook: HookConfig): boolean => !isForeign(hook) || originOf(hook)?.approved === true;

/** What may be connected to for a hook, or why it has no endpoint. */
export const targetOf = (hook: HookConfig): ReadTarget => readTarget(hook.url ?? '', mayGoInward(hook));

const headerWarnings = (
  hook: HookConfig,
  { empty, refused }: HeadersToSend,
  withheld: readonly string[] = [],
): Notice[] => {
  const kept = empty.filter((name) => withheld.includes(name));
  const why = kept.length === 0 ? '' : `: ${kept.join(', ')} not passed on, because it looks like a secret`;
  const left = notice('withheld-variables', `${empty.join(', ')} left empty in the headers${why}`, {
    fix:
      kept.length === 0 ? 'name the variable in allowedEnvVars, and make sure that it is set' : howToAllow(hook, kept),
    detail: { names: empty },
  });
  const unsent = notice(
    'refused-headers',
    `${refused.join(', ')} not sent: hooks may not set them, or their values are invalid`,
  );
  return [...(empty.length === 0 ? [] : [left]), ...(refused.length === 0 ? [] : [unsent])];
};

const conclude = (
  hook: HookConfig,
  eventName: string,
  outcome: Exchanged,
  duration: number,
  warnings: readonly Notice[],
  readOutput: OutputReader | undefined,
): HookExecutionResult => {
  const { code, message: failure = '', fix, cause } = 'fault' in outcome ? outcome.fault : {};
  const hint = code === undefined || fix === undefined ? [] : [notice(code, failure, { fix })];
  const fault = code === undefined ? {} : { fault: { code, failure } };
  const end = { exitCode: code === undefined ? 0 : null, stdout: outcome.body, stderr: '', ...fault };
  const read = readOutput === undefined ? parseOutput(end) : readOutput(end, hook, eventName);
  const { stderr: _none, ...parsed } = read;
  const noted = [...hint, ...(parsed.warnings ?? []), ...warnings];
  const result = resultOf(hook, eventName, parsed, duration, cause);
  return noted.length === 0 ? result : { ...result, warnings: noted };
};

/** Sends one request to the endpoint of an HTTP hook. Its body is read as the output of a command, however the exchange ended. */
export const runHttp = async (
  hook: HookConfig,
  eventName: string,
  input: object,
  context: HttpContext,
): Promise<HookExecutionResult> => {
  const startedAt = performance.now();
  const passed = (): number => performance.now() - startedAt;
  try {
    const read = targetOf(hook);
    if (!read.ok) return faultResult(hook, eventName, { code: 'http-error', message: read.message }, passed());
    const toSend = headersToSend(hook.headers, hook.allowedEnvVars, context.environment);
    const warnings = headerWarnings(hook, toSend, context.withheld);
    const outcome = await exchange({
      target: read.target,
      body: context.body ?? JSON.stringify(input),
      headers:
        context.traceParent === undefined ? toSend.headers : { traceparent: context.traceParent, ...toSend.headers },
      timeoutMs: timeoutOf(hook),
      maxBytes: context.limits.stdoutBytes,
      signal: context.signal,
      resolve: context.resolve,
    });
    const duration = passed();
    await turnFor(outcome.body.length);
    return conclude(hook, eventName, outcome, duration, warnings, context.readOutput);
  } catch (cause) {
    return faultResult(hook, eventName, { code: 'threw', message: describeThrown(cause), cause }, passed());
  }
};

interface HeadersToSend {
  readonly headers: Readonly<Record<string, string>>;
  /** Names of variables that were left out: not allowed, or not set. */
  readonly empty: readonly string[];
  /** Headers that cannot be sent: they are ours to set, or hold what no header may. */
  readonly refused: readonly string[];
}

/** They say where a message begins and ends, and to whom it goes; a hook does not get to say another thing than we do. */
const ours =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|upgrade|te|trailer|proxy-.*)$/i;

const isName = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);

/** What Node would throw at, and what would begin another header. */
const isValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const reference = /\$(?:\{(\w+)\}|(\w+))/g;

/**
 * Fills `$NAME` and `${NAME}` into the values of headers: only variables that the hook says it needs, and that it is told
 * of at all. Every other one is left empty, and named, so that a missing token does not go unnoticed.
 */
const headersToSend = (
  written: Readonly<Record<string, string>> = {},
  allowed: readonly string[] = [],
  environment: Variables = {},
): HeadersToSend => {
  const headers: Record<string, string> = {};
  const empty = new Set<string>();
  const refused: string[] = [];
  for (const [name, template] of Object.entries(written)) {
    const value = template.replace(reference, (_all, braced?: string, bare?: string) => {
      const variable = braced ?? bare ?? '';
      const found = allowed.includes(variable) && Object.hasOwn(environment, variable) ? environment[variable] : '';
      if (found === '' || found === undefined) empty.add(variable);
      return found ?? '';
    });
    if (ours.test(name) || !isName(name) || !isValue(value)) refused.push(name);
    else headers[name.toLowerCase()] = value;
  }
  return { headers, empty: [...empty], refused };
};
