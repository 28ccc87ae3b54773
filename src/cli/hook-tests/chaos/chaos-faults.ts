/** A way to spoil the input of a hook, which is really run. */
export interface InputFault {
  readonly side: 'input';
  readonly id: string;
  readonly title: string;
  /** Makes the input bigger by so many characters. */
  readonly padding?: number;
  /** What arrives in place of the input. */
  readonly arrives?: string;
  /** What becomes of the pipe: the input is written, and then never ended, or it is written bit by bit. */
  readonly pipe?: 'held-open' | 'slow';
}

/** A program that takes the place of a hook, and fails in one way. */
export interface StandIn {
  readonly side: 'engine';
  readonly id: string;
  readonly title: string;
  /** What Node is to run; without it there is no program to start. */
  readonly script?: string;
  /** Where it is the timeout that has to come. */
  readonly timeoutMs?: number;
}

export type ChaosFault = InputFault | StandIn;

const TEN_MEGABYTES = 10_000_000;
/** More than the engine keeps of what a hook prints. */
const FLOOD = 2_000_000;

const print = (text: string): string => `process.stdout.write(${JSON.stringify(text)})`;

/** The order is that of the report. */
export const chaosFaults: readonly ChaosFault[] = [
  { side: 'input', id: 'input-never-ends', title: 'the input never ends', pipe: 'held-open' },
  { side: 'input', id: 'input-closed', title: 'there is no input', arrives: '' },
  {
    side: 'input',
    id: 'input-garbage',
    title: 'the input is not JSON',
    arrives: '}{ this is not JSON \u0000 "tool_name"\n',
  },
  { side: 'input', id: 'input-slow', title: 'the input comes in small pieces', pipe: 'slow' },
  { side: 'input', id: 'input-huge', title: 'the input has 10 MB', padding: TEN_MEGABYTES },
  { side: 'engine', id: 'prints-garbage', title: 'prints half an answer', script: print('{"decision": "de') },
  {
    side: 'engine',
    id: 'prints-two-documents',
    title: 'logs JSON, then denies',
    script: print('{"level": "info"}\n{"decision": "deny", "reason": "denied by a stand-in"}\n'),
  },
  { side: 'engine', id: 'exits-1', title: 'ends with 1', script: 'process.exit(1)' },
  { side: 'engine', id: 'exits-2', title: 'ends with 2', script: 'process.exit(2)' },
  { side: 'engine', id: 'exits-127', title: 'ends with 127', script: 'process.exit(127)' },
  { side: 'engine', id: 'killed', title: 'is killed', script: `process.kill(process.pid, 'SIGKILL')` },
  {
    side: 'engine',
    id: 'too-slow',
    title: 'answers past its timeout',
    script: `setInterval(() => process.stdout.write(' '), 20)`,
    timeoutMs: 500,
  },
  { side: 'engine', id: 'floods', title: 'floods', script: `process.stdout.write('x'.repeat(${FLOOD}))` },
  { side: 'engine', id: 'missing', title: 'is not there' },
];
