/** Collects the abilities and ability hooks that `trust` reviews. */
import { basename } from 'node:path';
import { loadAbilities, loadAbilityHooks } from '../../abilities/index.ts';
import type { AbilityHook } from '../../protocol/index.ts';
import type { TrustQuestion } from '../../registry/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { abilityHooksFolder, isFileProblem } from '../sources/ability-hooks.ts';

export interface AbilitySubjects {
  /** Descriptions of the abilities and hooks for the trust store. */
  readonly questions: readonly TrustQuestion[];
  /** File → notes that the review shows beside its hook. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
  /** File → problems of a hook that exists but cannot be read. */
  readonly unreadable: ReadonlyMap<string, readonly CliProblem[]>;
}

/** Runs nothing. */
export const abilitySubjects = async (config: LoadedConfig): Promise<AbilitySubjects> => {
  const questions: TrustQuestion[] = [];
  const files = new Set<string>();
  const trustCheck = (question: TrustQuestion) => {
    // An unreadable hook cannot be approved.
    if (question.config.type !== undefined) questions.push(question);
    else files.add(question.source.file ?? '');
    return 'untrusted' as const;
  };
  const projectDir = config.getProjectDir();
  const hooks = await loadAbilityHooks(abilityHooksFolder(projectDir), { log: false, trustCheck });
  await hooks.dispose();
  const unreadable = new Map<string, CliProblem[]>();
  for (const { file = '', line, column, message, skipped } of hooks.problems) {
    if (!skipped || !files.has(file)) continue;
    unreadable.set(file, [...(unreadable.get(file) ?? []), { severity: 'error', file, line, column, message }]);
  }
  await loadAbilities(projectDir, { trustCheck });
  const notes = sharedIdNotes(hooks.hooks);
  for (const { file = '', message, skipped, code } of hooks.problems) {
    // Duplicate ids are explained in `sharedIdNotes`.
    if (!skipped && code !== 'duplicate-name' && isFileProblem({ code }))
      notes.set(file, [...(notes.get(file) ?? []), message]);
  }
  return { questions, notes, unreadable };
};

/** What happens to the replaced hook. */
const consequence = ({ blocking }: AbilityHook, name: string): string =>
  blocking ? `what ${name} would check is refused then` : `${name} is not run then`;

/** Notes for hooks that share an id: the first file by name replaces the others. Disabled hooks do not count. */
const sharedIdNotes = (hooks: readonly AbilityHook[]): Map<string, readonly string[]> => {
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
    note(first, `replaces ${its}, which has the same id: ${consequence(hook, its)}`);
    note(hook, `${other} has the same id and takes its place once both are approved: ${consequence(hook, 'this one')}`);
  }
  return notes;
};
