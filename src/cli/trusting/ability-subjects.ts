/** Collects the abilities and ability hooks that `trust` reviews. */
import { basename } from 'node:path';
import { loadAbilities, loadAbilityHooks } from '../../abilities/index.ts';
import type { AbilityHook } from '../../protocol/index.ts';
import type { TrustQuestion } from '../../registry/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { getAbilityHooksFolder, isFileProblem } from '../sources/ability-hooks.ts';

export const collectAbilitySubjects = async (config: LoadedConfig) => {
  const questions: TrustQuestion[] = [];
  const files = new Set<string>();
  const trustCheck = (question: TrustQuestion) => {
    if (question.config.type !== undefined) questions.push(question);
    else files.add(question.source.file ?? '');
    return 'untrusted' as const;
  };
  const projectDir = config.getProjectDir();
  const hooks = await loadAbilityHooks(getAbilityHooksFolder(projectDir), { log: false, trustCheck });
  await hooks.dispose();
  const unreadable = new Map<string, CliProblem[]>();
  for (const { file = '', line, column, message, skipped } of hooks.problems) {
    if (!skipped || !files.has(file)) continue;
    unreadable.set(file, [...(unreadable.get(file) ?? []), { severity: 'error', file, line, column, message }]);
  }
  await loadAbilities(projectDir, { trustCheck });
  const notes = collectSharedIdNotes(hooks.hooks);
  for (const { file = '', message, skipped, code } of hooks.problems) {
    // `collectSharedIdNotes` explains duplicate ids.
    if (!skipped && code !== 'duplicate-name' && isFileProblem({ code }))
      notes.set(file, [...(notes.get(file) ?? []), message]);
  }
  return { questions, notes, unreadable };
};

const describeConsequence = ({ blocking }: AbilityHook, name: string): string =>
  blocking ? `what ${name} would check is refused then` : `${name} is not run then`;

const collectSharedIdNotes = (hooks: readonly AbilityHook[]): Map<string, readonly string[]> => {
  const notes = new Map<string, readonly string[]>();
  const note = ({ file }: AbilityHook, text: string): unknown => notes.set(file, [...(notes.get(file) ?? []), text]);
  const firstOf = new Map<string, AbilityHook>();
  for (const hook of hooks.filter(({ enabled }) => enabled)) {
    const first = firstOf.get(hook.id);
    if (first === undefined) {
      firstOf.set(hook.id, hook);
      continue;
    }
    const [its, other] = [basename(hook.file), basename(first.file)];
    note(first, `replaces ${its}, which has the same id: ${describeConsequence(hook, its)}`);
    note(
      hook,
      `${other} has the same id and takes its place once both are approved: ${describeConsequence(hook, 'this one')}`,
    );
  }
  return notes;
};
