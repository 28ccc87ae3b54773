import { catalogue, isHookEventName } from '../events/index.ts';
import type { HookSystem } from '../hook-system.ts';
import { onOneLine } from '../kit/index.ts';
import {
  type ConfigProblem,
  type HookExecutionResult,
  type HookRow,
  hookKey,
  type NoticeCode,
  noticeText,
} from '../protocol/index.ts';
import { faultText } from '../runners/index.ts';

/** What process warnings are called, and their codes. */
const WARNING = 'HookwrightWarning';
const GUARD_FAULT = 'HOOKWRIGHT_GUARD_FAULT';
const CANNOT_START = 'HOOKWRIGHT_CANNOT_START';

/** A hook with one of these would be started and fail. */
const hindering: ReadonlySet<NoticeCode> = new Set([
  'executable-not-found',
  'not-executable',
  'bad-script',
  'suspect-launch',
  'not-supported',
]);

/** Faults of a hook that never came to its work. */
const unstarted: ReadonlySet<NoticeCode> = new Set(['spawn-failed', 'not-supported', 'worker-unavailable']);

/** With these codes a shell says that it could not start a program. */
const isUnstarted = ({ code, exitCode }: HookExecutionResult): boolean =>
  (code !== undefined && unstarted.has(code)) || exitCode === 126 || exitCode === 127;

/** Where a hook decides whether something happens. */
const isGuardsPlace = (eventName: string): boolean => {
  const supports: readonly string[] = isHookEventName(eventName) ? catalogue[eventName].supports : [];
  return supports.includes('tool_input');
};

/**
 * Warns by `process.emitWarning` of guards that do not do their work, and of hooks in their place that cannot start: once
 * per hook and engine, where the host brought no log to read it in.
 */
export class GuardWarnings {
  readonly #told = new Set<string>();

  about(eventName: string, results: readonly HookExecutionResult[]): void {
    for (const result of results) if (result.code !== undefined) this.#fault(eventName, result);
  }

  #fault(eventName: string, result: HookExecutionResult): void {
    const { code, hookConfig } = result;
    const { onFault = 'allow' } = hookConfig;
    if (code === 'cancelled' || code === 'deadline') return;
    const isGuard = onFault !== 'allow';
    if (!isGuard && !(isGuardsPlace(eventName) && isUnstarted(result))) return;
    const effect = isGuard ? `its onFault "${onFault}" counts` : 'the call went on without it';
    const what = `${eventName} hook "${hookKey(hookConfig)}" failed (${code}: ${faultText(result)}); ${effect}`;
    this.#warn(`${eventName} ${hookKey(hookConfig)}`, what, isUnstarted(result) ? CANNOT_START : GUARD_FAULT);
  }

  /** A look at the machine showed that a hook would fail. */
  cannotStart({ eventName, name }: HookRow, { message }: ConfigProblem): void {
    if (isGuardsPlace(eventName)) this.#warn(`${eventName} ${name}`, message, CANNOT_START);
  }

  #warn(hook: string, message: string, code: string): void {
    if (this.#told.has(hook)) return;
    this.#told.add(hook);
    process.emitWarning(`${onOneLine(message)}. Look closer: hookwright doctor`, { type: WARNING, code });
  }
}

/** What a look at the machine says of hooks that would be started and fail. Nothing is run. */
export const launchProblems = async (system: HookSystem): Promise<readonly (readonly [HookRow, ConfigProblem])[]> => {
  if (system.getStatus().totalHooks === 0) return [];
  const guards = new Set(
    system
      .getAllHooks()
      .filter(({ config: { onFault = 'allow' } }) => onFault !== 'allow')
      .map(({ hookId }) => hookId),
  );
  return (await system.explain()).flatMap((row) =>
    (row.warnings ?? [])
      .filter(({ code }) => hindering.has(code))
      .map((found): readonly [HookRow, ConfigProblem] => [
        row,
        {
          code: found.code,
          severity: guards.has(row.hookId) ? 'error' : 'warning',
          skipped: false,
          path: `hooks.${row.eventName}`,
          source: row.source.kind,
          message: `${row.eventName} hook "${row.name}" would fail: ${noticeText({ ...found, fix: undefined })}`,
          ...(found.fix === undefined ? {} : { hint: found.fix }),
          ...(row.source.file === undefined ? {} : { file: row.source.file }),
          ...(row.source.line === undefined ? {} : { line: row.source.line }),
        },
      ]),
  );
};
