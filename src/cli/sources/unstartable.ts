import { HookSystem } from '../../hook-system.ts';
import type { HookRow, Notice } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';

const codes: readonly string[] = ['not-executable', 'executable-not-found', 'suspect-launch'];

/** What a look at the machine says against starting a hook. */
const whyNot = ({ warnings = [] }: HookRow): Notice | undefined => warnings.find(({ code }) => codes.includes(code));

/** How many hooks are on, and which of all cannot be started as the machine is. Nothing is run. */
export const lookAtStarts = async (
  config: LoadedConfig,
): Promise<{ readonly on: number; readonly canaries: number; readonly problems: readonly CliProblem[] }> => {
  const system = new HookSystem(config, undefined, config.getDeps());
  try {
    await system.initialize();
    const rows = await system.explain();
    const problems = rows.flatMap((row): CliProblem[] => {
      const why = whyNot(row);
      if (why === undefined || row.reason === 'disabled') return [];
      const { file, line } = row.source;
      const message = `hook ${row.name} cannot start, so it does nothing: ${why.message}`;
      return [{ severity: 'error', code: why.code, file, line, message, hint: why.fix }];
    });
    const on = rows.filter(({ planned }) => planned === 'run');
    const ids = new Set(on.map(({ hookId }) => hookId));
    const withCanary = system
      .getAllHooks()
      .filter(({ hookId, config: { canary } }) => canary !== undefined && ids.has(hookId));
    return { on: on.length, canaries: withCanary.length, problems };
  } finally {
    await system.dispose();
  }
};
