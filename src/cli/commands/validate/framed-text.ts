import type { Context } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import type { Text } from '../../terminal/text.ts';
import { CodeFrames } from './code-frame.ts';

/** Each problem with the line it is about. */
export const framedText = (problems: readonly CliProblem[], { screen: { width }, cwd }: Context): Text => {
  const frames = new CodeFrames();
  return problems.flatMap((problem) => [...problemsText([problem], width, cwd), ...frames.frame(problem, width), '']);
};
