// Runs worker hooks: processes that keep running and answer each request with one line.

import { resolve } from 'node:path';
import { findInterpreter, readBeginningText } from '../../../kit/node.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  HookType,
  type HostConfig,
  type Notice,
  notice,
} from '../../../protocol/index.ts';
import { createFaultResult } from '../../answer/faults.ts';
import { createResult, type ProcessEnd, parseOutput } from '../../answer/parse-output.ts';
import { listVariableNotices } from '../../command/foreign-environment.ts';
import { createProcessRequest, loadDefaultStarter } from '../../command/run-command.ts';
import type { Variables } from '../../command/shell-words.ts';
import { RUN_MARKER } from '../../environment.ts';
import { getHookTimeout, type RunnerLimits } from '../../limits.ts';
import { inspectLaunch } from '../../preflight/inspect-launch.ts';
import type { ProcessLaneOptions } from '../../process/executor.ts';
import type { ProcessRequest } from '../../process/run-process.ts';
import { createRunId, type DirectStarter, findNode, isNode } from '../../process/start-process.ts';
import type { EngineLane, EventRun } from '../event-run.ts';
import { HostEnvironment } from '../host-environment.ts';
import { readAnswer } from '../lane.ts';
import { LaneProcesses } from '../lane-processes.ts';
import { readFileVersions } from '../warm/file-versions.ts';
import type { WorkerReply } from './reply.ts';
import { Worker } from './worker.ts';

interface WorkerAssignment {
  /** Directories and session, for which the worker was chosen. */
  place: string;
  readonly key: string;
  readonly worker: Worker;
  notices: readonly Notice[];
  checkedAt: number;
}

/** A user who edits a worker's script and tries again should get the new version. */
const CHECK_FILES_EVERY_MS = 1_000;

const EXECUTOR_CONFLICT_TEXT =
  'a worker is a process of this machine, and this engine has its processes run by deps.executor';

/** The run marker is left out because each process has its own. */
const toWorkerKey = (
  { file, args, cwd, env: { [RUN_MARKER]: _marker, ...env } }: ProcessRequest,
  watch: readonly string[] | undefined,
): string => JSON.stringify([file, args, cwd, env, readFileVersions({ file, args, cwd }, watch)]);

const toProcessEnd = ({ outputs, fault }: WorkerReply): ProcessEnd => ({
  exitCode: fault === undefined ? 0 : null,
  stdout: outputs.map((output) => JSON.stringify(output)).join('\n'),
  stderr: '',
  ...(fault === undefined ? {} : { fault: { code: fault.code, failure: fault.message } }),
});

export class WorkerLane implements EngineLane {
  readonly hasSession = true;
  readonly #limits: RunnerLimits;
  readonly #options: ProcessLaneOptions;
  readonly #host: HostEnvironment;
  readonly #processes: LaneProcesses;
  readonly #workers = new Map<string, Worker>();
  readonly #retired = new Set<Worker>();
  readonly #assigned = new WeakMap<HookConfig, WorkerAssignment>();
  #ended = 0;

  constructor(config: HostConfig, limits: RunnerLimits, options: ProcessLaneOptions) {
    this.#limits = limits;
    this.#options = options;
    this.#host = new HostEnvironment(config, options);
    this.#processes = new LaneProcesses(limits, options);
  }

  run(eventRun: EventRun, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult> {
    if (this.#options.executor !== undefined) {
      return createFaultResult(hook, eventRun.eventName, { code: 'not-supported', message: EXECUTOR_CONFLICT_TEXT });
    }
    return this.#run(eventRun, hook);
  }

  inspect(hook: HookConfig): readonly Notice[] {
    if (this.#options.executor !== undefined) return [notice('not-supported', EXECUTOR_CONFLICT_TEXT)];
    const hosted = findNodeScript(this.#requestFor(hook));
    const command = hosted === undefined ? {} : { command: hosted.node, args: [hosted.script] };
    return inspectLaunch({ ...hook, ...command, type: HookType.Command }, this.#host.inspectionContext(hook));
  }

  retain(hooks: readonly HookConfig[]): void {
    const wanted = hooks.filter(({ type }) => type === HookType.Worker).map((hook) => this.#keyFor(hook));
    for (const key of this.#workers.keys()) if (!wanted.includes(key)) this.#retire(key);
  }

  endSession(): void {
    this.#host.folders.endSession();
    this.#ended += 1;
  }

  async dispose(): Promise<void> {
    for (const worker of [...this.#workers.values(), ...this.#retired]) worker.close();
    this.#workers.clear();
    this.#retired.clear();
    await this.#processes.idle();
    this.#host.folders.close();
  }

  async #run({ eventName, json, signal, traceParent }: EventRun, hook: HookConfig): Promise<HookExecutionResult> {
    const startedAt = performance.now();
    const ready = loadDefaultStarter();
    const { worker, notices } = this.#assignedTo(hook, ready instanceof Promise ? await ready : ready);
    const reply = await worker.request(json, getHookTimeout(hook), signal, traceParent);
    return this.#conclude(hook, eventName, reply, notices, performance.now() - startedAt);
  }

  #assignedTo(hook: HookConfig, start: DirectStarter): WorkerAssignment {
    const { projectDir, cwd, sessionId } = this.#host.directoriesFor(hook);
    const place = [projectDir, cwd, sessionId, this.#ended].join('\0');
    let assigned = this.#assigned.get(hook);
    const now = performance.now();
    if (assigned?.place === place && now - assigned.checkedAt < CHECK_FILES_EVERY_MS) return assigned;
    const { variables: ofHook, notices } = this.#host.folders.ready(hook, projectDir);
    const launch = () => startThroughNodeHost(this.#requestFor(hook, ofHook));
    const key = this.#keyFor(hook);
    if (assigned?.key === key) {
      Object.assign(assigned, { place, notices, checkedAt: now });
      return assigned;
    }
    if (assigned !== undefined) this.#retire(assigned.key);
    let worker = this.#workers.get(key);
    if (worker === undefined) {
      worker = new Worker({ launch, start, processes: this.#processes.table, limits: this.#limits });
      this.#workers.set(key, worker);
    }
    assigned = { place, key, worker, notices, checkedAt: now };
    this.#assigned.set(hook, assigned);
    return assigned;
  }

  #retire(key: string): void {
    const worker = this.#workers.get(key);
    if (worker === undefined) return;
    this.#workers.delete(key);
    this.#retired.add(worker);
    worker.retire();
  }

  #keyFor(hook: HookConfig): string {
    return toWorkerKey(startThroughNodeHost(this.#requestFor(hook)), hook.watch);
  }

  #requestFor(hook: HookConfig, ofHook?: Variables): ProcessRequest {
    return createProcessRequest(hook, '', {
      processes: this.#processes.table,
      limits: this.#limits,
      newRunId: createRunId,
      ...this.#host.launchInputs(hook, ofHook),
    });
  }

  #conclude(
    hook: HookConfig,
    eventName: string,
    reply: WorkerReply,
    notices: readonly Notice[],
    duration: number,
  ): HookExecutionResult {
    const result = this.#read(hook, eventName, reply, duration);
    const { fault } = reply;
    const isSilent = fault?.code === 'timeout' && reply.outputs.length === 0;
    const fix = 'flush after each answer, as print(…, flush=True) in Python does';
    const warnings = [
      ...(isSilent ? [notice('timeout', fault.message, { fix })] : []),
      ...(result.warnings ?? []),
      ...(reply.warnings ?? []),
      ...notices,
      ...listVariableNotices(hook, this.#host.visibleTo(hook).withheld),
    ];
    return warnings.length === 0 ? result : { ...result, warnings };
  }

  #read(hook: HookConfig, eventName: string, reply: WorkerReply, duration: number): HookExecutionResult {
    const { outputs, fault } = reply;
    const { readOutput } = this.#options;
    if (readOutput === undefined && outputs.length === 0 && fault !== undefined)
      return createFaultResult(hook, eventName, fault, duration);
    if (readOutput === undefined && outputs.length < 2 && fault === undefined)
      return readAnswer(hook, eventName, outputs[0], duration);
    const end = toProcessEnd(reply);
    const read = readOutput === undefined ? parseOutput(end) : readOutput(end, hook, eventName);
    const { stdout: _text, stderr: _none, ...parsed } = read;
    return createResult(hook, eventName, parsed, duration, fault?.cause);
  }
}

/** Serves the function that a Node script exports, like `serve-hook.ts`; both pass the same tests. */
const nodeHostScript = `
import { pathToFileURL } from 'node:url';
const { default: found } = await import(pathToFileURL(process.argv[1]).href);
const run = typeof found === 'function' ? found : found?.default;
if (typeof run === 'function') {
  for (const name of ['log', 'info', 'debug']) console[name] = console.error;
  const ending = new AbortController();
  let rest = '';
  let unwritten = '';
  const messageOf = (error) => error instanceof Error ? error.message : String(error);
  const flush = () => { const text = unwritten; unwritten = ''; process.stdout.write(text); };
  const lineOf = (id, answer) => {
    try { return JSON.stringify({ id, ...answer }) + '\\n'; }
    catch (error) { return JSON.stringify({ id, error: 'the answer cannot be written as JSON: ' + messageOf(error) }) + '\\n'; }
  };
  const write = (id, answer) => { if (unwritten === '') queueMicrotask(flush); unwritten += lineOf(id, answer); };
  const answer = ({ id, input, traceparent }) => {
    const fail = (error) => write(id, { error: messageOf(error) });
    try {
      const output = run(input, traceparent === undefined ? { signal: ending.signal } : { signal: ending.signal, traceparent });
      if (typeof output?.then === 'function') output.then((value) => write(id, { output: value }), fail);
      else write(id, { output });
    } catch (error) { fail(error); }
  };
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (text) => {
    const lines = (rest + text).split('\\n');
    rest = lines.pop();
    for (const line of lines) if (line !== '') answer(JSON.parse(line));
  });
  process.stdin.on('end', () => { ending.abort(); flush(); process.exit(); });
}
`;

const isScript = (file: string | undefined): file is string => file !== undefined && /\.[cm]?[jt]s$/i.test(file);

const isForNode = (path: string): boolean => isNode(findInterpreter(readBeginningText(path)) ?? 'node');

type Launch = Pick<ProcessRequest, 'file' | 'args' | 'cwd'>;

const findNodeScript = ({ file, args, cwd }: Launch) => {
  const [first, ...rest] = args;
  if (isNode(file) && isScript(first)) return { node: file, script: resolve(cwd, first), rest };
  if (!isScript(file) || !/[\\/]/.test(file)) return undefined;
  const script = resolve(cwd, file);
  return isForNode(script) ? { node: findNode(), script, rest: args } : undefined;
};

const startThroughNodeHost = <Request extends Launch>(request: Request): Request => {
  const found = findNodeScript(request);
  if (found === undefined) return request;
  const args = ['--input-type=module', '--eval', nodeHostScript, found.script, ...found.rest];
  return { ...request, file: found.node, args };
};
