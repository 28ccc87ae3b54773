import type { Context } from '../context.ts';
import type { CliProblem } from '../outcome.ts';
import type { Altered, AlterOptions } from '../settings-edit/alter-file.ts';
import type { ScopedFile } from '../settings-edit/settings-files.ts';
import { refusedProblem } from '../trusting/lock.ts';
import { approveOwn } from './approve-own.ts';
import { createFiles, obstacles, removeFiles } from './create-files.ts';
import type { HookPlan } from './plan.ts';

export interface MakeOptions extends AlterOptions {
  readonly file: ScopedFile;
  /** Where the new files have to stay in. */
  readonly directory: string;
  /** Writes the entry into the settings. */
  readonly enter: (options: AlterOptions) => Promise<Altered>;
}

export interface Made {
  readonly settings?: Extract<Altered, { readonly ok: true }> | undefined;
  readonly isApproved: boolean;
  readonly problems: readonly CliProblem[];
}

const failed = (...problems: CliProblem[]): Made => ({ isApproved: false, problems });

/** Why no entry can be made. What is wrong with the file was said already where it was read before. */
const notEntered = (problem: CliProblem, { hasBroken }: Context): CliProblem => {
  const { severity, file } = problem;
  if (file === undefined || hasBroken?.(file) !== true) return problem;
  return { severity, file, message: 'nothing was written, because this file cannot be read', hint: 'correct it first' };
};

/** Makes the files of a hook and its entry; when one of them cannot be made, none is. */
export const makeHook = async (
  plan: HookPlan,
  { file, directory, enter, home, dryRun }: MakeOptions,
  context: Context,
): Promise<Made> => {
  const { files } = plan;
  const tried = await enter({ home, dryRun: true });
  if (!tried.ok) return failed(notEntered(tried.problem, context));
  const inTheWay = await obstacles(files, directory);
  if (inTheWay.length > 0) return failed(...inTheWay);
  const unwritten = dryRun ? undefined : await createFiles(files);
  if (unwritten !== undefined) return failed(unwritten);
  const settings = dryRun ? tried : await enter({ home, dryRun });
  if (!settings.ok) {
    await removeFiles(files.map(({ path }) => path));
    return failed(settings.problem);
  }
  if (dryRun || file.scope === 'user') return { settings, isApproved: false, problems: [] };
  let isApproved = false;
  const refused = await refusedProblem(async () => {
    isApproved = await approveOwn(plan, file.path, context);
  });
  return { settings, isApproved, problems: refused === undefined ? [] : [refused] };
};
