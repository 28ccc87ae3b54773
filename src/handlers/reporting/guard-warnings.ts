// Warns by `process.emitWarning` about broken guards, once per hook and session, if the host has no logger.
import { catalogue, isHookEventName } from '../../events/index.ts';
import { toOneLine } from '../../kit/index.ts';
import {
  type ConfigProblem,
  callSafely,
  emitProcessWarning,
  getHookKey,
  type HookExecutionResult,
  type HookRow,
  isGuard,
  type NoticeCode,
} from '../../protocol/index.ts';
import { getFaultText } from '../../runners/index.ts';

const GUARD_FAULT_CODE = 'HOOKWRIGHT_GUARD_FAULT';
const CANNOT_START_CODE = 'HOOKWRIGHT_CANNOT_START';
const UNHOOKED_TOOL_CODE = 'HOOKWRIGHT_UNHOOKED_TOOL';
const UNREAD_HOOK_CODE = 'HOOKWRIGHT_UNREAD_HOOK';

const DEFAULT_FIX = 'Look closer: hookwright doctor';

const unstartedCodes: ReadonlySet<NoticeCode> = new Set(['spawn-failed', 'not-supported', 'worker-unavailable']);

/** A shell exits with 126 or 127 if it could not start a program. */
const couldNotStart = ({ code, exitCode }: HookExecutionResult): boolean =>
  (code !== undefined && unstartedCodes.has(code)) || exitCode === 126 || exitCode === 127;

/** Only function hooks of the host have an `action`. */
const hasWrongReturnValue = ({ code, hookConfig: { action } }: HookExecutionResult): boolean =>
  code === 'malformed-output' && action !== undefined;

const decidesToolCalls = (eventName: string): boolean => {
  const supports: readonly string[] = isHookEventName(eventName) ? catalogue[eventName].supports : [];
  return supports.includes('tool_input');
};

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

  warnOfFaults(eventName: string, results: readonly HookExecutionResult[]): void {
    for (const result of results) {
      // An exception of the host's `getSessionId` must not change the verdict.
      if (result.code !== undefined) callSafely(undefined, 'warnings', () => this.#warnOfFault(eventName, result));
    }
  }

  #warnOfFault(eventName: string, result: HookExecutionResult): void {
    const { code, hookConfig } = result;
    if (code === 'cancelled' || code === 'deadline') return;
    const isWorthWarning = decidesToolCalls(eventName) && (couldNotStart(result) || hasWrongReturnValue(result));
    if (!isGuard(hookConfig) && !isWorthWarning) return;
    const effect = isGuard(hookConfig) ? `its onFault "${hookConfig.onFault}" counts` : 'the call went on without it';
    const what = `${eventName} hook "${getHookKey(hookConfig)}" failed (${code}: ${getFaultText(result)}); ${effect}`;
    const fix = result.warnings?.find((warning) => warning.code === code)?.fix;
    this.#warn(
      `${eventName} ${getHookKey(hookConfig)}`,
      what,
      couldNotStart(result) ? CANNOT_START_CODE : GUARD_FAULT_CODE,
      fix,
    );
  }

  warnOfUnstartable({ eventName, name }: HookRow, { message }: ConfigProblem): void {
    if (decidesToolCalls(eventName)) this.#warn(`${eventName} ${name}`, message, CANNOT_START_CODE);
  }

  warnOfUnhookedTool(tool: string, message: string, fix: string): void {
    this.#warn(`tool ${tool}`, message, UNHOOKED_TOOL_CODE, toOneLine(fix));
  }

  warnOfUnreadEntry({ path, message }: ConfigProblem): void {
    this.#warn(path, `createHooks: ${message}`, UNREAD_HOOK_CODE, 'It does not run: correct the entry');
  }

  #warn(hook: string, message: string, code: string, fix = DEFAULT_FIX): void {
    if (this.#isOff) return;
    const session = this.#sessionId();
    if (session !== this.#session) this.#warned.clear();
    this.#session = session;
    if (this.#warned.has(hook)) return;
    this.#warned.add(hook);
    emitProcessWarning(`${toOneLine(message)}. ${fix}`, code);
  }
}
