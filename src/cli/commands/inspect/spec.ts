import { brokerFlags, sessionArgument, sinceFlag } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const inspectSpec = defineSpec({
  name: 'inspect',
  summary: 'show hooks in the browser: what they did, in which order, how long it took',
  description: [
    'Opens a page on this machine, at the address that it prints. It shows a recorded session or the journal; with --live, a running agent that was started with HOOKWRIGHT_TAP=1; with --nats, all agents and hosts of a group on a broker. Nothing is loaded from the network. The page is read-only, unless --answer lets you answer the questions of hooks. Ctrl-C ends it.',
  ],
  arguments: [sessionArgument],
  flags: {
    ...sinceFlag,
    live: { kind: 'switch', summary: 'a running agent, instead of a session' },
    pid: { kind: 'number', value: 'pid', summary: 'with --live: which agent, if several are running' },
    nats: { kind: 'text', value: 'url', summary: 'the traffic of a broker, such as nats://127.0.0.1:4222' },
    group: { kind: 'text', value: 'group', summary: 'with --nats: whose traffic; default: hosts' },
    stream: { kind: 'text', value: 'session', summary: 'with --nats: a session that was recorded into a stream' },
    answer: { kind: 'switch', summary: 'with --nats: questions of hooks can be answered on the page' },
    ...brokerFlags,
    backtest: {
      kind: 'switch',
      summary: 'with a session: also show what the current settings would decide differently; runs nothing',
    },
    port: { kind: 'number', value: 'port', summary: 'the port to listen on; default: a free one' },
  },
  examples: [
    { command: 'hookwright inspect', does: 'the newest session' },
    { command: 'hookwright inspect --live', does: 'the agent that is running' },
    {
      command: 'hookwright inspect week.jsonl --backtest',
      does: 'a session, and what would be decided differently now',
    },
    {
      command: 'hookwright inspect --nats nats://127.0.0.1:4222 --answer',
      does: 'all traffic of a broker, and answer the questions of its hooks',
    },
  ],
  streams: true,
  exit: { ok: 'you ended it', findings: 'there is no session, or no agent has a tap open' },
});
