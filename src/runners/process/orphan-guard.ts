// Ends the processes of hooks if the host is killed, with a small shell process beside it.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { delimiter } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import { RUN_MARKER } from '../environment.ts';

/** Called when the guard cannot do its work. */
export type ReportTrouble = (message: string) => void;

/** How long an unused guard waits for further runs: starting one costs as much as a hook. */
const LINGER_MS = 5_000;
/** Pause before a failed guard is started again. */
const RETRY_MS = 1_000;
/** A guard with this much unread input is stopped, so it protects nothing. */
const MAX_UNREAD_BYTES = 65_536;

/** Environment of the guard: a PATH to find `grep`. It must not inherit anything else, least of all a run marker. */
const path = (): string => ['/usr/bin', '/bin', process.env.PATH ?? ''].join(delimiter);

const consequence = 'until then hooks outlive a host that is killed';

const ignore = (): void => undefined;

/**
 * Ends processes if the host ends unexpectedly, by SIGKILL or out of memory: a small shell with a list of groups and
 * runs, which acts when the pipe from the host breaks. It never keeps the host alive. It has a session of its own, so
 * that signals for the host or a hook do not reach it.
 */
export class OrphanGuard {
  readonly #groups = new Set<number>();
  readonly #runs = new Set<string>();
  #shell: ChildProcess | undefined;
  #retryAt = 0;
  #unsaid = '';
  #linger: ReturnType<typeof setTimeout> | undefined;
  #report: ReportTrouble = ignore;

  get pid(): number | undefined {
    return this.#shell?.pid;
  }

  /** Called before a run starts: processes with its marker must not outlive the host. */
  addRun(runId: string, report: ReportTrouble): void {
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

  /** Must be called in the turn in which the id may be reused. */
  removeGroup(pid: number): void {
    if (this.#groups.delete(pid)) this.#saySoon(`-g ${pid}`);
  }

  /** Ends the guard when it has nothing to guard. */
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

  /** Groups that end in one turn are reported together, still within that turn. */
  #saySoon(line: string): void {
    if (this.#shell === undefined) return;
    if (this.#unsaid === '') queueMicrotask(() => this.#write(''));
    this.#unsaid += `${line}\n`;
    if (this.#isNeeded) return;
    if (this.#linger === undefined) this.#linger = setTimeout(() => this.rest(), LINGER_MS).unref();
    else this.#linger.refresh();
  }

  #write(text: string): void {
    const said = this.#unsaid + text;
    this.#unsaid = '';
    const stdin = this.#shell?.stdin;
    if (said === '' || !stdin) return;
    stdin.write(said);
    if (stdin.writableLength <= MAX_UNREAD_BYTES) return;
    // A stopped guard must not continue later with an outdated list.
    this.#forget()?.kill('SIGKILL');
    this.#replace('does not read its input');
  }

  #start(): void {
    if (performance.now() < this.#retryAt) return;
    this.#retryAt = performance.now() + RETRY_MS;
    this.#unsaid = '';
    try {
      this.#shell = this.#spawn();
    } catch (error) {
      this.#report(`orphanGuard cannot be started: ${describeThrown(error)}; ${consequence}`);
      return;
    }
    const groups = [...this.#groups].map((pid) => `+g ${pid}\n`);
    const runs = [...this.#runs].map((runId) => `+r ${runId}\n`);
    this.#write([...groups, ...runs].join(''));
  }

  /** Without a process if the start fails; the reason arrives as an event. */
  #spawn(): ChildProcess | undefined {
    const shell = spawn('/bin/sh', ['-c', guardScript, 'hookwright-orphan-guard'], {
      cwd: '/',
      env: { PATH: path(), LC_ALL: 'C' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    shell.on('error', (error) => {
      shell.stdin?.destroy();
      this.#report(`orphanGuard cannot be started: ${describeThrown(error)}; ${consequence}`);
    });
    if (shell.pid === undefined) return undefined;
    shell.on('exit', (exitCode, signal) => {
      shell.stdin.destroy();
      if (shell !== this.#shell) return;
      this.#forget();
      this.#replace(`ended with ${signal ?? exitCode}`);
    });
    shell.stdin.on('error', ignore);
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return shell;
  }

  /** Another process ended or stopped the guard. */
  #replace(why: string): void {
    if (this.#isNeeded) this.#start();
    const outcome = this.#shell === undefined ? `is started again with the next hook; ${consequence}` : 'was replaced';
    this.#report(`orphanGuard ${why} and ${outcome}`);
  }

  #forget(): ChildProcess | undefined {
    const shell = this.#shell;
    this.#shell = undefined;
    this.#unsaid = '';
    return shell;
  }
}

/** The one guard of this process, shared by all its engines. */
const shared = new OrphanGuard();

export interface OrphanGuardOption {
  readonly orphanGuard?: boolean | undefined;
  readonly executor?: unknown;
}

/** The guard for an engine that wants one and whose platform supports it; otherwise a warning. */
export const orphanGuardFor = (
  { orphanGuard, executor }: OrphanGuardOption,
  platform: string,
): { readonly guard?: OrphanGuard; readonly warning?: string } => {
  if (orphanGuard !== true) return {};
  if (platform === 'win32') {
    return { warning: 'orphanGuard is not available on Windows: hooks outlive a host that is killed' };
  }
  if (executor !== undefined) {
    return { warning: 'orphanGuard has no effect with an executor: the executor is responsible for its processes' };
  }
  return { guard: shared };
};

/**
 * The code of the guard, for any POSIX shell. It reads line by line which process groups (`g`) and runs (`r`) are
 * alive. When its input ends because the host did, it ends the groups by id, and then, with /proc, processes with a
 * listed marker. The second look finds processes forked during the first. On quit (`q`) it ends nothing.
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
