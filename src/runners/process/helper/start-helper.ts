// Starts processes through a small helper process, because starting one from a large process takes long.
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { callAfterTwoTurns, describeThrown, doNothing, isRecord, onAbort } from '../../../kit/index.ts';
import { RUN_MARKER } from '../../environment.ts';
import type { ExecutionRequest } from '../executor.ts';
import { endMarkedNow } from '../marker-sweep.ts';
import type { TroubleReporter } from '../orphan-guard.ts';
import { type Child, findNode, type StartedProcess, setRef, startDirectly } from '../start-process.ts';

/** A helper that is silent for longer while requests wait counts as hung. */
const MAX_SILENCE_MS = 1_000;
const MAX_HELPER_START_MS = 10_000;
const RETRY_AFTER_MS = 10_000;

const DIRECT_START_TEXT = 'the host starts hooks itself, which blocks its event loop for a moment each time';

interface PendingStart {
  readonly request: ExecutionRequest;
  readonly settle: (started: StartedProcess) => void;
  readonly streams: Socket[];
}

const readMonotonicMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

const readRunId = ({ env }: ExecutionRequest): string => env[RUN_MARKER] ?? '';

const createStartFailure = (message: unknown, code: unknown): StartedProcess => ({
  failure: Promise.resolve(Object.assign(new Error(String(message)), { code: String(code) })),
});

/**
 * Linux copies the page tables of the parent when a process starts, and blocks the parent meanwhile: 1 ms for a small
 * process, 20 ms for one of 600 MB. All engines of the process share one helper.
 */
export class StartHelper {
  readonly #users = new Set<object>();
  readonly #pending = new Map<number, PendingStart>();
  readonly #running = new Map<number, HelpedChild>();
  #process: ChildProcess | undefined;
  #isReady = false;
  #retryAt = 0;
  #count = 0;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #report: TroubleReporter = doNothing;
  readonly #node: string;

  constructor(node: string = process.versions.electron === undefined ? findNode() : process.execPath) {
    this.#node = node;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  join(user: object, report: TroubleReporter): void {
    this.#report = report;
    this.#users.add(user);
    if (this.#process === undefined && performance.now() >= this.#retryAt) this.#begin();
  }

  leave(user: object): void {
    if (this.#users.delete(user) && this.#users.size === 0) this.#end();
  }

  start(request: ExecutionRequest): Promise<StartedProcess> {
    return new Promise((settle) => {
      this.#count += 1;
      const id = this.#count;
      const { file, args, cwd, env, signal } = request;
      const stopListening = signal && onAbort(signal, () => this.#send({ id, cancelled: true }));
      this.#pending.set(id, {
        request,
        settle: (started) => {
          stopListening?.();
          settle(started);
        },
        streams: [],
      });
      this.#send({ id, file, args, cwd, env });
      if (this.#silence === undefined) this.#wait();
    });
  }

  #send(message: object): void {
    if (this.#process?.connected) this.#process.send(message, doNothing);
  }

  #begin(): void {
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
    let helper: ChildProcess;
    try {
      helper = spawn(this.#node, ['--eval', helperScript], {
        cwd: '/',
        env: { PATH: process.env.PATH, ELECTRON_RUN_AS_NODE: '1' },
        stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
        // A separate process group keeps signals for the host or its terminal away from the helper.
        detached: true,
      });
    } catch (error) {
      this.#report(`the start helper cannot be started: ${describeThrown(error)}; ${DIRECT_START_TEXT}`);
      return;
    }
    helper.on('error', (error) => {
      if (helper.pid === undefined)
        this.#report(`the start helper cannot be started: ${error.message}; ${DIRECT_START_TEXT}`);
    });
    if (helper.pid === undefined) return;
    this.#process = helper;
    helper.on('message', (message, handle) => {
      if (helper === this.#process) this.#receive(message, handle);
      else if (handle instanceof Socket) handle.destroy();
    });
    helper.on('exit', (exitCode, signal) => this.#lose(helper, `ended with ${signal ?? exitCode}`));
    helper.stdin?.on('error', doNothing);
    setRef(helper, false);
    helper.channel?.unref();
    this.#wait(MAX_HELPER_START_MS);
  }

  #receive(message: unknown, handle: unknown): void {
    this.#wait();
    if (!isRecord(message)) return;
    if (message.ready === true) {
      this.#isReady = true;
      this.#stopWaiting();
      return;
    }
    const id = Number(message.id);
    if (isRecord(message.ended)) this.#noteEnd(id, message.ended);
    else this.#noteStart(id, message, handle);
  }

  #noteStart(id: number, message: Readonly<Record<string, unknown>>, handle: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    if (handle instanceof Socket) {
      handle.on('error', doNothing);
      pending.streams.push(handle);
      const [stdin, stdout, stderr] = pending.streams;
      if (stdin !== undefined && stdout !== undefined && stderr !== undefined) {
        const facts = { pid: Number(message.pid), starter: this.pid ?? 0, runId: readRunId(pending.request) };
        const child = new HelpedChild(facts, [stdin, stdout, stderr]);
        this.#running.set(id, child);
        this.#settle(id, { child });
      }
    } else if (isRecord(message.refused)) {
      this.#settle(id, createStartFailure(message.refused.message, message.refused.code));
    } else if (message.sent === true) {
      // EMFILE: no file descriptors were left to receive the pipes.
      for (const stream of pending.streams) stream.destroy();
      endMarkedNow(new Set([readRunId(pending.request)]));
      this.#settle(id, createStartFailure('no file descriptors are left for the pipes of the process', 'EMFILE'));
    }
  }

  #noteEnd(id: number, ended: Readonly<Record<string, unknown>>): void {
    const child = this.#running.get(id);
    if (child === undefined) return;
    this.#running.delete(id);
    const exitCode = typeof ended.exitCode === 'number' ? ended.exitCode : null;
    const signal = typeof ended.signal === 'string' ? ended.signal : null;
    child.end(exitCode, signal, performance.now() - (readMonotonicMs() - Number(ended.at)));
  }

  #settle(id: number, started: StartedProcess): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#stopWaiting();
    pending?.settle(started);
  }

  /** Restarted with each message, because any message shows that the helper responds. */
  #wait(ms = MAX_SILENCE_MS): void {
    this.#stopWaiting();
    if (this.#process === undefined || (this.#isReady && this.#pending.size === 0)) return;
    const helper = this.#process;
    const giveUp = (): void => {
      if (this.#silence !== timer) return;
      helper.kill('SIGKILL');
      this.#lose(helper, `did not respond for ${ms} ms`);
    };
    const timer = setTimeout(() => callAfterTwoTurns(giveUp), ms);
    // The timer keeps the host alive until the hook has started; then the hook itself does.
    if (this.#pending.size === 0) timer.unref();
    this.#silence = timer;
  }

  #stopWaiting(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  /**
   * Called when the helper is gone. Pending requests are started directly. Children that the helper had started are
   * killed, because nothing would report their exit.
   */
  #lose(helper: ChildProcess, why: string): void {
    if (helper !== this.#process) return;
    const { pending, running } = this.#forget();
    endMarkedNow(new Set([...pending.map(({ request }) => readRunId(request)), ...running.map(({ runId }) => runId)]));
    for (const child of running) child.end(null, 'SIGKILL', performance.now());
    for (const { request, streams, settle } of pending) {
      for (const stream of streams) stream.destroy();
      settle(startDirectly(request));
    }
    const ended = running.length === 0 ? '' : `; ${running.length} of the hooks it had started were ended with it`;
    this.#report(`the start helper ${why}${ended}; ${DIRECT_START_TEXT}`);
  }

  #end(): void {
    const helper = this.#process;
    this.#retryAt = 0;
    const { pending, running } = this.#forget();
    for (const child of running) child.end(null, 'SIGKILL', performance.now());
    // The helper may not know processes that left their group, so the host searches for them too.
    endMarkedNow(new Set(pending.map(({ request }) => readRunId(request))));
    for (const { settle } of pending) settle(createStartFailure('the engine was disposed of', 'ECANCELED'));
    helper?.stdin?.destroy();
    if (helper?.connected) helper.disconnect();
  }

  #forget(): { pending: PendingStart[]; running: HelpedChild[] } {
    const left = { pending: [...this.#pending.values()], running: [...this.#running.values()] };
    this.#pending.clear();
    this.#running.clear();
    this.#stopWaiting();
    this.#process = undefined;
    this.#isReady = false;
    return left;
  }
}

class HelpedChild extends EventEmitter implements Child {
  readonly pid: number;
  readonly starter: number;
  readonly runId: string;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  exitedAt: number | undefined;

  constructor(
    { pid, starter, runId }: { readonly pid: number; readonly starter: number; readonly runId: string },
    [stdin, stdout, stderr]: readonly [Socket, Socket, Socket],
  ) {
    super();
    this.pid = pid;
    this.starter = starter;
    this.runId = runId;
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
  }

  /**
   * The event is delayed, because the caller may have received the child in this event loop turn and has no listener
   * yet.
   */
  end(exitCode: number | null, signal: string | null, exitedAt: number): void {
    this.exitedAt = exitedAt;
    this.stdin.destroy();
    setImmediate(() => this.emit('exit', exitCode, signal));
  }

  ref(): void {}

  unref(): void {}

  kill(): boolean {
    return false;
  }
}

/**
 * Starts the requested processes, one per event loop turn, and sends the host their process ids and pipes. It must not
 * read from the pipes, since the bytes it read would be lost. When the host is gone, it kills all processes that still
 * run.
 */
const helperScript = `
const { spawn } = require('node:child_process');
const { readdirSync, readFileSync } = require('node:fs');
const running = new Map();
// The group of a cancelled process was killed. The host must find processes that left the group; the helper does it
// only if the host ends before it was told of the start.
const cancelled = new Set();
const queued = [];
const say = (message, stream) => process.connected && process.send(message, stream, undefined, () => undefined);
const refuse = (id, { message, code }) => say({ id, refused: { message, code } });
const end = (pid) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
};
const begin = ({ id, file, args, cwd, env }) => {
  let child;
  try {
    child = spawn(file, args, { cwd, env, stdio: 'pipe', detached: true });
  } catch (error) {
    return refuse(id, error);
  }
  child.on('error', (error) => child.pid === undefined && refuse(id, error));
  if (child.pid === undefined) return;
  running.set(id, { pid: child.pid, marker: '${RUN_MARKER}=' + env.${RUN_MARKER} });
  child.on('exit', (exitCode, signal) => {
    running.delete(id);
    say({ id, ended: { exitCode, signal, at: Number(process.hrtime.bigint() / 1000n) / 1000 } });
  });
  const streams = [child.stdin, child.stdout, child.stderr];
  for (const { _handle: handle } of streams) handle.readStop();
  // When a child exits, Node would close stdin and read the other pipes, which may not have been sent to the host yet.
  Object.assign(child, { stdin: null, stdout: null, stderr: null, stdio: [] });
  for (const stream of streams) say({ id, pid: child.pid }, stream);
  say({ id, sent: true });
};
const next = () => {
  const request = queued.shift();
  if (request !== undefined) begin(request);
  if (queued.length > 0) setImmediate(next);
};
const cancel = (id) => {
  const at = queued.findIndex((request) => request.id === id);
  if (at >= 0) queued.splice(at, 1);
  if (running.has(id)) {
    const { pid, marker } = running.get(id);
    cancelled.add(marker);
    setTimeout(() => cancelled.delete(marker), 1_000).unref();
    end(-pid);
  } else refuse(id, { message: 'the host no longer waits for it', code: 'ECANCELED' });
};
process.on('message', (request) => {
  if (request.cancelled) cancel(request.id);
  else if (queued.push(request) === 1) setImmediate(next);
});
const carries = (pid, markers) => {
  try {
    return readFileSync('/proc/' + pid + '/environ', 'latin1').split('\\0').some((entry) => markers.has(entry));
  } catch {
    return false;
  }
};
// Node keeps the IPC channel open while answers are outstanding; the end of a pipe is reliable.
process.stdin.resume().on('close', () => {
  for (const { pid } of running.values()) end(-pid);
  const markers = new Set([...cancelled, ...[...running.values()].map(({ marker }) => marker)]);
  // Finds processes that left their group, and those that were forked meanwhile.
  for (let round = 0; round < 3 && markers.size > 0; round += 1) {
    const left = readdirSync('/proc').filter((pid) => /^[0-9]+$/.test(pid) && carries(pid, markers));
    if (left.length === 0) break;
    for (const pid of left) end(Number(pid));
  }
  process.exit();
});
say({ ready: true });
`;
