import { defineSpec } from '../../arguments/spec.ts';

export const inspectSpec = defineSpec({
  name: 'inspect',
  summary: 'look at hooks in the browser: what they did, in which order, how long it took',
  description: [
    'Opens a page at this machine alone, for whoever has the printed address: a recorded session, or with --live an agent that runs with HOOKWRIGHT_TAP=1. Nothing is loaded from a network, and the page only shows. Ctrl-C ends it.',
  ],
  arguments: [
    {
      name: 'session',
      summary: 'a recorded session: a file, or last (the default) for the newest in .hookwright/sessions',
      complete: 'sessions',
    },
  ],
  flags: {
    live: { kind: 'switch', summary: 'an agent that is running, instead of a session' },
    pid: { kind: 'number', value: 'pid', summary: 'with --live: which agent, when several are running' },
    backtest: {
      kind: 'switch',
      summary: 'with a session: show, too, what the settings here would decide otherwise; runs nothing',
    },
    port: { kind: 'number', value: 'port', summary: 'where to listen; by default at a port that is free' },
  },
  examples: [
    { command: 'hookwright inspect', does: 'the newest session' },
    { command: 'hookwright inspect --live', does: 'the agent that is running' },
    { command: 'hookwright inspect week.jsonl --backtest', does: 'a session, and what would come out differently now' },
  ],
  streams: true,
  exit: { ok: 'you ended it', findings: 'there is no session, or no agent has a tap open' },
});
