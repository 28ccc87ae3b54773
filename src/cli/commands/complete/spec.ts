/** The hidden command that completion scripts call. */
import { defineSpec } from '../../arguments/spec.ts';

export const completeSpec = defineSpec({
  name: '__complete',
  summary: 'candidates for the last of the given words',
  arguments: [{ name: 'words', summary: 'behind --, the words so far, the last one unfinished', rest: true }],
  examples: {},
  exit: { ok: 'always' },
  hidden: true,
});
