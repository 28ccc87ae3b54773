// Runs a command hook: prepares the process, runs it and turns its output into a result.
import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { resolve } from 'node:path';
import {
  callAfterTwoTurns,
  describeThrown,
  describeValue,
  isRecord,
  isSameList,
  onAbort,
  once,
  toError,
  waitForTurnIfLarge,
} from '../../kit/index.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  isGuard,
  type Notice,
  notice,
  withWarnings,
} from '../../protocol/index.ts';
import { createAbortFault, createFaultResult, type Fault } from '../answer/faults.ts';
import {
  createResult,
  type OutputReader,
  type ParsedOutput,
  type ProcessEnd,
  type ProcessFailure,
  parseOutput,
} from '../answer/parse-output.ts';
import {
  type AgentEnvironment,
  createHookEnvironment,
  createSessionEnvironment,
  type SessionEnvironment,
} from '../environment.ts';
import { getHookTimeout, type RunnerLimits } from '../limits.ts';
import type { ExecutionFailure, Executor } from '../process/executor.ts';
import type { ProcessTable } from '../process/process-table.ts';
import {
  createUnfinishedResult,
  type ProcessRequest,
  type ProcessResult,
  type ProcessRunner,
  runProcess,
  type TerminationReason,
} from '../process/run-process.ts';
import {
  awaitStartFailure,
  type DirectStarter,
  type ProcessStarter,
  STARTS_GROUP,
  startDirectly,
} from '../process/start-process.ts';
import { findShells } from '../shells.ts';
import { type CommandLaunch, createLaunch } from './command-line.ts';
import { getOwnVariables, listVariableNotices } from './foreign-environment.ts';
import { expandPlainly, type Variables } from './shell-words.ts';

export interface CommandContext {
  readonly executor?: Executor | undefined;
  readonly processes: ProcessTable;
  readonly limits: Pick<RunnerLimits, 'drainMs' | 'stdoutBytes' | 'stderrBytes'>;
  readonly environment: Variables;
  readonly withheld?: readonly string[] | undefined;
  readonly projectDir: string;
  readonly cwd?: string | undefined;
  readonly sessionId: string;
  readonly variables?: Variables | undefined;
  /** The same object is passed as long as the variables do not change, because caches use the object as their key. */
  readonly ofHook?: Variables | undefined;
  readonly ofSession?: Variables | undefined;
  readonly agent?: AgentEnvironment | undefined;
  readonly newRunId: () => string;
  readonly signal?: AbortSignal | undefined;
  readonly stdin?: string | undefined;
  readonly readOutput?: OutputReader | undefined;
  readonly start?: ProcessStarter | undefined;
  readonly run?: ProcessRunner | undefined;
}

const pickVariables = (from: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(names.map((name) => [name, from[name] ?? '']));

/**
 * Only variables that the engine inserts as text: for a hook of another agent, the shell expands the agent's variables.
 */
const listTextVariables = (hook: HookConfig, variables: Variables, agent: AgentEnvironment | undefined): Variables => {
  if (agent === undefined || hook.args !== undefined) return variables;
  const isFilledIn = (name: string): boolean => !Object.hasOwn(agent.variables, name) || agent.filledIn.includes(name);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => isFilledIn(name)));
};

interface CachedLaunch extends Pick<HookConfig, 'command' | 'args' | 'shell'> {
  readonly session: SessionEnvironment;
  readonly ofHook: Variables | undefined;
  readonly launch: CommandLaunch;
}

const launchCache = new WeakMap<HookConfig, CachedLaunch>();

const isSameArgs = (one: HookConfig['args'], other: HookConfig['args']): boolean =>
  one === undefined || other === undefined ? one === other : isSameList(one, other);

/** Parsing a command line takes as long as everything else before the start, so the result is cached. */
const findLaunch = (
  hook: HookConfig,
  { session, ofHook }: Pick<CachedLaunch, 'session' | 'ofHook'>,
  read: () => CommandLaunch,
): CommandLaunch => {
  const { command, args, shell } = hook;
  const known = launchCache.get(hook);
  const isSame = known?.command === command && known?.shell === shell && isSameArgs(known?.args, args);
  if (known !== undefined && isSame && known.session === session && known.ofHook === ofHook) return known.launch;
  const launch = read();
  // The values are copied, because a hook configured in code can be changed in place.
  launchCache.set(hook, { command, args: args && [...args], shell, session, ofHook, launch });
  return launch;
};

export const createProcessRequest = (hook: HookConfig, stdin: string, context: CommandContext): ProcessRequest => {
  const { platform } = process;
  const {
    projectDir,
    cwd: sessionDir = projectDir,
    sessionId,
    environment,
    variables: added,
    ofHook,
    ofSession,
    agent,
    limits,
  } = context;
  const session = createSessionEnvironment({
    projectDir,
    cwd: sessionDir,
    sessionId,
    environment,
    added,
    agent,
    platform,
  });
  const runId = context.newRunId();
  const own = getOwnVariables(hook);
  const env = createHookEnvironment(session, { ofSession, ofHook, own, runId, platform });
  const variables = once((): Variables => {
    const known = { ...session.variables, ...ofHook };
    return own === undefined ? known : pickVariables(env, Object.keys(known));
  });
  const cwd = hook.cwd === undefined ? sessionDir : resolve(sessionDir, expandPlainly(hook.cwd, variables()));
  const read = (): CommandLaunch => {
    const machine = { platform, environment: env, ...findShells(environment, projectDir) };
    // The shell expands the hook's own variables, which also works in nested quotes.
    const isLeft = ofHook !== undefined && hook.args === undefined && platform !== 'win32';
    const filledIn = isLeft ? pickVariables(variables(), Object.keys(session.variables)) : variables();
    // Another agent always starts hooks through a shell, whose message about a missing program is part of the output.
    return createLaunch(hook, listTextVariables(hook, filledIn, agent), machine, { alwaysShell: agent !== undefined });
  };
  const launch = own === undefined && ofSession === undefined ? findLaunch(hook, { session, ofHook }, read) : read();
  return {
    file: launch.file,
    args: [...launch.args],
    ...(launch.verbatim ? { verbatim: true } : {}),
    cwd,
    env,
    stdin,
    timeoutMs: getHookTimeout(hook),
    limits: { stdoutBytes: limits.stdoutBytes, stderrBytes: limits.stderrBytes },
    signal: context.signal,
    leaveBackground: hook.leaveBackground ?? false,
    runId,
    drainMs: limits.drainMs,
  };
};

const isBlank = (command: string | undefined): boolean => command === undefined || command.trim() === '';

const failuresByReason: {
  readonly [R in TerminationReason]?: (request: ProcessRequest) => ProcessFailure | undefined;
} = {
  aborted: ({ signal }) => {
    if (signal === undefined) return undefined;
    const { code, message } = createAbortFault(signal);
    return { code, failure: message };
  },
  timeout: ({ timeoutMs }) => ({ code: 'timeout', failure: `no answer within ${timeoutMs} ms` }),
  'too-large': ({ limits: { stdoutBytes, stderrBytes } }) => ({
    code: 'output-too-large',
    failure: `printed more than ${stdoutBytes} bytes, or ${stderrBytes} to stderr`,
  }),
};

const heldPipeWarnings: { readonly [R in TerminationReason]?: Notice } = {
  'held-by-group': notice('held-pipe', 'a background process kept the output open; hookwright did not wait for it'),
  'held-by-stranger': notice('escaped-process', 'a process that left the group of the hook kept the output open'),
};

const listProcessWarnings = (
  hook: HookConfig,
  { terminationReason }: ProcessResult,
  withheld: CommandContext['withheld'],
): Notice[] => {
  const escapeNotice = heldPipeWarnings[terminationReason] ?? warnOfEscape(hook, process.platform);
  return [...(escapeNotice === undefined ? [] : [escapeNotice]), ...listVariableNotices(hook, withheld)];
};

/**
 * If a background process holds the pipe, part of the answer may be missing. A guard must then fail.
 */
const failGuardWithHeldOutput = (
  hook: HookConfig,
  { terminationReason }: ProcessResult,
  parsed: ParsedOutput,
): ParsedOutput => {
  const isHeld = heldPipeWarnings[terminationReason] !== undefined && hook.leaveBackground !== true;
  if (!isHeld || !isGuard(hook) || parsed.code !== undefined || parsed.outputFormat === 'json') return parsed;
  const failure = 'ended without a whole answer while a background process held its output';
  const fix = 'let it wait for what it starts, or set "leaveBackground" if that never answers';
  const failed = { ...parsed, success: false, code: 'malformed-output', failure } as const;
  return withWarnings<ParsedOutput>(failed, [notice('malformed-output', failure, { fix })]);
};

const createCommandResult = (
  hook: HookConfig,
  eventName: string,
  outcome: ProcessResult,
  request: ProcessRequest,
  duration: number,
  { readOutput, withheld }: CommandContext,
): HookExecutionResult => {
  const fault = failuresByReason[outcome.terminationReason]?.(request);
  const end: ProcessEnd = fault === undefined ? outcome : { ...outcome, fault };
  const read = readOutput === undefined ? parseOutput(end, outcome.ahead) : readOutput(end, hook, eventName);
  const parsed = withWarnings(
    failGuardWithHeldOutput(hook, outcome, read),
    listProcessWarnings(hook, outcome, withheld),
  );
  const exit = outcome.exitCode === null || fault !== undefined ? {} : { exitCode: outcome.exitCode };
  return { ...createResult(hook, eventName, parsed, duration), ...exit };
};

/** On Windows execa finds and quotes programs; elsewhere it would only cost time. */
export const loadDefaultStarter = (): DirectStarter | Promise<DirectStarter> =>
  STARTS_GROUP ? startDirectly : loadExeca();

export const runCommand = async (
  hook: HookConfig,
  eventName: string,
  input: object,
  context: CommandContext,
): Promise<HookExecutionResult> => {
  const startedAt = performance.now();
  const fault = (reason: Fault): HookExecutionResult =>
    createFaultResult(hook, eventName, reason, performance.now() - startedAt);
  const { signal, executor, processes } = context;
  try {
    const start = context.start ?? loadDefaultStarter();
    const ready = start instanceof Promise ? await start : start;
    if (signal?.aborted) return fault(createAbortFault(signal));
    if (isBlank(hook.command)) return fault({ code: 'spawn-failed', message: 'there is no command to start' });
    const request = createProcessRequest(hook, context.stdin ?? JSON.stringify(input), context);
    const running =
      executor === undefined ? (context.run ?? runProcess)(ready, processes, request) : callExecutor(executor, request);
    const outcome = await running;
    if ('code' in outcome) return fault(outcome);
    if ('error' in outcome) {
      return fault({ code: 'spawn-failed', message: describeThrown(outcome.error), cause: outcome.error });
    }
    const duration = performance.now() - startedAt;
    await waitForTurnIfLarge(outcome.stdout.length + outcome.stderr.length);
    const result = createCommandResult(hook, eventName, outcome, request, duration, context);
    return outcome.startedAt === undefined ? result : { ...result, startupMs: outcome.startedAt - startedAt };
  } catch (cause) {
    return fault({ code: 'threw', message: describeThrown(cause), cause });
  }
};

/** The engine's timeout is this much later, because the host's executor can report its timeout more precisely. */
const EXECUTOR_EXTRA_MS = 50;

const isOutput = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

const isExitCode = (value: unknown): value is number | null => value === null || Number.isInteger(value);

type ExecutorOutcome = ProcessResult | ExecutionFailure | Fault;

const createThrownFault = (message: string, cause?: unknown): Fault => ({ code: 'threw', message, cause });

const readExecutorAnswer = (answer: unknown, { limits }: ProcessRequest): ExecutorOutcome => {
  if (!isRecord(answer)) {
    return createThrownFault(`the executor answered with ${describeValue(answer)}, not with an object`);
  }
  const { error, exitCode, signal, stdout = '', stderr = '', timedOut, tooLarge } = answer;
  if (error !== undefined) return { error: toError(error) };
  const ended = timedOut === true || tooLarge === true;
  if (!isExitCode(exitCode) && !(ended && exitCode === undefined)) {
    const found = describeValue(exitCode);
    return createThrownFault(`the executor answered with an exitCode that is ${found}, not a whole number or null`);
  }
  if (!isOutput(stdout) || !isOutput(stderr)) {
    return createThrownFault('the executor answered with output that is neither text nor bytes');
  }
  if (countOutputBytes(stdout) > limits.stdoutBytes || countOutputBytes(stderr) > limits.stderrBytes) {
    return createUnfinishedResult('too-large');
  }
  return {
    exitCode: exitCode ?? null,
    ...(typeof signal === 'string' && signal !== '' ? { signal } : {}),
    stdout,
    stderr,
    terminationReason: timedOut === true ? 'timeout' : tooLarge === true ? 'too-large' : 'complete',
  };
};

const countOutputBytes = (output: string | Uint8Array): number =>
  typeof output === 'string' ? Buffer.byteLength(output) : output.byteLength;

const tryReadAnswer = (answer: unknown, request: ProcessRequest): ExecutorOutcome => {
  try {
    return readExecutorAnswer(answer, request);
  } catch (cause) {
    return createThrownFault(`reading the executor's answer throws: ${describeThrown(cause)}`, cause);
  }
};

const callExecutor = (executor: Executor, request: ProcessRequest): Promise<ExecutorOutcome> =>
  new Promise((resolve) => {
    const settle = (result: ExecutorOutcome): void => {
      clearTimeout(timer);
      stopListening?.();
      resolve(result);
    };
    const fail = (cause: unknown): void =>
      settle(createThrownFault(`the executor threw: ${describeThrown(cause)}`, cause));
    const stop = (reason: 'timeout' | 'aborted'): void =>
      callAfterTwoTurns(() => settle(createUnfinishedResult(reason)));
    const timer = setTimeout(stop, request.timeoutMs + EXECUTOR_EXTRA_MS, 'timeout');
    const stopListening = request.signal && onAbort(request.signal, () => stop('aborted'));
    try {
      Promise.resolve(executor(request)).then((answer: unknown) => settle(tryReadAnswer(answer, request)), fail);
    } catch (error) {
      fail(error);
    }
  });

/** These commands let a process leave both its process group and its process tree. */
const escapingCommandPattern = /\bsetsid\b|\bdisown\b|\bdaemonize\b|\bset\s+-\w*m|\bStart-Process\b|\bstart\s+\/b\b/i;

/** Markers in the environment can be searched only on Linux, so on other systems an escaped process cannot be found. */
export const warnOfEscape = (
  { command = '', args = [], leaveBackground = false }: Pick<HookConfig, 'command' | 'args' | 'leaveBackground'>,
  platform: NodeJS.Platform,
): Notice | undefined => {
  if (platform === 'linux' || leaveBackground) return undefined;
  const way = escapingCommandPattern.exec([command, ...args].join(' '))?.[0];
  if (way === undefined) return undefined;
  const message = `"${way}" lets a process leave the hook, and on ${platform} it cannot be found again`;
  return notice('escaped-process', message, { fix: 'end it yourself' });
};

let startedChild: ChildProcess | undefined;

const rememberChild = (message: unknown): void => {
  if (typeof message === 'object' && message !== null && 'process' in message) {
    startedChild = message.process instanceof ChildProcess ? message.process : undefined;
  }
};

export const loadExeca = once(async (): Promise<DirectStarter> => {
  const { execa } = await import('execa');
  return ({ file, args, cwd, env, verbatim = false }) => {
    startedChild = undefined;
    // If no file descriptors are left, execa throws and leaves a child whose `error` event has no listener, which would
    // end the host. This diagnostics channel publishes the child, so that `awaitStartFailure` can add a listener.
    subscribe('child_process', rememberChild);
    try {
      const execution = execa(file, args, {
        cwd,
        env,
        extendEnv: false,
        buffer: false,
        reject: false,
        cleanup: false,
        detached: STARTS_GROUP,
        windowsVerbatimArguments: verbatim,
      });
      if (execution.pid !== undefined && startedChild !== undefined) {
        execution.catch(() => undefined);
        return { child: startedChild };
      }
      const early = execution.then((result) => toError(result.cause ?? result));
      return { failure: startedChild === undefined ? early : Promise.race([awaitStartFailure(startedChild), early]) };
    } catch (error) {
      return {
        failure: startedChild === undefined ? Promise.resolve(toError(error)) : awaitStartFailure(startedChild),
      };
    } finally {
      unsubscribe('child_process', rememberChild);
    }
  };
});
