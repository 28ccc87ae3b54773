// What hooks do in a soak: for every lane a hook that behaves, and all the ways not to.
import { fileURLToPath } from 'node:url';

const fixture = (path) => fileURLToPath(new URL(`../../test/fixtures/${path}`, import.meta.url));
const hookFile = (name) => fixture(`hooks/${name}`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * `says` is the verdict when it gets to say it; a deed without one gives none, whatever happens, but by `onFault`. One with
 * `faults` never ends well, `counts` or not: what it said whole before that counts. A time that runs out is longer than
 * the grace period and what a busy machine adds, so that twice of it is noticed.
 */
const functions = {
  allow: { says: 'allow', run: () => ({ decision: 'allow' }) },
  deny: { says: 'deny', run: () => ({ decision: 'deny', reason: 'by function' }) },
  ask: { says: 'ask', run: async () => ({ decision: 'ask', reason: 'by function' }) },
  silent: { run: () => undefined },
  slow: { says: 'deny', run: () => sleep(20).then(() => ({ decision: 'deny' })) },
  changes: {
    run: (input) => {
      input.tool_input = {};
    },
  },
  throws: { faults: true, run: () => Promise.reject(new Error('thrown')) },
  'throws nothing': {
    faults: true,
    run: () => {
      throw undefined;
    },
  },
  text: { faults: true, run: () => 'a text' },
  hangs: { faults: true, timeout: 1_000, run: () => new Promise(() => undefined) },
  // On a loop that stood still for longer than both its time and its answer take, the answer counts.
  'comes late': {
    says: 'deny',
    faults: true,
    mayAnswer: true,
    timeout: 30,
    run: () => sleep(100).then(() => ({ decision: 'deny' })),
  },
};

const says = (value) => `cat >/dev/null; echo '${JSON.stringify(value)}'`;

const commands = {
  allow: { says: 'allow', command: says({ decision: 'allow' }) },
  deny: { says: 'deny', command: 'cat >/dev/null; echo no >&2; exit 2' },
  'denies in words': { says: 'deny', command: says({ decision: 'deny', reason: 'by command' }) },
  'denies, then fails': {
    says: 'deny',
    faults: true,
    counts: true,
    command: `${says({ decision: 'deny', reason: 'by command' })}; exit 1`,
  },
  ask: { says: 'ask', command: says({ decision: 'ask' }) },
  silent: { command: 'cat >/dev/null' },
  'holds a pipe': { says: 'deny', command: hookFile('holds-pipe.sh') },
  'leaves a child': { says: 'allow', command: `${says({ decision: 'allow' })}; sleep 30 >/dev/null 2>&1 &` },
  hangs: { faults: true, timeout: 1_000, command: 'sleep 30' },
  'stubborn family': { faults: true, timeout: 200, command: hookFile('stubborn-family.sh') },
  'ignores SIGTERM': { faults: true, timeout: 200, command: hookFile('ignores-term.sh') },
  family: { faults: true, timeout: 200, command: hookFile('family.sh') },
  escapes: { faults: true, timeout: 200, command: hookFile('escapes.sh') },
  floods: { faults: true, timeout: 4_000, command: 'yes' },
  'floods stderr': { faults: true, timeout: 4_000, command: 'yes >&2' },
  crashes: { faults: true, command: 'kill -9 $$' },
  fails: { faults: true, command: 'exit 7' },
  half: { faults: true, command: `printf '{"decision":"den'` },
  drips: { faults: true, timeout: 200, command: 'while :; do printf " "; sleep 0.05; done' },
  absent: { faults: true, command: './no-such-hook' },
};

const workers = {
  answers: { tool_input: { do: 'answer' } },
  deny: { says: 'deny', tool_input: { do: 'deny' } },
  ask: { says: 'ask', tool_input: { do: 'ask' } },
  'deny, then error': { says: 'deny', faults: true, counts: true, tool_input: { do: 'deny, then error' } },
  noise: { tool_input: { do: 'noise' } },
  twice: { tool_input: { do: 'twice' } },
  late: { faults: true, mayAnswer: true, timeout: 150, tool_input: { do: 'late', ms: 400 } },
  hangs: { faults: true, timeout: 1_000, tool_input: { do: 'hang' } },
  crashes: { faults: true, tool_input: { do: 'crash' } },
  'is killed': { faults: true, tool_input: { do: 'crash on itself' } },
  floods: { faults: true, tool_input: { do: 'flood' } },
  errors: { faults: true, tool_input: { do: 'error' } },
};

const endpoints = {
  allow: { says: 'allow' },
  deny: { says: 'deny' },
  ask: { says: 'ask' },
  silent: {},
  'deny with status 403': { says: 'deny', faults: true, counts: true },
  broken: { faults: true },
  redirect: { faults: true },
  reset: { faults: true },
  half: { faults: true },
  bomb: { faults: true },
  hang: { faults: true, timeout: 1_000 },
  drip: { faults: true, timeout: 150 },
};

const odd = fixture('workers/odd.mjs');

/** How a deed of each lane becomes a hook. */
const makers = {
  functions: ({ run }) => ({ type: 'runtime', action: run }),
  // Also such that act before they read, and such whose spares somebody kills.
  commands: ({ command }, { marker, random }) => ({
    type: 'command',
    command,
    warm: random.chance(0.4),
    env: { HOOKWRIGHT_SOAK: marker },
  }),
  // A few processes for all of them, so that what one does to its worker others feel.
  workers: (_deed, { marker, random }) => ({
    type: 'worker',
    command: 'node',
    args: [odd, String(random.below(4))],
    env: { HOOKWRIGHT_SOAK: marker },
  }),
  http: (_deed, { url }, name) => ({ type: 'http', url: `${url}/${encodeURIComponent(name)}` }),
};

export const lanes = { functions, commands, workers, http: endpoints };

/** A hook that does a deed of one of these lanes, and what is known of it. */
export const hookOf = (lane, context) => {
  const { random } = context;
  const name = random.pick(Object.keys(lanes[lane]));
  const deed = lanes[lane][name];
  const onFault = random.pick(['allow', 'allow', 'deny', 'ask']);
  // A machine that is busy takes its time to start a process: that is no broken promise.
  const timeout = deed.timeout ?? 15_000;
  return { deed, lane, hook: { ...makers[lane](deed, context, name), name: `${lane}: ${name}`, timeout, onFault } };
};
