/** Flags and arguments that several commands share. */
import { type ArgumentSpec, defineFlags } from './spec.ts';

export const undefinedIfEmpty = <Value>(values: readonly Value[]): readonly Value[] | undefined =>
  values.length === 0 ? undefined : values;

export const eventArgument = {
  name: 'event',
  summary: 'the event, such as BeforeTool',
  required: true,
  complete: 'events',
} as const satisfies ArgumentSpec;

export const hooksArgument = {
  name: 'hooks',
  summary: 'only these, by name or id',
  rest: true,
  complete: 'hooks',
} as const satisfies ArgumentSpec;

export const hookArgument = {
  name: 'hook',
  summary: 'its name (or its command, if it has no name) or its id',
  required: true,
  complete: 'hooks',
} as const satisfies ArgumentSpec;

export const filesArgument = {
  name: 'files',
  summary: 'files',
  rest: true,
  complete: 'files',
} as const satisfies ArgumentSpec;

export const sessionArgument = {
  name: 'session',
  summary:
    'a recorded session: a file, last for the newest in .hookwright/sessions, or journal; default: the newer of these two',
  complete: 'sessions',
} as const satisfies ArgumentSpec;

export const payloadFlags = defineFlags({
  tool: {
    kind: 'text',
    value: 'name',
    summary: 'the tool (tool_name in the payload)',
    complete: 'tools',
  },
  input: {
    kind: 'text',
    value: 'json',
    summary: 'the payload of the event under its wire names, as JSON; @file reads a file, - reads stdin',
  },
});

export const filterFlags = defineFlags({
  event: { kind: 'list', formerly: 'events', value: 'name', summary: 'only these events', complete: 'events' },
  tool: { kind: 'list', formerly: 'tools', value: 'name', summary: 'only calls of these tools', complete: 'tools' },
});

export const sinceFlag = defineFlags({
  since: { kind: 'text', value: 'time', summary: 'the decisions of the journal since then, such as 12h or 7d ago' },
});

export const inputSessionFlag = defineFlags({
  session: {
    kind: 'text',
    value: 'file',
    summary: 'the recording to take inputs from; default: the newest',
    complete: 'sessions',
  },
});

export const hookFilterFlag = defineFlags({
  hook: {
    kind: 'list',
    formerly: 'hooks',
    value: 'name',
    summary: 'only requests that ran hooks of these names',
    complete: 'hooks',
  },
});

export const brokerFlags = defineFlags({
  prefix: { kind: 'text', value: 'prefix', summary: 'the prefix of every subject; default: hookwright' },
  creds: { kind: 'text', value: 'file', summary: 'a credentials file of the broker', complete: 'files' },
  ca: {
    kind: 'text',
    value: 'file',
    summary: 'the CA certificate of the broker',
    complete: 'files',
  },
  insecure: { kind: 'switch', summary: 'connect to another machine without TLS or credentials' },
});

export const streamFlags = defineFlags({
  stream: { kind: 'text', value: 'session', summary: 'a session that was recorded into a stream of a NATS broker' },
  nats: { kind: 'text', value: 'url', summary: 'with --stream: the broker; default: NATS_URL' },
  ...brokerFlags,
});
