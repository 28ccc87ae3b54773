import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ability, AbilityCall, AbilityHookSet } from '../../src/abilities/index.ts';
import {
  type LoadAbilityHooksOptions,
  loadAbilityHooks,
  type ToolRunner,
  type ToolRunnerOptions,
  ToolRunner as Tools,
} from '../../src/abilities/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A repository for one test, with these files; scripts among them can be executed. */
export const repositoryWith = (files: Readonly<Record<string, string>> = {}): string => {
  const root = temporaryFolder('abilities');
  for (const [name, text] of Object.entries(files)) writeIn(root, name, text);
  return root;
};

export const writeIn = (root: string, name: string, text: string): void => {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (text.startsWith('#!')) chmodSync(file, 0o755);
};

/** An ability that is a function of the test. */
export const ability = (
  id: string,
  run: (call: AbilityCall, context: { signal: AbortSignal }) => unknown,
  more: Partial<Ability> = {},
): Ability => ({ id, handler: { kind: 'function', run }, ...more });

/** Tools for a person at the machine, disposed of when the test ends. */
export const toolsWith = (options: Partial<ToolRunnerOptions> & { readonly root: string }): ToolRunner => {
  const tools = new Tools({ caller: { source: 'manual_cli' }, abilities: [], ...options });
  onTestFinished(() => tools.dispose());
  return tools;
};

/** The hooks of a repository that is trusted, disposed of when the test ends. */
export const hooksIn = async (root: string, options: LoadAbilityHooksOptions = {}): Promise<AbilityHookSet> => {
  const hooks = await loadAbilityHooks(root, { root, trustedFolder: true, ...options });
  onTestFinished(() => hooks.dispose());
  return hooks;
};

/** Hooks as YAML would declare them. */
export interface HookFile {
  readonly event_type: string;
  readonly blocking?: boolean;
  readonly [key: string]: unknown;
  /** Its handler: a script of sh that may read `$context`. */
  readonly script: string;
}

/** The files of hooks by id, each with a handler in sh. */
export const hookFiles = (hooks: Readonly<Record<string, HookFile>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(hooks).flatMap(([id, { script, blocking = true, ...rest }]) => [
      [
        `.system/hooks/${id}.yaml`,
        JSON.stringify({
          id,
          enabled: true,
          blocking,
          handler: { kind: 'script', command: `.system/handlers/${id}.sh`, timeout_ms: 5_000 },
          ...rest,
        }),
      ],
      [`.system/handlers/${id}.sh`, `#!/bin/sh\ncontext=$(cat)\n${script}\n`],
    ]),
  );

/** A script that says one signal. */
export const says = (kind: string, code: string, payload: object = {}): string =>
  `echo '${JSON.stringify({ hook_signals: [{ kind, code, payload }] })}'`;
