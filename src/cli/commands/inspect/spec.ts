/** The command line of `inspect`: arguments, flags, examples and exit codes. */
import { brokerFlags, sessionArgument, sinceFlag } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const inspectSpec = defineSpec({
  name: 'inspect',
  summary: 'show hooks in the browser: their results, order and duration',
  description: [
    'Serves a page on this machine and prints its address. The page shows a recorded session or the journal; with --live, a running agent that was started with HOOKWRIGHT_TAP=1; with --nats, all agents and hosts of a group on a broker. Nothing is loaded from the network. The page is read-only, unless --answer lets you answer the questions of hooks. Ctrl-C ends it.',
  ],
  arguments: [sessionArgument],
  flags: {
    ...sinceFlag,
    live: { kind: 'switch', summary: 'show a running agent instead of a session' },
    pid: { kind: 'number', value: 'pid', summary: 'with --live: which agent, if several are running' },
    nats: { kind: 'text', value: 'url', summary: 'the traffic of a broker, such as nats://127.0.0.1:4222' },
    group: { kind: 'text', value: 'group', summary: 'with --nats: the group of hosts; default: hosts' },
    stream: { kind: 'text', value: 'session', summary: 'with --nats: a session that was recorded into a stream' },
    answer: { kind: 'switch', summary: 'with --nats: allow the page to answer questions of hooks' },
    ...brokerFlags,
    backtest: {
      kind: 'switch',
      summary: 'with a session: also show decisions that differ with the current settings; runs nothing',
    },
    port: { kind: 'number', value: 'port', summary: 'the port to listen on; default: a free one' },
  },
  examples: {
    'hookwright inspect': 'the newest session',
    'hookwright inspect --live': 'the agent that is running',
    'hookwright inspect week.jsonl --backtest': 'a session, and the decisions that would differ now',
    'hookwright inspect --nats nats://127.0.0.1:4222 --answer': 'watch a broker, and answer the questions of hooks',
  },
  exit: { ok: 'you ended it', findings: 'there is no session, or no agent has a tap open' },
});
