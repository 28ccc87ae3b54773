import type { Context } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import type { Text } from '../../terminal/text.ts';
import { CodeFrames } from './code-frame.ts';

/** Each problem with the line it is about, unless somebody else may have led us to the file that it is in. */
export const framedText = (
  problems: readonly CliProblem[],
  { screen: { width }, cwd }: Context,
  projectDir = cwd,
): Text => {
  const frames = new CodeFrames(projectDir);
  return problems.flatMap((problem) => [...problemsText([problem], width, cwd), ...frames.frame(problem, width), '']);
};
