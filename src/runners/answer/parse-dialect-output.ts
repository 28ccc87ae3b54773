import {
  type DialectCall,
  type DialectEnd,
  type FaultCode,
  type HookDialect,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { decode } from './decode.ts';
import type { Failure, ParsedOutput, ProcessEnd } from './parse-output.ts';

/** Faults of a hook that was not answered in time, whoever's time it was. */
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

const failureIn = (why: string, { exitCode, signal, fault }: ProcessEnd): Failure => {
  if (fault !== undefined) return fault;
  if (exitCode === null) return { code: 'killed-by-signal', failure: why, ...(signal === undefined ? {} : { signal }) };
  return { code: exitCode === 0 ? 'malformed-output' : 'exit-code', failure: why };
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
  const { output, isText, mark, grantsNothing, failed, notes } = call.hear(
    endOf(end, stdout.text, stderr.text, isHttp),
  );
  const said = notes.map((note) => notice('dialect', note, { detail: { dialect: dialect.name } }));
  const warnings: readonly Notice[] = [...stdout.warnings, ...stderr.warnings, ...said];
  const failure = failed === undefined ? undefined : failureIn(failed, end);
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
    ...(failure === undefined ? {} : failure),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};
