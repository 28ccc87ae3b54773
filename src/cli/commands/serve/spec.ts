import { brokerFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const serveSpec = defineSpec({
  name: 'serve',
  summary: 'answer hook requests of other processes, over a NATS broker',
  description: [
    'A hook host: it runs the hooks of this directory for agents elsewhere. Any number of hosts may serve one group; one of them answers each request. Changed settings are read at once, and at SIGHUP. At Ctrl-C or SIGTERM it takes nothing more, answers what it took, and ends.',
    'Hooks run here: paths and environment are those of this machine, and what the agent says of itself is data. Hooks that need the files of an agent belong beside it. A broker on another machine needs TLS and credentials, from the URL, --creds, or NATS_USER and NATS_PASSWORD.',
  ],
  flags: {
    nats: { kind: 'text', value: 'url', summary: 'the broker, such as nats://127.0.0.1:4222; NATS_URL by default' },
    group: { kind: 'text', value: 'group', summary: 'which hosts it is one of; hosts by default' },
    ...brokerFlags,
    unobserved: { kind: 'switch', summary: 'send answers only, nothing for observers and recorders' },
    drain: { kind: 'number', value: 'seconds', summary: 'how long requests may take at the end; 10 by default' },
    health: {
      kind: 'number',
      value: 'seconds',
      summary: 'seconds between status lines; 60 by default, 0 for none',
    },
  },
  examples: [
    { command: 'hookwright serve --nats nats://127.0.0.1:4222', does: 'the hooks of this directory for whoever asks' },
    {
      command: 'hookwright serve --nats tls://broker.example --creds host.creds --json',
      does: 'as a service, with JSON lines',
    },
    { command: 'hookwright serve --group security --cwd /srv/guards', does: 'one of the hosts of a group' },
  ],
  exit: {
    ok: 'it was ended, and everything that it took was answered',
    findings: 'requests were left without an answer, or there are no hooks to serve',
  },
  streams: true,
});
