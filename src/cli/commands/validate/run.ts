import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigFile } from '../../../config/index.ts';
import { ConfigSource } from '../../../protocol/index.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { CliProblem } from '../../outcome.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { isFinding, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { nothingConfigured, readConfiguration } from '../../sources/configured.ts';
import { styled, type Text } from '../../terminal/text.ts';
import { CodeFrames } from './code-frame.ts';
import type { validateSpec } from './spec.ts';

const namedFile = (file: string, { cwd }: Context): ConfigFile => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return { path, scope: ConfigSource.Project };
  throw new UsageError(`there is no file ${file}`);
};

/** Each problem with the line it is about. */
const framedText = (problems: readonly CliProblem[], { screen: { width }, cwd }: Context): Text => {
  const frames = new CodeFrames();
  return problems.flatMap((problem) => [...problemsText([problem], width, cwd), ...frames.frame(problem, width), '']);
};

export const run: Run<typeof validateSpec> = async ({ files }, context) => {
  const named = files.length === 0 ? undefined : files.map((file) => namedFile(file, context));
  const { hooks, problems: inSettings, config } = await readConfiguration(context, { files: named });
  const abilities = named === undefined ? await readAbilityHooks(config) : undefined;
  const problems = [...inSettings, ...(abilities?.problems ?? [])];
  const count = hooks.length + (abilities?.declared.length ?? 0);
  const summary = `${counted(count, 'hook')}, ${counted(problems.length, 'problem')}`;
  return {
    findings: problems.some(isFinding),
    data: { hooks: count },
    problems,
    text: () => [
      ...framedText(problems, context),
      ...(count === 0 && problems.length === 0 ? nothingConfigured(context.cwd) : []),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
};
