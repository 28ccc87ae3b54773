import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigFile } from '../../../config/index.ts';
import { ConfigSource } from '../../../protocol/index.ts';
import { validateOfAgent } from '../../agents/validate.ts';
import { whoseHooks } from '../../agents/whose-hooks.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { counted } from '../../rendering/problem-lines.ts';
import { isFinding, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { nothingConfigured, readConfiguration } from '../../sources/configured.ts';
import { styled } from '../../terminal/text.ts';
import { framedText } from './framed-text.ts';
import type { validateSpec } from './spec.ts';

const namedFile = (file: string, { cwd }: Context): ConfigFile => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return { path, scope: ConfigSource.Project };
  throw new UsageError(`there is no file ${file}`);
};

export const run: Run<typeof validateSpec> = async (given, context) => {
  const { files } = given;
  const whose =
    files.length === 0 || given.dialect !== undefined ? await whoseHooks(given, undefined, context) : undefined;
  if (whose !== undefined) return validateOfAgent(whose, files, context);
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
      ...framedText(problems, context, config.getProjectDir()),
      ...(count === 0 && problems.length === 0 ? nothingConfigured(context.cwd) : []),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
};
