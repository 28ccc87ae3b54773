import {
  type AgentHook,
  type AgentHookResult,
  type AgentHookRun,
  type FaultCode,
  type HookConfig,
  type HookExecutionResult,
  isBlocking,
  type Notice,
  notice,
  strictnessOf,
} from '../../protocol/index.ts';
import { decode } from '../answer/decode.ts';
import { faultResult, notMatched } from '../answer/faults.ts';
import {
  BLOCKED,
  type Failure,
  failureOf,
  type OutputReader,
  type ParsedOutput,
  type ProcessEnd,
} from '../answer/parse-output.ts';
import { newRunId } from '../process/start-process.ts';
import type { Batch } from './event-run.ts';

/** Runs a hook of another agent: it reads what it would read there, and is heard as there. */
export const runAsThere = (
  { eventName, input }: Batch,
  hook: HookConfig,
  dialect: AgentHook,
  run: (call: ForeignCall) => Promise<HookExecutionResult>,
  options?: { readonly isHttp: boolean },
): Promise<HookExecutionResult> =>
  oneByOne(dialect.split(input), async (part) => {
    const call = new ForeignCall(dialect, part, options);
    return call.without(hook, eventName) ?? call.heard(await run(call));
  });

/** One run of a hook of another agent: what it reads, and how it is heard. */
export class ForeignCall {
  readonly #call: AgentHookRun;
  readonly #dialect: AgentHook;
  readonly #isHttp: boolean;
  #isHeard = false;

  constructor(dialect: AgentHook, input: object, { isHttp = false } = {}) {
    this.#dialect = dialect;
    this.#call = dialect.begin(input, newRunId());
    this.#isHttp = isHttp;
  }

  /** The result without a start: the agent would not run it, or that cannot be told in time. */
  without(hook: HookConfig, eventName: string): HookExecutionResult | undefined {
    const { matches } = this.#call;
    if (matches === true) return undefined;
    if (matches === false) return notMatched(hook, eventName, this.#dialect);
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
    this.#isHeard = true;
    return parseDialectOutput(end, this.#call, this.#dialect, this.#isHttp);
  };

  /** What never came to an answer is a fault here, and may be a decision there. */
  heard(result: HookExecutionResult): HookExecutionResult {
    const { code, error } = result;
    if (this.#isHeard || code === undefined) return result;
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

/** From blocking answers to permissive ones. */
const weightOf = ({ output, error }: HookExecutionResult): number => {
  if (output?.continue === false || isBlocking(output?.decision)) return 3;
  return strictnessOf(output?.decision) > strictnessOf('allow') ? 2 : error === undefined ? 0 : 1;
};

/** Of an answer about a part nothing can be said of the whole but that it is refused, asked about, or not. */
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

/** Asks about each part of a call, until one is refused; what holds the call up most is the answer. */
const oneByOne = async (
  parts: readonly object[],
  ask: (part: object) => Promise<HookExecutionResult>,
): Promise<HookExecutionResult> => {
  const [first = {}, ...more] = parts;
  let answer = await ask(first);
  if (more.length > 0) answer = withoutChange(answer);
  for (const part of more) {
    if (weightOf(answer) === 3) break;
    const next = withoutChange(await ask(part));
    const duration = answer.duration + next.duration;
    answer = { ...(weightOf(next) > weightOf(answer) ? next : answer), duration };
  }
  return answer;
};

/** Faults of a hook that did not answer in time, by its own limit or the request's. */
const late: readonly FaultCode[] = ['timeout', 'deadline'];

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
  ...(fault === undefined ? {} : late.includes(fault.code) ? { timedOut: true } : { notStarted: fault.failure }),
  ...(isHttp ? { isHttp } : {}),
});

/** What its agent takes for a failure has the code that the run has, and its words. */
const failureIn = (why: string, end: ProcessEnd): Failure => {
  if (end.fault !== undefined) return end.fault;
  return { ...(failureOf(end) ?? { code: 'malformed-output' }), failure: why };
};

/** How a run broke that its agent makes something of all the same. Exit code 2 is a word of its own to hooks. */
const brokenRun = (end: ProcessEnd): Failure | undefined => {
  const failure = failureOf(end);
  return failure?.code === 'exit-code' && end.exitCode === BLOCKED ? undefined : failure;
};

/** Reads how a hook of another agent ended, the way that agent does. */
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
  const failure = failed === undefined ? brokenRun(end) : failureIn(failed, end);
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
