/** Finds the program that the command of a new hook must name before its script. */
import { join } from 'node:path';
import { findProgram, isExecutable, splitSearchPath } from '../../kit/node.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';
import type { Language } from './language-names.ts';

interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  readonly platform: NodeJS.Platform;
  readonly projectDir: string;
}

/** Since these versions, Node runs TypeScript without a flag. */
const runsTypeScript = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);
};

const createTypescriptStarter = ({ env, nodeVersion, projectDir }: Machine): string => {
  if (runsTypeScript(nodeVersion)) return '';
  const local = join('node_modules', '.bin', 'tsx');
  if (isExecutable(join(projectDir, local))) return `$HOOKWRIGHT_PROJECT_DIR/${local.replaceAll('\\', '/')} `;
  for (const [program, command] of [
    ['tsx', 'tsx'],
    ['bun', 'bun'],
    ['deno', 'deno run --allow-all'],
  ] as const) {
    if (findProgram(program, splitSearchPath(env.PATH)) !== undefined) return `${command} `;
  }
  throw new UsageError(
    `Node ${nodeVersion} cannot run TypeScript, and there is neither tsx nor bun nor deno`,
    'install tsx (npm install --save-dev tsx), use Node 22.18 or later, or write --language node',
  );
};

export const createLocalStarter = (language: Language, config: LoadedConfig, { env }: Pick<Context, 'env'>): string => {
  const { platform, versions } = process;
  return createStarter(language, { env, nodeVersion: versions.node, platform, projectDir: config.getProjectDir() });
};

export const createStarter = (language: Language, machine: Machine): string => {
  const isTypescript = language === 'typescript';
  const starter = isTypescript ? createTypescriptStarter(machine) : '';
  if (starter !== '' || machine.platform !== 'win32') return starter;
  return isTypescript ? 'node ' : `${language} `;
};
