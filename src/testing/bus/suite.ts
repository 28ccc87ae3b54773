import type { Bus } from '../../bus/index.ts';
import type { HookwrightError } from '../../errors.ts';
import type { expectVitest } from '../vitest.ts';
import { aNote, NOTE } from './sample-messages.ts';

type Vitest = ReturnType<typeof expectVitest>;

/** A transport under test, and what its tests are written with. */
export interface BusSuite extends Pick<Vitest, 'describe' | 'expect' | 'test' | 'vi'> {
  readonly name: string;
  readonly createBus: () => Bus | Promise<Bus>;
  readonly inline: boolean;
  readonly knowsListeners: boolean;
  readonly remote: boolean;
  /** An inline bus owes it now; any other within a second. */
  readonly soon: (check: () => void) => Promise<void>;
}

export const errorsOf = (bus: Bus): HookwrightError[] => {
  const errors: HookwrightError[] = [];
  bus.on('error', (error) => errors.push(error));
  return errors;
};

export const notesOf = (bus: Bus): string[] => {
  const notes: string[] = [];
  bus.subscribe(NOTE, ({ message }) => notes.push(message));
  return notes;
};

export const publishNotes = (bus: Bus, ...notes: string[]): void => {
  for (const note of notes) bus.publish(aNote(note));
};
