// Runs a hook written for another agent by that agent's rules for input, variables and answers.
import { omitUndefined } from '../../kit/index.ts';
import {
  type AgentHook,
  type AgentHookResult,
  type AgentHookRun,
  type FaultCode,
  getStrictness,
  type HookConfig,
  type HookExecutionResult,
  isBlocking,
  notice,
  withWarnings,
} from '../../protocol/index.ts';
import { decode } from '../answer/decode.ts';
import { createFaultResult, createNotMatchedResult } from '../answer/faults.ts';
import {
  BLOCKING_EXIT_CODE,
  findFailure,
  type OutputReader,
  type ParsedOutput,
  type ProcessEnd,
  type ProcessFailure,
} from '../answer/parse-output.ts';
import { createRunId } from '../process/start-process.ts';
import type { EventRun } from './event-run.ts';

/** Some agents treat one tool call as several, and run their hooks once for each part. */
export const runAgentHook = (
  { eventName, input }: EventRun,
  hook: HookConfig,
  dialect: AgentHook,
  start: (call: AgentHookCall) => Promise<HookExecutionResult>,
  isHttp = false,
): Promise<HookExecutionResult> =>
  runOneByOne(dialect.split(input), async (part) => {
    const call = new AgentHookCall(dialect, part, isHttp);
    const { matches } = call.run;
    if (matches === true) return call.readFault(await start(call));
    if (matches === false) return createNotMatchedResult(hook, eventName, dialect);
    const message = 'its matcher ran out of time on this call; it was not started';
    return createFaultResult(hook, eventName, { code: 'matcher-timeout', message });
  });

export class AgentHookCall {
  readonly run: AgentHookRun;
  readonly #dialect: AgentHook;
  readonly #isHttp: boolean;
  #isRead = false;

  constructor(dialect: AgentHook, input: object, isHttp: boolean) {
    this.#dialect = dialect;
    this.run = dialect.begin(input, createRunId());
    this.#isHttp = isHttp;
  }

  get stdin(): string {
    return JSON.stringify(this.run.stdin);
  }

  readonly readOutput: OutputReader = (end) => {
    this.#isRead = true;
    return parseAgentOutput(end, this.run, this.#dialect, this.#isHttp);
  };

  /** A run that failed for hookwright may be a decision for the agent. */
  readFault(result: HookExecutionResult): HookExecutionResult {
    const { code, error } = result;
    if (this.#isRead || code === undefined) return result;
    const fault = { code, failure: error?.message ?? code };
    const end = { exitCode: null, stdout: '', stderr: '', fault };
    const read = this.readOutput(end, result.hookConfig, result.eventName);
    const { output, outputFormat, mark, grantsNothing, warnings = [] } = read;
    return withWarnings({ ...result, ...omitUndefined({ output, outputFormat, mark, grantsNothing }) }, warnings);
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
    ...createFaultResult(result.hookConfig, result.eventName, { code: 'malformed-output', message }, result.duration),
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

const timeoutCodes: readonly FaultCode[] = ['timeout', 'deadline'];

const toAgentResult = (
  { exitCode, signal, fault }: ProcessEnd,
  stdout: string,
  stderr: string,
  isHttp: boolean,
): AgentHookResult => {
  const base = { exitCode, signal, stdout, stderr, ...(isHttp ? { isHttp } : {}) };
  if (fault === undefined) return base;
  const why = timeoutCodes.includes(fault.code) ? { timedOut: true } : { notStarted: fault.failure };
  return { ...base, exitCode: null, ...why };
};

const toFailure = (why: string, end: ProcessEnd): ProcessFailure =>
  end.fault ?? { ...(findFailure(end) ?? { code: 'malformed-output' }), failure: why };

/** Exit code 2 may be a verdict, so it is no failure. */
const findBrokenRun = (end: ProcessEnd): ProcessFailure | undefined => {
  const failure = findFailure(end);
  return failure?.code === 'exit-code' && end.exitCode === BLOCKING_EXIT_CODE ? undefined : failure;
};

const parseAgentOutput = (end: ProcessEnd, run: AgentHookRun, dialect: AgentHook, isHttp: boolean): ParsedOutput => {
  const stdout = decode(end.stdout, 'stdout');
  const stderr = decode(end.stderr, 'stderr');
  const read = run.readAnswer(toAgentResult(end, stdout.text, stderr.text, isHttp));
  const { output, isText, mark, grantsNothing, failed, notes, problems = [], verdictLost } = read;
  const noted = notes.map((note) => notice('dialect', note, { detail: { dialect: dialect.name } }));
  const warnings = [...stdout.warnings, ...stderr.warnings, ...noted];
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
    ...failure,
    ...(problems.length === 0 ? {} : { fieldProblems: problems }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};
