/** Warnings of the process about guards, for hosts without a logger. */
import { catalogue, isHookEventName } from '../../events/index.ts';
import { onOneLine } from '../../kit/index.ts';
import {
  type ConfigProblem,
  type HookExecutionResult,
  type HookRow,
  hookKey,
  type NoticeCode,
} from '../../protocol/index.ts';
import { faultText } from '../../runners/index.ts';
import { callSafely } from './observers.ts';

const WARNING = 'HookwrightWarning';
const GUARD_FAULT = 'HOOKWRIGHT_GUARD_FAULT';
const CANNOT_START = 'HOOKWRIGHT_CANNOT_START';
const UNHOOKED_TOOL = 'HOOKWRIGHT_UNHOOKED_TOOL';
const UNREAD_HOOK = 'HOOKWRIGHT_UNREAD_HOOK';

const LOOK = 'Look closer: hookwright doctor';

/** Faults of a hook that was not started. */
const unstarted: ReadonlySet<NoticeCode> = new Set(['spawn-failed', 'not-supported', 'worker-unavailable']);

/** 126 and 127 are the codes of a shell that could not start a program. */
const isUnstarted = ({ code, exitCode }: HookExecutionResult): boolean =>
  (code !== undefined && unstarted.has(code)) || exitCode === 126 || exitCode === 127;

/** A function of the host that returned something else than an answer: its author reads no other place. */
const isWrongReturn = ({ code, hookConfig: { action } }: HookExecutionResult): boolean =>
  code === 'malformed-output' && action !== undefined;

/** Where a hook decides whether something happens. */
const decidesCalls = (eventName: string): boolean => {
  const supports: readonly string[] = isHookEventName(eventName) ? catalogue[eventName].supports : [];
  return supports.includes('tool_input');
};

/**
 * Warns by `process.emitWarning` of guards that do not do their work, and of hooks in their place that cannot start: once
 * per hook and session, where the host brought no log to read it in.
 */
export class GuardWarnings {
  readonly #sessionId: () => string;
  readonly #warned = new Set<string>();
  #session = '';
  #isOff = false;

  constructor(sessionId: () => string) {
    this.#sessionId = sessionId;
  }

  switchOff(): void {
    this.#isOff = true;
  }

  about(eventName: string, results: readonly HookExecutionResult[]): void {
    for (const result of results) {
      // A session id that cannot be read must not cost the verdict.
      if (result.code !== undefined) callSafely(undefined, 'warnings', () => this.#fault(eventName, result));
    }
  }

  #fault(eventName: string, result: HookExecutionResult): void {
    const { code, hookConfig } = result;
    const { onFault = 'allow' } = hookConfig;
    if (code === 'cancelled' || code === 'deadline') return;
    const isGuard = onFault !== 'allow';
    if (!isGuard && !(decidesCalls(eventName) && (isUnstarted(result) || isWrongReturn(result)))) return;
    const effect = isGuard ? `its onFault "${onFault}" counts` : 'the call went on without it';
    const what = `${eventName} hook "${hookKey(hookConfig)}" failed (${code}: ${faultText(result)}); ${effect}`;
    const fix = result.warnings?.find((warning) => warning.code === code)?.fix;
    this.#warn(`${eventName} ${hookKey(hookConfig)}`, what, isUnstarted(result) ? CANNOT_START : GUARD_FAULT, fix);
  }

  /** A look at the machine showed that a hook would fail. */
  cannotStart({ eventName, name }: HookRow, { message }: ConfigProblem): void {
    if (decidesCalls(eventName)) this.#warn(`${eventName} ${name}`, message, CANNOT_START);
  }

  /** A tool has a name that the host did not give to the engine. */
  unhooked(tool: string, message: string, fix: string): void {
    this.#warn(`tool ${tool}`, message, UNHOOKED_TOOL, onOneLine(fix));
  }

  /** A hook in the host's own code has a mistake, so it will not run. */
  unread({ path, message }: ConfigProblem): void {
    this.#warn(path, `createHooks: ${message}`, UNREAD_HOOK, 'It does not run: correct the entry');
  }

  #warn(hook: string, message: string, code: string, fix = LOOK): void {
    if (this.#isOff) return;
    const session = this.#sessionId();
    if (session !== this.#session) this.#warned.clear();
    this.#session = session;
    if (this.#warned.has(hook)) return;
    this.#warned.add(hook);
    process.emitWarning(`${onOneLine(message)}. ${fix}`, { type: WARNING, code });
  }
}
