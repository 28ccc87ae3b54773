import { type Context, isYes } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { shortPath } from '../../sources/sessions.ts';
import { styled, type TextLine } from '../../terminal/text.ts';

/** Files that an undo would delete, and what it would take back. */
interface Loss {
  readonly what: string;
  readonly files: readonly string[];
}

/** Asks before files go away. Where nobody can be asked, they stay: then the problem says how to say it beforehand. */
export const agreeToLose = async ({ what, files }: Loss, context: Context): Promise<CliProblem | undefined> => {
  const [file] = files;
  const names = files.map((path) => shortPath(path, context.cwd));
  if (!context.canAsk) {
    const message = `taking back ${what} would delete ${names.join(', ')}; nothing was changed`;
    const hint = 'use hookwright undo --yes to do it, or hookwright undo --dry-run to see it first';
    return { severity: 'error', file, message, hint };
  }
  context.note([`taking back ${what} deletes`, ...names.map((name): TextLine => ['  ', styled('bold', name)])]);
  const said = await context.ask([`take back ${what}? [y]es, [N]o:`]);
  return isYes(said)
    ? undefined
    : { severity: 'error', file, message: `${what} is not taken back; nothing was changed` };
};
