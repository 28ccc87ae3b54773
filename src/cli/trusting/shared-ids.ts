import { basename } from 'node:path';
import type { AbilityHook } from '../../protocol/index.ts';

/** What becomes of the hook whose place another one takes. */
const consequence = ({ blocking }: AbilityHook, name: string): string =>
  blocking ? `what ${name} would check is refused then` : `${name} is not run then`;

/**
 * What to know before hooks are approved that have one id: the first by file name takes the place of the others. By file;
 * hooks that are switched off take no part.
 */
export const sharedIdNotes = (hooks: readonly AbilityHook[]): ReadonlyMap<string, readonly string[]> => {
  const notes = new Map<string, string[]>();
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
