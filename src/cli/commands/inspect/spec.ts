import { brokerFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const inspectSpec = defineSpec({
  name: 'inspect',
  summary: 'look at hooks in the browser: what they did, in which order, how long it took',
  description: [
    'Opens a page that only this machine can reach, at the address it prints: a recorded session; with --live an agent that runs with HOOKWRIGHT_TAP=1; with --nats all agents and hosts of a group on a broker. Nothing is loaded from a network. The page is read-only, unless --answer lets you answer the questions of hooks on it. Ctrl-C ends it.',
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
    nats: { kind: 'text', value: 'url', summary: 'what goes over a broker, such as nats://127.0.0.1:4222' },
    group: { kind: 'text', value: 'group', summary: 'with --nats: whose traffic; hosts by default' },
    stream: { kind: 'text', value: 'session', summary: 'with --nats: a session that was recorded into a stream' },
    answer: { kind: 'switch', summary: 'with --nats: questions of hooks can be answered on the page' },
    ...brokerFlags,
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
    {
      command: 'hookwright inspect --nats nats://127.0.0.1:4222 --answer',
      does: 'all traffic of a broker, and answers to what its hooks ask',
    },
  ],
  streams: true,
  exit: { ok: 'you ended it', findings: 'there is no session, or no agent has a tap open' },
});
