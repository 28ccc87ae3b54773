import { basename } from 'node:path';
import { isAbilityEventType } from '../events/index.ts';
import type { MissingGuard } from '../planner/index.ts';
import { type AbilityHook, type ConfigProblem, ConfigSource } from '../protocol/index.ts';

const ANOTHER_ID = 'give one of the two another id';

/** What to say of a hook that is left out because its id is taken. */
export interface Displacement {
  /** What is refused in its place, if it could decide anything. */
  readonly missing?: MissingGuard | undefined;
  /** For the row of the hook. */
  readonly detail: string;
}

export interface EnteredId {
  readonly displacement?: Displacement | undefined;
  readonly problem?: ConfigProblem | undefined;
}

const takenText = ({ blocking }: AbilityHook, takenBy: string): string =>
  `taken by ${takenBy}${blocking ? ', and what this hook would check is refused' : ''}; ${ANOTHER_ID}`;

const missingFor = (hook: AbilityHook, takenBy: string): MissingGuard | undefined => {
  const { id, eventType, match, blocking, file, line } = hook;
  if (!blocking || !isAbilityEventType(eventType)) return undefined;
  const message = `${basename(file)} does not run: its id is taken by ${basename(takenBy)}; ${ANOTHER_ID}`;
  return { id, events: { [eventType]: 'fail' }, match, file, line, code: 'not-supported', message };
};

const displacementOf = (hook: AbilityHook, takenBy: string): Displacement => ({
  missing: missingFor(hook, takenBy),
  detail: `Its id is ${takenText(hook, takenBy)}.`,
});

/** It stands at the later of the two files, also where the earlier one does not run and nothing is left out yet. */
const problemWith = (hook: AbilityHook, first: string, takenBy: string | undefined): ConfigProblem => {
  const { id, file, line } = hook;
  const what = takenBy === undefined ? `declared by ${first} too; ${ANOTHER_ID}` : takenText(hook, takenBy);
  return {
    code: 'duplicate-name',
    severity: 'error',
    skipped: takenBy !== undefined,
    path: 'id',
    source: ConfigSource.Project,
    message: `the id "${id}" is ${what}`,
    expected: 'an id of its own',
    found: `"${id}"`,
    hint: ANOTHER_ID,
    file,
    line,
    column: 1,
  };
};

/** Which file declared an id first, and which one has it. What cannot run takes nobody's id. */
export class DeclaredIds {
  readonly #declared = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  /** Takes the id for a hook if nothing else keeps it from running, and says what is wrong with that. */
  enter(hook: AbilityHook, isReady: boolean): EnteredId {
    const { id, file } = hook;
    const first = this.#declared.get(id);
    const taken = this.#taken.get(id);
    const takenBy = isReady ? taken : undefined;
    if (first === undefined) this.#declared.set(id, file);
    if (isReady && taken === undefined) this.#taken.set(id, file);
    return {
      displacement: takenBy === undefined ? undefined : displacementOf(hook, takenBy),
      problem: first === undefined ? undefined : problemWith(hook, first, takenBy),
    };
  }
}
