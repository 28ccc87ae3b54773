/** The hidden command that runs for `hookwright` without arguments on a terminal. */
import { defineSpec } from '../../arguments/spec.ts';

export const hereSpec = defineSpec({
  name: '__here',
  summary: 'show the hooks of this directory, and what to do next',
  examples: {},
  exit: { ok: 'always' },
  hidden: true,
});
