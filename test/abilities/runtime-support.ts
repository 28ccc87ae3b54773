import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Ability } from '../../src/abilities/index.ts';
import { AgentRuntime, type AgentRuntimeOptions } from '../../src/abilities/index.ts';
import { ability, type HookFile, hookFiles, hooksIn, repositoryWith } from './support.ts';

export interface Options extends Partial<AgentRuntimeOptions<unknown>> {
  readonly hookFiles?: Readonly<Record<string, HookFile>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly onFault?: 'skip' | 'fail';
}

export const edit = ability('edit_file', () => ({ output_summary: 'edited' }), { summary: 'Changes a file' });

export const runtimeWith = async ({ hookFiles: hooks = {}, files = {}, onFault, ...more }: Options = {}) => {
  const root = repositoryWith({ ...hookFiles(hooks), ...files });
  const set = await hooksIn(root, onFault === undefined ? {} : { onFault });
  expect(set.problems).toEqual([]);
  const abilities: readonly Ability[] = [edit];
  const runtime = new AgentRuntime({ root, hooks: set, abilities, planner: () => 'planned', ...more });
  onTestFinished(() => runtime.dispose());
  return { root, runtime };
};

export const calls = (root: string, name: string): unknown[] => {
  const file = join(root, name);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

export const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

export const notes = (name: string): string => `printf '%s\\n' "$context" >> ${name}`;
