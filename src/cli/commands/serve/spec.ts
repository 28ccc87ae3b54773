/** The command line of `serve`: arguments, flags, examples and exit codes. */
import { brokerFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const serveSpec = defineSpec({
  name: 'serve',
  summary: 'answer hook requests of other processes, over a NATS broker',
  description: [
    'This is a hook host: it runs the hooks of this directory for agents elsewhere. Any number of hosts may serve one group; one of them answers each request. Changed settings are read at once, and on SIGHUP. On Ctrl-C or SIGTERM it accepts no more requests, answers the open ones, and ends; a second signal ends it at once.',
    'Hooks run on this machine, with its paths and environment. Hooks that need the files of an agent belong on the agent’s machine. A broker on another machine needs TLS and credentials, from the URL, --creds, or NATS_USER and NATS_PASSWORD.',
  ],
  flags: {
    nats: { kind: 'text', value: 'url', summary: 'the broker, such as nats://127.0.0.1:4222; NATS_URL by default' },
    group: { kind: 'text', value: 'group', summary: 'the group of hosts it joins; default: hosts' },
    ...brokerFlags,
    unobserved: { kind: 'switch', summary: 'send only answers, nothing for observers and recorders' },
    drain: {
      kind: 'number',
      value: 'seconds',
      summary: 'how long to wait for open requests at the end; default: until the deadline of each',
    },
    health: {
      kind: 'number',
      value: 'seconds',
      summary: 'seconds between status lines; default: 60, 0 for none',
    },
  },
  examples: {
    'hookwright serve --nats nats://127.0.0.1:4222': 'serve the hooks of this directory',
    'hookwright serve --nats tls://broker.example --creds host.creds --json': 'as a service, with JSON lines',
    'hookwright serve --group security --cwd /srv/guards': 'one of the hosts of a group',
  },
  exit: {
    ok: 'it was ended, and every accepted request was answered',
    findings: 'requests were left unanswered, or there are no hooks to serve',
  },
});
