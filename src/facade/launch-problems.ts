/** Reports configured hooks that could not be started on this machine. */
import type { HookSystem } from '../hook-system.ts';
import { type ConfigProblem, type HookRow, type NoticeCode, noticeText } from '../protocol/index.ts';

const launchFaults: ReadonlySet<NoticeCode> = new Set([
  'executable-not-found',
  'not-executable',
  'bad-script',
  'suspect-launch',
  'not-supported',
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
  return (await system.explain()).flatMap((row) =>
    (row.warnings ?? [])
      .filter(({ code }) => launchFaults.has(code))
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
