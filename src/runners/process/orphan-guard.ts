// Starts a small shell process that watches the host, and ends hook processes if the host is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { describeThrown, doNothing } from '../../kit/index.ts';
import { RUN_MARKER } from '../environment.ts';
import { setRef } from './start-process.ts';

export type TroubleReporter = (message: string) => void;

/** An unused shell is kept this long, because starting a shell takes as long as running a hook. */
const UNUSED_SHELL_MS = 5_000;
const RETRY_AFTER_MS = 1_000;
/** A shell with this much unread input was stopped and protects nothing. */
const MAX_UNREAD_BYTES = 65_536;

/** The shell must not inherit the host's environment: a run marker would make it a target of its own search. */
const createSearchPath = (): string => ['/usr/bin', '/bin', process.env.PATH ?? ''].join(delimiter);

const CONSEQUENCE_TEXT = 'until then hooks outlive a host that is killed';

/**
 * A shell process knows all process groups and runs, and kills them when its pipe from the host breaks. It has its own
 * session, so signals for the host do not reach it.
 */
export class OrphanGuard {
  readonly #groups = new Set<number>();
  readonly #runs = new Set<string>();
  #shell: ChildProcess | undefined;
  #retryAt = 0;
  #unsaid = '';
  #linger: ReturnType<typeof setTimeout> | undefined;
  #report: TroubleReporter = doNothing;

  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  addRun(runId: string, report: TroubleReporter): void {
    this.#report = report;
    this.#runs.add(runId);
    this.#sayNow(`+r ${runId}`);
  }

  removeRun(runId: string): void {
    if (this.#runs.delete(runId)) this.#saySoon(`-r ${runId}`);
  }

  addGroup(pid: number): void {
    this.#groups.add(pid);
    this.#sayNow(`+g ${pid}`);
  }

  removeGroup(pid: number): void {
    if (this.#groups.delete(pid)) this.#saySoon(`-g ${pid}`);
  }

  rest(): void {
    if (this.#isNeeded) return;
    clearTimeout(this.#linger);
    this.#linger = undefined;
    this.#retryAt = 0;
    const shell = this.#forget();
    if (shell?.stdin?.writableLength === 0) shell.stdin.end('q\n');
    else shell?.kill('SIGKILL');
  }

  get #isNeeded(): boolean {
    return this.#groups.size > 0 || this.#runs.size > 0;
  }

  #sayNow(line: string): void {
    if (this.#shell === undefined) this.#start();
    else this.#write(`${line}\n`);
  }

  #saySoon(line: string): void {
    if (this.#shell === undefined) return;
    if (this.#unsaid === '') queueMicrotask(() => this.#write(''));
    this.#unsaid += `${line}\n`;
    if (this.#isNeeded) return;
    if (this.#linger === undefined) this.#linger = setTimeout(() => this.rest(), UNUSED_SHELL_MS).unref();
    else this.#linger.refresh();
  }

  #write(text: string): void {
    const said = this.#unsaid + text;
    this.#unsaid = '';
    const stdin = this.#shell?.stdin;
    if (said === '' || !stdin) return;
    stdin.write(said);
    if (stdin.writableLength <= MAX_UNREAD_BYTES) return;
    // A stopped shell that continued later would act on an outdated list.
    this.#forget()?.kill('SIGKILL');
    this.#replace('does not read its input');
  }

  #start(): void {
    if (performance.now() < this.#retryAt) return;
    this.#retryAt = performance.now() + RETRY_AFTER_MS;
    this.#unsaid = '';
    try {
      this.#shell = this.#spawn();
    } catch (error) {
      this.#report(`orphanGuard cannot be started: ${describeThrown(error)}; ${CONSEQUENCE_TEXT}`);
      return;
    }
    const groups = [...this.#groups].map((pid) => `+g ${pid}\n`);
    const runs = [...this.#runs].map((runId) => `+r ${runId}\n`);
    this.#write([...groups, ...runs].join(''));
  }

  #spawn(): ChildProcess | undefined {
    const shell = spawn('/bin/sh', ['-c', guardScript, 'hookwright-orphan-guard'], {
      cwd: '/',
      env: { PATH: createSearchPath(), LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.on('error', (error) => {
      shell.stdin?.destroy();
      this.#report(`orphanGuard cannot be started: ${describeThrown(error)}; ${CONSEQUENCE_TEXT}`);
    });
    if (shell.pid === undefined) return undefined;
    shell.on('exit', (exitCode, signal) => {
      shell.stdin.destroy();
      if (shell !== this.#shell) return;
      this.#forget();
      this.#replace(`ended with ${signal ?? exitCode}`);
    });
    shell.stdin.on('error', doNothing);
    setRef(shell, false);
    return shell;
  }

  #replace(why: string): void {
    if (this.#isNeeded) this.#start();
    const outcome =
      this.#shell === undefined ? `is started again with the next hook; ${CONSEQUENCE_TEXT}` : 'was replaced';
    this.#report(`orphanGuard ${why} and ${outcome}`);
  }

  #forget(): ChildProcess | undefined {
    const shell = this.#shell;
    this.#shell = undefined;
    this.#unsaid = '';
    return shell;
  }
}

const sharedGuard = new OrphanGuard();

export interface OrphanGuardOption {
  readonly orphanGuard?: boolean | undefined;
  readonly executor?: unknown;
}

/** A worker thread can be terminated, and learns of no signal, so it cannot end its hooks itself. */
const isWorkerThread = (): boolean => !process.getBuiltinModule('node:worker_threads').isMainThread;

export const getOrphanGuard = (
  { executor, orphanGuard = executor === undefined && isWorkerThread() }: OrphanGuardOption,
  platform: string,
): { readonly guard?: OrphanGuard; readonly warning?: string } => {
  if (!orphanGuard) return {};
  if (platform === 'win32') {
    return { warning: 'orphanGuard is not available on Windows: hooks outlive a host that is killed' };
  }
  if (executor !== undefined) {
    return { warning: 'orphanGuard has no effect with an executor: the executor is responsible for its processes' };
  }
  return { guard: sharedGuard };
};

/**
 * Reads from stdin which process groups (`g`) and runs (`r`) are alive. When stdin ends, it kills the groups, and on
 * Linux all processes with the marker of a listed run. Repeated searches find processes that were forked meanwhile. `q`
 * quits without killing.
 */
const guardScript = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
runs=' '
while read -r what id; do
  case $what in
    q) exit 0 ;;
    +g) groups="$groups$id " ;;
    +r) runs="$runs$id " ;;
    -g) case $groups in *" $id "*) groups="\${groups%%" $id "*} \${groups#*" $id "}" ;; esac ;;
    -r) case $runs in *" $id "*) runs="\${runs%%" $id "*} \${runs#*" $id "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
[ "$runs" != ' ' ] && [ -r /proc/self/environ ] || exit 0
markers=
for run in $runs; do
  markers="$markers\${markers:+
}${RUN_MARKER}=$run"
done
for round in 1 2 3; do
  found=$(grep -lszxF -e "$markers" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit 0
  for file in $found; do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done
`;
