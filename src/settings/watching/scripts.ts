import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HookSystem } from '../../hook-system.ts';
import { within } from '../../kit/node.ts';
import type { LoadedConfig } from '../loaded-config.ts';
import { hookSubject } from '../trust/hook-subject.ts';

/**
 * The scripts that hooks of the project and of extensions name, as far as what they contain is part of an approval. Of
 * hooks that nobody approved nothing is looked at.
 */
export const scriptsOf = (config: LoadedConfig, system: HookSystem): string[] => {
  if (!system.isInitialized()) return [];
  const where = { projectDir: config.getProjectDir(), cwd: config.getWorkingDir() };
  const paths = new Set<string>();
  for (const hook of system.getRegistry().getConfiguredHooks()) {
    if (hook.config === undefined || hook.source.file === undefined || hook.barriers.includes('untrusted')) continue;
    const { hookId, name, eventName, source, matcher, sequential } = hook;
    const question = { hookId, name, eventName, source, sequential, config: hook.config };
    const { files, roots } = hookSubject(matcher === undefined ? question : { ...question, matcher }, where);
    for (const { path: named, runs } of files) {
      const path = resolve(named);
      const isThere = runs || existsSync(path);
      if (isThere && roots.some(({ directory }) => within(directory, path) !== undefined)) paths.add(path);
    }
  }
  return [...paths];
};
