import { suggestion } from '../../kit/index.ts';
import { expectEvents } from '../arguments/events.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { HookTest } from './read-tests.ts';
import { hooksOf, type Stage } from './stage.ts';
import { wantedText, whyNoPattern } from './wanted-text.ts';

/** Which tests somebody wants; an empty list means all. */
export interface Selection {
  /** Part of the name of a test, or a regular expression between slashes. */
  readonly name: string | undefined;
  readonly hooks: readonly string[];
  readonly events: readonly string[];
}

/** The question itself may be wrong: an event or a hook nobody knows would leave nothing to run, without a word. */
export const checkSelection = ({ name, hooks, events }: Selection, stage: Stage): void => {
  expectEvents(events);
  const why = name === undefined ? undefined : whyNoPattern(name);
  if (why !== undefined) throw new UsageError(`--name cannot be read: ${why}`);
  const known = stage.hooks.flatMap((hook) => [hook.name, hook.hookId]);
  const unknown = hooks.find((hook) => !known.includes(hook));
  if (unknown === undefined) return;
  const names = [...new Set(stage.hooks.map((hook) => hook.name))];
  throw new UsageError(
    `no hook is called ${JSON.stringify(unknown)}${suggestion(unknown, names)}`,
    names.length === 0 ? 'no hooks are configured here' : `there are: ${names.join(', ')}`,
  );
};

/** The tests that are wanted, in their order. */
export const selectTests = async (
  tests: readonly HookTest[],
  { name, hooks, events }: Selection,
  stage: Stage,
): Promise<readonly HookTest[]> => {
  const wanted = name === undefined ? undefined : wantedText(name);
  const selected: HookTest[] = [];
  for (const test of tests) {
    if (events.length > 0 && !events.includes(test.event)) continue;
    if (wanted !== undefined && !wanted.matches(test.name ?? '')) continue;
    if (hooks.length > 0) {
      const concerned = await hooksOf(stage, test);
      if (!hooks.some((hook) => concerned.has(hook))) continue;
    }
    selected.push(test);
  }
  return selected;
};
