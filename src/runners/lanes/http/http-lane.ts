// Runs HTTP hooks: sends the event as a POST request and reads the response like the stdout of a command.
import { describeThrown, waitForTurnIfLarge } from '../../../kit/index.ts';
import {
  getOrigin,
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type Notice,
  notice,
} from '../../../protocol/index.ts';
import { createFaultResult } from '../../answer/faults.ts';
import { createResult, type OutputReader, parseOutput } from '../../answer/parse-output.ts';
import { formatAllowHint, isForeign } from '../../command/foreign-environment.ts';
import type { Variables } from '../../command/shell-words.ts';
import { getHookTimeout, type RunnerLimits } from '../../limits.ts';
import type { ProcessLaneOptions } from '../../process/executor.ts';
import { type AgentHookCall, runAgentHook } from '../agent-hook-call.ts';
import type { EngineLane, EventRun } from '../event-run.ts';
import { HostEnvironment } from '../host-environment.ts';
import { exchangeHttp, type HostResolver, type HttpExchangeResult } from './exchange.ts';
import { readTarget, type TargetResult } from './target.ts';

export class HttpLane implements EngineLane {
  readonly #limits: RunnerLimits;
  readonly #host: HostEnvironment;
  readonly #readOutput: OutputReader | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, { variables, readOutput }: ProcessLaneOptions) {
    this.#limits = limits;
    this.#host = new HostEnvironment(config, { variables });
    this.#readOutput = readOutput;
  }

  async run(eventRun: EventRun, hook: HookConfig): Promise<HookExecutionResult> {
    const dialect = getOrigin(hook)?.dialect;
    if (dialect === undefined) return this.#post(eventRun, hook, eventRun.json, this.#readOutput);
    const post = (call: AgentHookCall) => this.#post(eventRun, hook, call.stdin, call.readOutput);
    return runAgentHook(eventRun, hook, dialect, post, true);
  }

  #post(
    { eventName, input, signal, traceParent }: EventRun,
    hook: HookConfig,
    body: string,
    readOutput: OutputReader | undefined,
  ): Promise<HookExecutionResult> {
    const { environment, variables, withheld } = this.#host.visibleTo(hook);
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

  inspect(hook: HookConfig): readonly Notice[] {
    const read = readHttpTarget(hook);
    if (!read.ok) return [notice('http-error', read.message, { fix: 'correct the url' })];
    const { literal } = read.target;
    const refusal = literal && read.target.refuses(literal);
    return refusal ? [notice('blocked-address', refusal, { fix: 'use an address that hooks may reach' })] : [];
  }
}

interface HttpContext {
  readonly limits: Pick<RunnerLimits, 'stdoutBytes'>;
  readonly environment: Variables;
  readonly withheld?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly body?: string | undefined;
  readonly traceParent?: string | undefined;
  readonly readOutput?: OutputReader | undefined;
  readonly resolve?: HostResolver | undefined;
}

/** A hook of a project or an extension may use an internal address only if the user approved its URL. */
const mayReachPrivateNetwork = (hook: HookConfig): boolean => !isForeign(hook) || getOrigin(hook)?.approved === true;

export const readHttpTarget = (hook: HookConfig): TargetResult =>
  readTarget(hook.url ?? '', mayReachPrivateNetwork(hook));

const listHeaderWarnings = (
  hook: HookConfig,
  { empty, refused }: HeadersToSend,
  withheld: readonly string[] = [],
): Notice[] => {
  const kept = empty.filter((name) => withheld.includes(name));
  const why = kept.length === 0 ? '' : `: ${kept.join(', ')} not passed on, because it looks like a secret`;
  const left = `${empty.join(', ')} left empty in the headers${why}`;
  const unset = 'name the variable in allowedEnvVars, and make sure that it is set';
  const fix = kept.length === 0 ? unset : formatAllowHint(hook, kept);
  const unsent = `${refused.join(', ')} not sent: hooks may not set them, or their values are invalid`;
  return [
    ...(empty.length === 0 ? [] : [notice('withheld-variables', left, { fix, detail: { names: empty } })]),
    ...(refused.length === 0 ? [] : [notice('refused-headers', unsent)]),
  ];
};

const createHttpResult = (
  hook: HookConfig,
  eventName: string,
  outcome: HttpExchangeResult,
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
  const result = createResult(hook, eventName, parsed, duration, cause);
  return noted.length === 0 ? result : { ...result, warnings: noted };
};

/** The body is parsed even if the exchange failed, because it may contain a denial. */
export const runHttp = async (
  hook: HookConfig,
  eventName: string,
  input: object,
  context: HttpContext,
): Promise<HookExecutionResult> => {
  const startedAt = performance.now();
  const passed = (): number => performance.now() - startedAt;
  try {
    const read = readHttpTarget(hook);
    if (!read.ok) return createFaultResult(hook, eventName, { code: 'http-error', message: read.message }, passed());
    const toSend = fillHeaders(hook.headers, hook.allowedEnvVars, context.environment);
    const warnings = listHeaderWarnings(hook, toSend, context.withheld);
    const outcome = await exchangeHttp({
      target: read.target,
      body: context.body ?? JSON.stringify(input),
      headers:
        context.traceParent === undefined ? toSend.headers : { traceparent: context.traceParent, ...toSend.headers },
      timeoutMs: getHookTimeout(hook),
      maxBytes: context.limits.stdoutBytes,
      signal: context.signal,
      resolve: context.resolve,
    });
    const duration = passed();
    await waitForTurnIfLarge(outcome.body.length);
    return createHttpResult(hook, eventName, outcome, duration, warnings, context.readOutput);
  } catch (cause) {
    return createFaultResult(hook, eventName, { code: 'threw', message: describeThrown(cause), cause }, passed());
  }
};

interface HeadersToSend {
  readonly headers: Readonly<Record<string, string>>;
  readonly empty: readonly string[];
  readonly refused: readonly string[];
}

/** HTTP framing and routing depend on these headers, so a hook must not set them. */
const reservedHeaderPattern =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|upgrade|te|trailer|proxy-.*)$/i;

const isHeaderName = (name: string): boolean => /^[!#$%&'*+.^_`|~\w-]+$/.test(name);

/** Line breaks would start another header; Node throws for other invalid characters. */
const isHeaderValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

const variablePattern = /\$(?:\{(\w+)\}|(\w+))/g;

/**
 * Replaces `$NAME` and `${NAME}` by variables that `allowedEnvVars` lists and the hook may see. Returns the names of
 * empty variables, so that a missing token is reported.
 */
const fillHeaders = (
  written: Readonly<Record<string, string>> = {},
  allowed: readonly string[] = [],
  environment: Variables = {},
): HeadersToSend => {
  const headers: Record<string, string> = {};
  const empty = new Set<string>();
  const refused: string[] = [];
  for (const [name, template] of Object.entries(written)) {
    const value = template.replace(variablePattern, (_all, braced?: string, bare?: string) => {
      const variable = braced ?? bare ?? '';
      const found = allowed.includes(variable) && Object.hasOwn(environment, variable) ? environment[variable] : '';
      if (found === '' || found === undefined) empty.add(variable);
      return found ?? '';
    });
    if (reservedHeaderPattern.test(name) || !isHeaderName(name) || !isHeaderValue(value)) refused.push(name);
    else headers[name.toLowerCase()] = value;
  }
  return { headers, empty: [...empty], refused };
};
