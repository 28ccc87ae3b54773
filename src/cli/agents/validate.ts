import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../arguments/usage-error.ts';
import { framedText } from '../commands/validate/framed-text.ts';
import type { Context } from '../context.ts';
import type { CommandOutcome } from '../outcome.ts';
import { counted } from '../rendering/problem-lines.ts';
import { isFinding } from '../sources/ability-hooks.ts';
import { styled } from '../terminal/text.ts';
import { cliProblem } from './judged.ts';
import { type Whose, whoseData, whoseText } from './whose-hooks.ts';

const existing = (file: string, cwd: string): string => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new UsageError(`there is no file ${file}`);
};

/** The files of another agent, checked as it reads them; what it would swallow is a problem with its line. */
export const validateOfAgent = async (
  whose: Whose,
  named: readonly string[],
  context: Context,
): Promise<CommandOutcome> => {
  const files = named.length === 0 ? undefined : named.map((file) => existing(file, context.cwd));
  const { hooks, problems: found } = await whose.agent.judge({ files });
  const problems = found.map(cliProblem);
  const summary = `${counted(hooks.length, 'hook')}, ${counted(problems.length, 'problem')}`;
  return {
    findings: problems.some(isFinding),
    data: { agent: whoseData(whose), hooks: hooks.length },
    problems,
    text: () => [
      ...whoseText(whose, context),
      ...framedText(problems, context, whose.agent.projectDir),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
};
