import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AbilityHookSet } from '../../src/abilities/index.ts';
import {
  AgentRuntime,
  type AgentRuntimeOptions,
  type LoadAbilityHooksOptions,
  loadAbilities,
  loadAbilityHooks,
} from '../../src/abilities/index.ts';
import { Config } from '../../src/config.ts';
import type { TrustQuestion } from '../../src/registry/index.ts';
import { reviewTrust } from '../../src/trust/index.ts';
import { repositoryWith } from './support.ts';

const fixtures = join(import.meta.dirname, '../fixtures/abilities');

const declared = (id: string, operation: string, script: string): Record<string, string> => ({
  [`.system/abilities/${id}.yaml`]: `id: ${id}\noperations: [${operation}]\nhandler: {kind: script, command: ./bin/${id}.mjs}\n`,
  [`bin/${id}.mjs`]: `#!/usr/bin/env node\n${script}\n`,
});

/** A repository with the five hooks as people wrote them, and two abilities that do real work. */
export const fixtureRepository = (files: Readonly<Record<string, string>> = {}): string => {
  const root = repositoryWith({
    ...declared(
      'edit_file',
      'file.edit',
      `import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
const { input: { path, text } } = await json(process.stdin);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, text);`,
    ),
    ...declared('signup_e2e_test', 'test.signup', `console.log('signed up');`),
    ...files,
  });
  cpSync(fixtures, root, { recursive: true });
  return root;
};

/** Approves every declaration as it is now, as `hookwright trust` does. */
export const approveAll = async (root: string, home: string): Promise<void> => {
  const questions: TrustQuestion[] = [];
  const trustCheck = (question: TrustQuestion): boolean => {
    questions.push(question);
    return false;
  };
  const hooks = await loadAbilityHooks(root, { trustCheck, log: false });
  await hooks.dispose();
  const review = await reviewTrust(new Config({ workingDir: root }), { home, projectDir: root, questions });
  await review.approve(review.hooks.map(({ id }) => id));
};

export interface Opened {
  readonly hooks: AbilityHookSet;
  readonly runtime: AgentRuntime;
}

/** A new process of the host, as far as files go: everything is read again. */
export const open = async (
  root: string,
  options: LoadAbilityHooksOptions,
  more: Partial<AgentRuntimeOptions<unknown>> = {},
): Promise<Opened> => {
  const hooks = await loadAbilityHooks(root, options);
  const { registry: abilities } = await loadAbilities(root, { trustedFolder: true });
  const runtime = new AgentRuntime({ root, hooks, abilities, planner: () => undefined, ...more });
  onTestFinished(async () => {
    await runtime.dispose();
    await hooks.dispose();
  });
  return { hooks, runtime };
};
