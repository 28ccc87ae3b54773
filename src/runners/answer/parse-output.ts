// Parses exit code, stdout and stderr of a hook: a verdict, no opinion, or a fault.
import { constants } from 'node:os';
import { shorten } from '../../kit/index.ts';
import {
  type FaultCode,
  type FieldProblem,
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { type DecodedText, decode } from './decode.ts';
import { createFaultError } from './faults.ts';
import { extractBlock, type FoundDocument, findDocument, readDocuments, withoutAllow } from './find-document.ts';

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string | Uint8Array;
  readonly stderr: string | Uint8Array;
  readonly fault?: ProcessFailure | undefined;
}

export interface ProcessFailure {
  readonly code: FaultCode;
  readonly failure: string;
  readonly signal?: string;
}

/** A process that succeeded may print a malformed answer, so `code` may be set with `success`. */
export interface ParsedOutput {
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly signal?: string;
  readonly output?: HookOutput;
  readonly outputFormat?: 'json' | 'text';
  readonly mark?: string;
  readonly grantsNothing?: true;
  readonly code?: FaultCode;
  readonly failure?: string;
  readonly fieldProblems?: readonly FieldProblem[];
  readonly warnings?: readonly Notice[];
}

export const BLOCKING_EXIT_CODE = 2;
const NOT_EXECUTABLE_EXIT_CODE = 126;
const NOT_FOUND_EXIT_CODE = 127;
/** A shell exits with 128 + n if signal n killed its command. */
const FIRST_SIGNAL_EXIT_CODE = 128;

const DEFAULT_BLOCK_REASON = 'Hook exited with code 2 without an error message';
const WARNING_PREFIX = 'Warning: ';
const MAX_MESSAGE_CHARACTERS = 65_536;

const signalNames = new Map<number, string>(Object.entries(constants.signals).map(([name, number]) => [number, name]));

type Conclusion = Omit<ParsedOutput, 'stdout' | 'stderr'>;

const toMessageOutput = (text: string): HookOutput => ({
  decision: 'allow',
  systemMessage: shorten(text, MAX_MESSAGE_CHARACTERS),
});

/** Omits empty lists: callers compare results, and an absent key differs from `undefined`. */
const createConclusion = (
  base: Conclusion,
  { fieldProblems = [], warnings = [] }: { fieldProblems?: readonly FieldProblem[]; warnings?: readonly Notice[] },
): Conclusion => ({
  ...base,
  ...(fieldProblems.length === 0 ? {} : { fieldProblems }),
  ...(warnings.length === 0 ? {} : { warnings }),
});

const concludeMalformed = (stdout: string, problem: string): Conclusion => ({
  success: true,
  code: 'malformed-output',
  output: { decision: 'allow', systemMessage: shorten(stdout.trim()) },
  outputFormat: 'text',
  warnings: [
    notice(
      'malformed-output',
      `stdout looks like an answer but ${formatParseProblem(problem)}`,
      /[{,]\s*(?:'|\w+:)/.test(stdout) ? { fix: DOUBLE_QUOTES_FIX } : {},
    ),
  ],
});

const DOUBLE_QUOTES_FIX =
  'JSON has double quotes: print json.dumps(…) in Python, JSON.stringify(…) in JavaScript, and all else to stderr';

const formatParseProblem = (problem: string): string =>
  problem
    .replace(
      /^Expected property name.* at position (\d+).*/,
      (_all, at) => `${PARSE_FAILURE_TEXT}: a name in double quotes was expected at character ${Number(at) + 1}`,
    )
    .replace(/^(?=(?:Unexpected|Expected|Bad|Unterminated) )/, `${PARSE_FAILURE_TEXT}: `);

const PARSE_FAILURE_TEXT = 'cannot be parsed';

const concludeAnswer = (stdout: string): Conclusion => {
  const found = findDocument(stdout);
  if (found.kind === 'broken') return concludeMalformed(stdout, found.problem);
  if (found.kind === 'none') {
    const text = stdout.trim();
    return text === '' ? { success: true } : { success: true, output: toMessageOutput(text), outputFormat: 'text' };
  }
  const read = readDocuments(found.documents);
  if (!read.ok) return concludeMalformed(stdout, read.message);
  const isLost = read.verdictLost || found.problem !== undefined;
  const beside = found.problem === undefined ? [] : [notice('malformed-output', `the output also ${found.problem}`)];
  return createConclusion(
    {
      success: true,
      output: isLost ? withoutAllow(read.output) : read.output,
      outputFormat: 'json',
      ...(isLost ? { code: 'malformed-output' } : {}),
    },
    { fieldProblems: read.problems, warnings: [...found.warnings, ...(read.notices ?? []), ...beside] },
  );
};

const readFoundDocuments = (found: FoundDocument | undefined) => {
  const read = found?.kind === 'answer' ? readDocuments(found.documents) : undefined;
  return read?.ok ? read : undefined;
};

const findFirstText = (...texts: readonly string[]): string => {
  const text = texts.find((candidate) => candidate.trim() !== '');
  return text === undefined ? DEFAULT_BLOCK_REASON : shorten(text.trim(), MAX_MESSAGE_CHARACTERS);
};

const knownFields = [
  'reason',
  'decision',
  'continue',
  'stopReason',
  'systemMessage',
  'suppressOutput',
  'hookSpecificOutput',
] as const;

const hasKnownFields = (output: HookOutput | undefined): boolean =>
  knownFields.some((field) => output?.[field] !== undefined);

/**
 * Exit code 2 always blocks. JSON can add a reason, but cannot withdraw the block. JSON without any known field is
 * treated as text.
 */
const concludeBlocked = (stdout: string, stderr: string): Conclusion => {
  const onStdout = findDocument(stdout);
  const onStderr = findDocument(stderr);
  const answer = [onStdout, onStderr].find((found) => found.kind === 'answer');
  const read = readFoundDocuments(answer);
  const said = read?.output;
  const isBroken = answer === undefined && (onStdout.kind === 'broken' || onStderr.kind === 'broken');
  const decision = isBroken || said?.decision === 'deny' ? 'deny' : 'block';
  const overruled =
    said?.decision === undefined || said.decision === decision
      ? []
      : [notice('overruled', `exit code 2 blocks; "decision": "${said.decision}" does not count`)];
  const output: HookOutput = {
    ...said,
    decision,
    reason: findFirstText(
      said?.reason ?? '',
      onStderr.kind === 'answer' && hasKnownFields(said) ? '' : stderr,
      onStdout.kind === 'answer' && hasKnownFields(said) ? '' : stdout,
    ),
  };
  return createConclusion(
    { success: false, output, outputFormat: said === undefined ? 'text' : 'json' },
    {
      fieldProblems: read?.problems ?? [],
      warnings: [
        ...(answer?.warnings ?? []),
        ...(read?.notices ?? []),
        ...overruled,
        ...(said === undefined ? findSuspectLaunch(stderr) : []),
      ],
    },
  );
};

const describeExitFailure = (exitCode: number): ProcessFailure => {
  const signal = signalNames.get(exitCode - FIRST_SIGNAL_EXIT_CODE);
  if (exitCode === NOT_EXECUTABLE_EXIT_CODE || exitCode === NOT_FOUND_EXIT_CODE) {
    const why = exitCode === NOT_FOUND_EXIT_CODE ? 'a command was not found' : 'a command could not be executed';
    return { code: 'spawn-failed', failure: `exited with code ${exitCode}: ${why}` };
  }
  if (signal !== undefined) {
    return { code: 'killed-by-signal', signal, failure: `exited with code ${exitCode}: ended by ${signal}` };
  }
  return { code: 'exit-code', failure: `exited with code ${exitCode}` };
};

export const findFailure = ({ fault, exitCode, signal }: ProcessEnd): ProcessFailure | undefined => {
  if (fault !== undefined) return fault;
  if (exitCode === null || signal !== undefined) {
    return { code: 'killed-by-signal', failure: `was ended by ${signal ?? 'a signal'}` };
  }
  return exitCode === 0 ? undefined : describeExitFailure(exitCode);
};

const MAX_ANSWER_CHARACTERS = 200;

const warnIgnored = (what: string, failure: string): Notice =>
  notice('set-aside', `${what} did not count, because the hook failed: ${failure}`);

/**
 * A block printed before the failure still counts; other parts of the answer are ignored with a warning. If the process
 * exited by itself, its stderr is shown to the user.
 */
const concludeFailure = (end: ProcessEnd, stdout: string, stderr: string, failure: ProcessFailure): Conclusion => {
  const found = findDocument(stdout);
  const answer = readFoundDocuments(found)?.output ?? {};
  const block = extractBlock(answer);
  const base = { success: false, ...failure };
  const exitedItself = end.fault === undefined && end.exitCode !== null && end.signal === undefined;
  const text = exitedItself ? stderr.trim() : '';
  const said = text === '' ? undefined : toMessageOutput(WARNING_PREFIX + text);
  if (block !== undefined) {
    const rest = Object.keys(answer).filter((field) => !Object.hasOwn(block, field));
    const warnings = rest.length === 0 ? [] : [warnIgnored(`${rest.join(', ')} of its answer`, failure.failure)];
    const output = { ...(said === undefined ? {} : { systemMessage: said.systemMessage }), ...block };
    return createConclusion({ ...base, output, outputFormat: 'json' }, { warnings });
  }
  const warnings =
    found.kind === 'answer'
      ? [warnIgnored(`its answer ${shorten(JSON.stringify(found.value), MAX_ANSWER_CHARACTERS)}`, failure.failure)]
      : [];
  return createConclusion(said === undefined ? base : { ...base, output: said, outputFormat: 'text' }, { warnings });
};

export interface EarlyAnswer {
  readonly bytes: number;
  readonly stdout: DecodedText;
  readonly conclusion: Conclusion;
}

/** Parses stdout while the engine waits for the process to exit, which saves about 0.1 ms. */
export const parseEarly = (output: Uint8Array): EarlyAnswer => {
  const stdout = decode(output, 'stdout');
  return { bytes: output.byteLength, stdout, conclusion: concludeAnswer(stdout.text) };
};

const concludeProcess = (
  end: ProcessEnd,
  stdout: string,
  stderr: string,
  ahead: EarlyAnswer | undefined,
): Conclusion => {
  const failure = findFailure(end);
  if (failure === undefined) return ahead?.conclusion ?? concludeAnswer(stdout);
  return failure.code === 'exit-code' && end.exitCode === BLOCKING_EXIT_CODE
    ? concludeBlocked(stdout, stderr)
    : concludeFailure(end, stdout, stderr, failure);
};

export type OutputReader = (end: ProcessEnd, hook: HookConfig, eventName: string) => ParsedOutput;

export const createResult = (
  hookConfig: HookConfig,
  eventName: string,
  { failure, ...parsed }: Conclusion & Partial<Pick<ParsedOutput, 'stdout' | 'stderr'>>,
  duration: number,
  cause?: unknown,
): HookExecutionResult => ({
  hookConfig,
  eventName,
  ...parsed,
  ...(failure === undefined || parsed.code === undefined
    ? {}
    : { error: createFaultError(hookConfig, parsed.code, failure, cause) }),
  duration,
});

export const parseOutput = (end: ProcessEnd, ahead?: EarlyAnswer): ParsedOutput => {
  const early = ahead !== undefined && ahead.bytes === end.stdout.length ? ahead : undefined;
  const stdout = early?.stdout ?? decode(end.stdout, 'stdout');
  const stderr = decode(end.stderr, 'stderr');
  const conclusion = concludeProcess(end, stdout.text, stderr.text, early);
  const warnings = [...stdout.warnings, ...stderr.warnings, ...(conclusion.warnings ?? [])];
  return {
    ...conclusion,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(end.signal === undefined || end.fault !== undefined ? {} : { signal: end.signal }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};

const launchErrorPatterns: readonly RegExp[] = [
  /can't open file .*\[Errno \d+\]/,
  /^Can't open perl script /,
  /^(?:[\w./-]*\/)?(?:sh|bash|dash|zsh|ksh): .*(?:not found|No such file|[Ss]yntax error|unexpected EOF|cannot open|Can't open|Permission denied)/,
  /: line \d+: (?:syntax error|unexpected EOF)/,
  /: \d+: Syntax error: /,
  /^(?:e?grep|ls|awk|g?awk|diff|find|sort|make|tar|jq)\b.*: .*(?:No such file|cannot open|[Cc]ould not open|Permission denied|No rule)/,
  /^Error: Cannot find module /,
  /: error: (?:the following arguments are required|unrecognized arguments|argument )/,
];

const MAX_CHECKED_LINES = 20;

/**
 * Some programs also exit with 2 if they cannot start. The hook blocks in any case, because only its author knows what
 * the code meant.
 */
const findSuspectLaunch = (stderr: string): Notice[] => {
  const lines = stderr.split('\n', MAX_CHECKED_LINES).map((line) => line.slice(0, 500).trim());
  const complaint = lines.find((line) => launchErrorPatterns.some((pattern) => pattern.test(line)));
  if (complaint === undefined) return [];
  const said = shorten(complaint, 200);
  const message = `exit code 2 came with "${said}": the command may have failed to start rather than decided to block`;
  return [notice('suspect-launch', message)];
};
