import { constants } from 'node:os';
import { isRecord, shorten } from '../kit/index.ts';
import { type Notice, notice } from '../protocol/notices.ts';
import { type HookOutput, type ReadOutput, readOutput } from '../protocol/output.ts';
import type { FaultCode, FieldProblem } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import { type Decoded, decode } from './decode.ts';
import { type Found, findDocument } from './find-document.ts';
import { suspectLaunch } from './suspect-launch.ts';

/** How a process ended and what it wrote. */
export interface ProcessEnd {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string | Uint8Array;
  readonly stderr: string | Uint8Array;
}

/** What became of it. `fault` and `success` are apart: a malformed answer is a fault of a healthy process. */
export interface ParsedOutput {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly signal?: string;
  readonly output?: HookOutput;
  readonly outputFormat?: 'json' | 'text';
  readonly code?: FaultCode;
  /** Why the process itself is held to have failed. Absent for exit 0 and for a block. */
  readonly failure?: string;
  readonly fieldProblems?: readonly FieldProblem[];
  readonly warnings?: readonly Notice[];
}

/** The exit code of a hook that blocks. */
export const BLOCKED = 2;
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
/** A shell whose command was ended by signal n ends with 128 + n. */
const SIGNALLED = 128;

const DEFAULT_REASON = 'Hook exited with code 2 without an error message';
const WARNING = 'Warning: ';
/** Longer texts are cut with a mark, as those within a JSON answer are. */
const MAX_MESSAGE = 65_536;

/** Each field and each argument is looked up and accounted for; an answer has a dozen of them, a flood has a million. */
const MAX_FIELDS = 1_000;

const signalNames = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));

type Conclusion = Omit<ParsedOutput, 'stdout' | 'stderr'>;

const message = (text: string): HookOutput => ({ decision: 'allow', systemMessage: shorten(text, MAX_MESSAGE) });

const unlessEmpty = <T>(problems: readonly T[]): readonly T[] | undefined =>
  problems.length === 0 ? undefined : problems;

/** The keys that have a value; absent and `undefined` are not the same to those who compare results. */
const conclude = (
  base: Conclusion,
  { fieldProblems = [], warnings = [] }: { fieldProblems?: readonly FieldProblem[]; warnings?: readonly Notice[] },
): Conclusion => {
  const problems = unlessEmpty(fieldProblems);
  const noted = unlessEmpty(warnings);
  return {
    ...base,
    ...(problems === undefined ? {} : { fieldProblems: problems }),
    ...(noted === undefined ? {} : { warnings: noted }),
  };
};

const countFields = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const countAll = (value: Record<string, unknown>): number => {
  const { hookSpecificOutput: specific } = value;
  return countFields(value) + countFields(specific) + countFields(isRecord(specific) ? specific.tool_input : undefined);
};

const readAnswer = (value: Record<string, unknown>): ReadOutput =>
  countAll(value) > MAX_FIELDS ? { ok: false, message: `has more than ${MAX_FIELDS} fields` } : readOutput(value);

const malformed = (stdout: string, problem: string): Conclusion => ({
  success: true,
  code: 'malformed-output',
  output: { decision: 'allow', systemMessage: shorten(stdout.trim()) },
  outputFormat: 'text',
  warnings: [notice('malformed-output', `the output starts like JSON but ${problem}`)],
});

const answered = (stdout: string): Conclusion => {
  const found = findDocument(stdout);
  if (found.kind === 'broken') return malformed(stdout, found.problem);
  if (found.kind === 'none') {
    const text = stdout.trim();
    return text === '' ? { success: true } : { success: true, output: message(text), outputFormat: 'text' };
  }
  const read = readAnswer(found.value);
  if (!read.ok) return malformed(stdout, read.message);
  const cutOff = found.problem === undefined ? [] : [notice('malformed-output', `a further document ${found.problem}`)];
  return conclude(
    {
      success: true,
      output: read.output,
      outputFormat: 'json',
      ...(read.verdictLost || found.problem !== undefined ? { code: 'malformed-output' } : {}),
    },
    { fieldProblems: read.problems, warnings: [...found.warnings, ...cutOff] },
  );
};

/** The JSON that shapes a block: that of stdout, else that of stderr. */
const shapeOf = (stdout: Found, stderr: Found): (Found & { kind: 'answer' }) | undefined =>
  stdout.kind === 'answer' ? stdout : stderr.kind === 'answer' ? stderr : undefined;

const firstText = (...texts: readonly string[]): string => {
  const text = texts.find((candidate) => candidate.trim() !== '');
  return text === undefined ? DEFAULT_REASON : shorten(text.trim(), MAX_MESSAGE);
};

const ourFields = [
  'reason',
  'decision',
  'continue',
  'stopReason',
  'systemMessage',
  'suppressOutput',
  'hookSpecificOutput',
] as const;

/** JSON that has none of our fields was not meant for us; its text is then the best reason there is. */
const speaksToUs = (said: HookOutput | undefined): boolean => ourFields.some((field) => said?.[field] !== undefined);

/** Exit code 2 blocks, whatever was printed. JSON can say how; it cannot take the block back. */
const blocked = (stdout: string, stderr: string): Conclusion => {
  const onStdout = findDocument(stdout);
  const onStderr = findDocument(stderr);
  const shape = shapeOf(onStdout, onStderr);
  const read = shape === undefined ? undefined : readAnswer(shape.value);
  const said = read?.ok ? read.output : undefined;
  const suspect = said === undefined ? suspectLaunch(stderr) : undefined;
  const decision = said?.decision === 'deny' ? 'deny' : 'block';
  const overruled =
    said?.decision === undefined || said.decision === decision
      ? []
      : [notice('overruled', `exit code 2 blocks; "decision": "${said.decision}" is not heard`)];
  const output: HookOutput = {
    ...said,
    decision,
    reason: firstText(
      said?.reason ?? '',
      onStderr.kind === 'answer' && speaksToUs(said) ? '' : stderr,
      onStdout.kind === 'answer' && speaksToUs(said) ? '' : stdout,
    ),
  };
  return conclude(
    { success: false, output, outputFormat: said === undefined ? 'text' : 'json' },
    {
      fieldProblems: read?.ok ? read.problems : [],
      warnings: [...(shape?.warnings ?? []), ...overruled, ...(suspect === undefined ? [] : [suspect])],
    },
  );
};

/** What an exit code other than 0 and 2 says about the run. */
export const failureOf = (exitCode: number): { code: FaultCode; failure: string; signal?: string } => {
  const signal = signalNames.get(exitCode - SIGNALLED);
  if (exitCode === NOT_EXECUTABLE || exitCode === NOT_FOUND) {
    const why = exitCode === NOT_FOUND ? 'a command was not found' : 'a command could not be executed';
    return { code: 'spawn-failed', failure: `exited with code ${exitCode}: ${why}` };
  }
  if (signal !== undefined) {
    return { code: 'killed-by-signal', signal, failure: `exited with code ${exitCode}: ended by ${signal}` };
  }
  return { code: 'exit-code', failure: `exited with code ${exitCode}` };
};

/** Any other code: a failed run. What it said on stderr is passed on; it is no verdict. */
const failed = (exitCode: number, stderr: string): Conclusion => {
  const text = stderr.trim();
  return {
    success: false,
    ...(text === '' ? {} : ({ output: message(WARNING + text), outputFormat: 'text' } as const)),
    ...failureOf(exitCode),
  };
};

const killed = (signal: string | undefined): Conclusion => ({
  success: false,
  code: 'killed-by-signal',
  failure: `was ended by ${signal ?? 'a signal'}`,
});

/** What stdout would mean if the process ended well, found out before it has ended. */
export interface ReadAhead {
  readonly bytes: number;
  readonly stdout: Decoded;
  readonly conclusion: Conclusion;
}

/**
 * Reads an answer while its process is still ending. That takes a process a tenth of a millisecond in which nobody else
 * has anything to do; afterwards everybody waits.
 */
export const readAhead = (output: Uint8Array): ReadAhead => {
  const stdout = decode(output, 'stdout');
  return { bytes: output.byteLength, stdout, conclusion: answered(stdout.text) };
};

const conclusionOf = (
  { exitCode, signal }: ProcessEnd,
  stdout: string,
  stderr: string,
  ahead: ReadAhead | undefined,
): Conclusion => {
  if (exitCode === null || signal !== undefined) return killed(signal);
  if (exitCode === 0) return ahead?.conclusion ?? answered(stdout);
  return exitCode === BLOCKED ? blocked(stdout, stderr) : failed(exitCode, stderr);
};

/** Reads how the process of a hook ended, where its answers are of another kind. */
export type OutputReader = (end: ProcessEnd, hook: HookConfig, eventName: string) => ParsedOutput;

/** Reads how a hook's process ended: a verdict, no opinion or a fault. `ahead` counts if nothing came after it. */
export const parseOutput = (end: ProcessEnd, ahead?: ReadAhead): ParsedOutput => {
  const early = ahead !== undefined && ahead.bytes === end.stdout.length ? ahead : undefined;
  const stdout = early?.stdout ?? decode(end.stdout, 'stdout');
  const stderr = decode(end.stderr, 'stderr');
  const conclusion = conclusionOf(end, stdout.text, stderr.text, early);
  const warnings = unlessEmpty([...stdout.warnings, ...stderr.warnings, ...(conclusion.warnings ?? [])]);
  return {
    ...conclusion,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(warnings === undefined ? {} : { warnings }),
  };
};
