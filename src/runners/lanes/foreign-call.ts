// Runs a hook written for another agent by that agent's rules for input, variables and answers.
import {
  type AgentHook,
  type AgentHookResult,
  type AgentHookRun,
  type FaultCode,
  getStrictness,
  type HookConfig,
  type HookExecutionResult,
  isBlocking,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { decode } from '../answer/decode.ts';
import { createNotMatchedResult, faultResult } from '../answer/faults.ts';
import {
  BLOCKED,
  type Failure,
  failureOf,
  type OutputReader,
  type ParsedOutput,
  type ProcessEnd,
} from '../answer/parse-output.ts';
import { createRunId } from '../process/start-process.ts';
import type { EventRun } from './event-run.ts';

/** Some agents treat one tool call as several, and run their hooks once for each part. */
export const runForeignHook = (
  { eventName, input }: EventRun,
  hook: HookConfig,
  dialect: AgentHook,
  run: (call: ForeignCall) => Promise<HookExecutionResult>,
  options?: { readonly isHttp: boolean },
): Promise<HookExecutionResult> =>
  runOneByOne(dialect.split(input), async (part) => {
    const call = new ForeignCall(dialect, part, options);
    return call.without(hook, eventName) ?? call.readFault(await run(call));
  });

export class ForeignCall {
  readonly #call: AgentHookRun;
  readonly #dialect: AgentHook;
  readonly #isHttp: boolean;
  #isRead = false;

  constructor(dialect: AgentHook, input: object, { isHttp = false } = {}) {
    this.#dialect = dialect;
    this.#call = dialect.begin(input, createRunId());
    this.#isHttp = isHttp;
  }

  without(hook: HookConfig, eventName: string): HookExecutionResult | undefined {
    const { matches } = this.#call;
    if (matches === true) return undefined;
    if (matches === false) return createNotMatchedResult(hook, eventName, this.#dialect);
    const message = 'its matcher ran out of time on this call; it was not started';
    return faultResult(hook, eventName, { code: 'matcher-timeout', message });
  }

  get input(): object {
    return this.#call.stdin;
  }

  get stdin(): string {
    return JSON.stringify(this.#call.stdin);
  }

  variables(): Readonly<Record<string, string>> {
    return this.#call.variables();
  }

  readonly readOutput: OutputReader = (end) => {
    this.#isRead = true;
    return parseDialectOutput(end, this.#call, this.#dialect, this.#isHttp);
  };

  /** A run that failed for hookwright may be a decision for the agent. */
  readFault(result: HookExecutionResult): HookExecutionResult {
    const { code, error } = result;
    if (this.#isRead || code === undefined) return result;
    const fault = { code, failure: error?.message ?? code };
    const read = this.readOutput(
      { exitCode: null, stdout: '', stderr: '', fault },
      result.hookConfig,
      result.eventName,
    );
    const { output, outputFormat, mark, grantsNothing, warnings = [] } = read;
    return {
      ...result,
      ...(output === undefined ? {} : { output, outputFormat }),
      ...(mark === undefined ? {} : { mark }),
      ...(grantsNothing === true ? { grantsNothing } : {}),
      ...(warnings.length === 0 ? {} : { warnings: [...(result.warnings ?? []), ...warnings] }),
    };
  }
}

const rankResult = ({ output, error }: HookExecutionResult): number => {
  if (output?.continue === false || isBlocking(output?.decision)) return 3;
  return getStrictness(output?.decision) > getStrictness('allow') ? 2 : error === undefined ? 0 : 1;
};

/** A change to one part cannot be merged into the whole call, so only the verdict of the answer is used. */
const withoutChange = (result: HookExecutionResult): HookExecutionResult => {
  const { tool_input: changed, ...specific } = result.output?.hookSpecificOutput ?? {};
  if (changed === undefined) return result;
  const message = 'changed one of several things that the call does, which cannot be put back together';
  return {
    ...faultResult(result.hookConfig, result.eventName, { code: 'malformed-output', message }, result.duration),
    output: { ...result.output, hookSpecificOutput: specific },
    outputFormat: 'json',
  };
};

const runOneByOne = async (
  parts: readonly object[],
  ask: (part: object) => Promise<HookExecutionResult>,
): Promise<HookExecutionResult> => {
  const [first = {}, ...more] = parts;
  let answer = await ask(first);
  if (more.length > 0) answer = withoutChange(answer);
  for (const part of more) {
    if (rankResult(answer) === 3) break;
    const next = withoutChange(await ask(part));
    const duration = answer.duration + next.duration;
    answer = { ...(rankResult(next) > rankResult(answer) ? next : answer), duration };
  }
  return answer;
};

const lateCodes: readonly FaultCode[] = ['timeout', 'deadline'];

const endOf = (
  { exitCode, signal, fault }: ProcessEnd,
  stdout: string,
  stderr: string,
  isHttp: boolean,
): AgentHookResult => ({
  exitCode: fault === undefined ? exitCode : null,
  signal,
  stdout,
  stderr,
  ...(fault === undefined ? {} : lateCodes.includes(fault.code) ? { timedOut: true } : { notStarted: fault.failure }),
  ...(isHttp ? { isHttp } : {}),
});

const toFailure = (why: string, end: ProcessEnd): Failure => {
  if (end.fault !== undefined) return end.fault;
  return { ...(failureOf(end) ?? { code: 'malformed-output' }), failure: why };
};

/** Exit code 2 may be a verdict, so it is no failure. */
const findBrokenRun = (end: ProcessEnd): Failure | undefined => {
  const failure = failureOf(end);
  return failure?.code === 'exit-code' && end.exitCode === BLOCKED ? undefined : failure;
};

const parseDialectOutput = (end: ProcessEnd, call: AgentHookRun, dialect: AgentHook, isHttp = false): ParsedOutput => {
  const stdout = decode(end.stdout, 'stdout');
  const stderr = decode(end.stderr, 'stderr');
  const {
    output,
    isText,
    mark,
    grantsNothing,
    failed,
    notes,
    problems = [],
    verdictLost,
  } = call.readAnswer(endOf(end, stdout.text, stderr.text, isHttp));
  const said = notes.map((note) => notice('dialect', note, { detail: { dialect: dialect.name } }));
  const warnings: readonly Notice[] = [...stdout.warnings, ...stderr.warnings, ...said];
  const failure = failed === undefined ? findBrokenRun(end) : toFailure(failed, end);
  const outputFormat = isText === true ? 'text' : 'json';
  const answered = output === undefined || Object.keys(output).length === 0 ? {} : ({ output, outputFormat } as const);
  return {
    success: end.exitCode === 0 && end.fault === undefined && failure === undefined,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...answered,
    ...(mark === undefined ? {} : { mark }),
    ...(grantsNothing === true ? { grantsNothing } : {}),
    ...(verdictLost === true ? { code: 'malformed-output' } : {}),
    ...(failure === undefined ? {} : failure),
    ...(problems.length === 0 ? {} : { fieldProblems: problems }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};
