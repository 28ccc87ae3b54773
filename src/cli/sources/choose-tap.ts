/** Finds the tap of a running agent (a socket that shows its messages), and connects to it. */
import { connect, type Socket } from 'node:net';
import { describeThrown } from '../../kit/index.ts';
import { type FoundTap, findTaps, getTapDirectory } from '../../sessions/tap.ts';
import type { Context } from '../context.ts';
import { TapLineReader } from '../rendering/message-lines.ts';
import { NotFoundError, UsageError } from '../usage-error.ts';

const TAP_HINT = 'start the agent with HOOKWRIGHT_TAP=1 in its environment, or have it call openTap(bus)';

export const findOpenTaps = ({ env }: Context): FoundTap[] => findTaps(getTapDirectory(env));

export const chooseTap = (pid: number | undefined, context: Context): FoundTap => {
  const taps = findOpenTaps(context);
  const wanted = pid === undefined ? taps : taps.filter((tap) => tap.pid === pid);
  const [first, second] = wanted;
  if (first === undefined) {
    throw new NotFoundError(
      pid === undefined ? 'no agent has a tap open' : `no agent with the process id ${pid} has a tap open`,
      TAP_HINT,
    );
  }
  if (second !== undefined && pid === undefined) {
    const pids = [...new Set(taps.map((tap) => tap.pid))].join(', ');
    throw new UsageError(`several agents have a tap open: ${pids}`, 'choose one with --pid');
  }
  return first;
};

const TAP_NAME_TIMEOUT_MS = 300;

export const readTapName = (tap: FoundTap): Promise<string | undefined> =>
  new Promise((resolve) => {
    const lines = new TapLineReader();
    const socket = connect(tap.path);
    const finish = (name: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(name);
    };
    const timer = setTimeout(() => finish(undefined), TAP_NAME_TIMEOUT_MS);
    socket.on('error', () => finish(undefined));
    socket.on('data', (piece) => {
      const [first] = Buffer.isBuffer(piece) ? lines.push(piece) : [];
      if (first !== undefined) finish(first.kind === 'header' ? first.name : undefined);
    });
  });

export const connectToTap = (tap: FoundTap): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(tap.path);
    socket.once('error', (error) =>
      reject(new NotFoundError(`the tap of process ${tap.pid} cannot be reached: ${describeThrown(error)}`, TAP_HINT)),
    );
    socket.once('connect', () => resolve(socket));
  });
