/** The command line of `replay`: arguments, flags, examples and exit codes. */
import { filterFlags, hookFilterFlag, sessionArgument, sinceFlag, streamFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const replaySpec = defineSpec({
  name: 'replay',
  summary: 'show a recorded session again, or run its requests with the current hooks',
  description: [
    'Without --drive nothing runs: the messages are shown as recorded. With --drive the requests are sent again, hooks run for real with their side effects, and each new answer is compared with the recorded one.',
  ],
  arguments: [sessionArgument],
  flags: {
    drive: { kind: 'switch', summary: 'run the hooks configured here, and compare' },
    pace: {
      kind: 'text',
      value: 'pace',
      summary: 'instant (the default), recorded, or a factor such as 10 for ten times as fast',
    },
    full: { kind: 'switch', summary: 'show long inputs in full' },
    ...sinceFlag,
    ...filterFlags,
    ...hookFilterFlag,
    ...streamFlags,
  },
  examples: {
    'hookwright replay': 'the newest recording, message by message',
    'hookwright replay bug.jsonl --pace 10': 'ten times as fast as recorded',
    'hookwright replay --stream night --nats nats://127.0.0.1:4222': 'a session stored on a broker',
    'hookwright replay last --drive --tool Bash': 'do my hooks still answer calls of Bash the same way?',
  },
  exit: {
    ok: 'the session was shown; with --drive, all answers are the same',
    findings: 'nothing has been recorded; with --drive, an answer differs',
  },
});
