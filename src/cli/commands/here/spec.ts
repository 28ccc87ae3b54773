import { defineSpec } from '../../arguments/spec.ts';

/** What `hookwright` alone shows on a terminal. */
export const hereSpec = defineSpec({
  name: '__here',
  summary: 'show the hooks of this directory, and what to do next',
  examples: [],
  exit: { ok: 'always' },
  hidden: true,
});
