/** Abilities and ability hooks, as `trust` reviews them. */
import { basename } from 'node:path';
import { loadAbilities, loadAbilityHooks } from '../../abilities/index.ts';
import type { AbilityHook } from '../../protocol/index.ts';
import type { TrustQuestion } from '../../registry/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { abilityHooksIn, isAboutFile } from '../sources/ability-hooks.ts';

export interface AbilitySubjects {
  /** What the engine asks about the abilities of a project and their hooks, in the same words as about all other hooks. */
  readonly questions: readonly TrustQuestion[];
  /** What else there is to know of some of them, by file. */
  readonly notes: ReadonlyMap<string, readonly string[]>;
  /** Files of hooks that are there and cannot be read, each with its problems. */
  readonly unreadable: ReadonlyMap<string, readonly CliProblem[]>;
}

/** Looks at the abilities of a project and their hooks, and runs nothing. */
export const abilitySubjects = async (config: LoadedConfig): Promise<AbilitySubjects> => {
  const questions: TrustQuestion[] = [];
  const files = new Set<string>();
  const trustCheck = (question: TrustQuestion) => {
    // What cannot be read cannot be approved.
    if (question.config.type !== undefined) questions.push(question);
    else files.add(question.source.file ?? '');
    return 'untrusted' as const;
  };
  const projectDir = config.getProjectDir();
  const hooks = await loadAbilityHooks(abilityHooksIn(projectDir), { log: false, trustCheck });
  await hooks.dispose();
  const unreadable = new Map<string, CliProblem[]>();
  for (const { file = '', line, column, message, skipped } of hooks.problems) {
    if (!skipped || !files.has(file)) continue;
    unreadable.set(file, [...(unreadable.get(file) ?? []), { severity: 'error', file, line, column, message }]);
  }
  await loadAbilities(projectDir, { trustCheck });
  const notes = sharedIdNotes(hooks.hooks);
  for (const { file = '', message, skipped, code } of hooks.problems) {
    // Of ids that two hooks have, the notes tell more.
    if (!skipped && code !== 'duplicate-name' && isAboutFile({ code }))
      notes.set(file, [...(notes.get(file) ?? []), message]);
  }
  return { questions, notes, unreadable };
};

/** What becomes of the hook whose place another one takes. */
const consequence = ({ blocking }: AbilityHook, name: string): string =>
  blocking ? `what ${name} would check is refused then` : `${name} is not run then`;

/**
 * What to know before hooks are approved that have one id: the first by file name takes the place of the others. By file;
 * hooks that are switched off take no part.
 */
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
