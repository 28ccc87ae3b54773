/** Counts the hooks that can run when another agent starts hookwright, and finds those that cannot. */
import { HookSystem } from '../../hook-system.ts';
import { type HookRow, isUnapproved, type Notice, shortenHookName } from '../../protocol/index.ts';
import { HookRunner } from '../../runners/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';

const startFaultCodes: readonly string[] = ['not-executable', 'executable-not-found', 'suspect-launch'];

export const findUnsupportedNotice = ({ warnings = [] }: HookRow): Notice | undefined =>
  warnings.find(({ code }) => code === 'not-supported');

const UNSUPPORTED_FIX = 'keep it in the settings of that agent, or use a command';

export const checkHookStarts = async (
  config: LoadedConfig,
): Promise<{ readonly on: number; readonly canaries: number; readonly problems: readonly CliProblem[] }> => {
  const system = new HookSystem(config, undefined, config.getDeps());
  try {
    await system.initialize();
    const configured = new Map(
      system
        .getRegistry()
        .getConfiguredHooks()
        .map(({ hookId, config: hook }) => [hookId, hook]),
    );
    const runner = new HookRunner(config, config.getDeps());
    const rows = await Promise.all(
      (await system.explain()).map(async (row): Promise<HookRow> => {
        const hook = configured.get(row.hookId);
        if (hook === undefined || !isUnapproved(row.reason)) return row;
        // The files of an unapproved hook may change before the approval, so only its type is checked.
        const warnings = (await runner.inspect(hook)).filter(({ code }) => code === 'not-supported');
        return warnings.length === 0 ? row : { ...row, warnings };
      }),
    );
    const problems = rows.flatMap((row): CliProblem[] => {
      if (row.reason === 'disabled') return [];
      const { file, line } = row.source;
      const missing = findUnsupportedNotice(row);
      if (missing !== undefined) {
        const message = `hook "${shortenHookName(row.name)}" does not run behind another agent: ${missing.message}`;
        return [{ severity: 'warning', code: missing.code, file, line, message, hint: UNSUPPORTED_FIX }];
      }
      const why = row.warnings?.find(({ code }) => startFaultCodes.includes(code));
      if (why === undefined) return [];
      const message = `hook ${row.name} cannot start, so it does nothing: ${why.message}`;
      return [{ severity: 'error', code: why.code, file, line, message, hint: why.fix }];
    });
    const on = rows.filter((row) => row.planned === 'run' && findUnsupportedNotice(row) === undefined);
    const withCanary = on.filter(({ hookId }) => configured.get(hookId)?.canary !== undefined);
    return { on: on.length, canaries: withCanary.length, problems };
  } finally {
    await system.dispose();
  }
};
