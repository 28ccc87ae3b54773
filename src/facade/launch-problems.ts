/** Reports configured hooks that could not be started on this machine. */
import type { HookSystem } from '../hook-system.ts';
import { omitUndefined } from '../kit/index.ts';
import { type ConfigProblem, type HookRow, type Notice, type NoticeCode, noticeText } from '../protocol/index.ts';

const launchFaultCodes: ReadonlySet<NoticeCode> = new Set([
  'executable-not-found',
  'not-executable',
  'bad-script',
  'suspect-launch',
  'not-supported',
  'http-error',
  'blocked-address',
]);

export const findLaunchProblems = async (
  system: HookSystem,
): Promise<readonly (readonly [HookRow, ConfigProblem])[]> => {
  if (system.getStatus().totalHooks === 0) return [];
  const guards = new Set(
    system
      .getAllHooks()
      .filter(({ config: { onFault = 'allow' } }) => onFault !== 'allow')
      .map(({ hookId }) => hookId),
  );
  const toProblem = ({ hookId, eventName, name, source }: HookRow, { fix: hint, ...found }: Notice): ConfigProblem =>
    omitUndefined({
      code: found.code,
      severity: guards.has(hookId) ? 'error' : 'warning',
      skipped: false,
      path: `hooks.${eventName}`,
      source: source.kind,
      message: `${eventName} hook "${name}" would fail: ${noticeText(found)}`,
      hint,
      file: source.file,
      line: source.line,
    });
  return (await system.explain()).flatMap((row) =>
    (row.warnings ?? []).flatMap((found) =>
      launchFaultCodes.has(found.code) ? [[row, toProblem(row, found)] as const] : [],
    ),
  );
};
