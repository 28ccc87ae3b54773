import {
  type DialectCall,
  type DialectEnd,
  type FaultCode,
  type HookDialect,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { decode } from './decode.ts';
import { BLOCKED, type Failure, failureOf, type ParsedOutput, type ProcessEnd } from './parse-output.ts';

/** Faults of a hook that did not answer in time, by its own limit or the request's. */
const late: readonly FaultCode[] = ['timeout', 'deadline'];

const endOf = (
  { exitCode, signal, fault }: ProcessEnd,
  stdout: string,
  stderr: string,
  isHttp: boolean,
): DialectEnd => ({
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
export const parseDialectOutput = (
  end: ProcessEnd,
  call: DialectCall,
  dialect: HookDialect,
  isHttp = false,
): ParsedOutput => {
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
  } = call.hear(endOf(end, stdout.text, stderr.text, isHttp));
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
