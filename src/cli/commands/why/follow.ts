import type { Socket } from 'node:net';
import { onAbort, suggestion } from '../../../kit/index.ts';
import { MessageBusType } from '../../../protocol/index.ts';
import { EntryFilter } from '../../../sessions/index.ts';
import { expectEvents } from '../../arguments/events.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { table } from '../../rendering/layout.ts';
import { Narrator, type TapLine, takeLines } from '../../rendering/message-lines.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { styled } from '../../rendering/text.ts';
import { chooseTap, connectTo, nameOf, openTaps } from '../../sources/choose-tap.ts';
import { UsageError } from '../../usage-error.ts';
import type { whyFollowSpec } from './spec.ts';

const listTaps = async (context: Context): Promise<CommandOutcome> => {
  const taps = await Promise.all(openTaps(context).map(async (tap) => ({ ...tap, name: await nameOf(tap) })));
  return {
    data: { taps },
    text: () =>
      taps.length === 0
        ? ['no agent has a tap open']
        : table(
            [{ title: 'pid' }, { title: 'name', min: 8 }, { title: 'socket', min: 20 }],
            taps.map(({ pid, name, path }) => [String(pid), name ?? '', path]),
            context.width,
          ),
  };
};

const types: readonly string[] = Object.values(MessageBusType);

const checkTypes = (names: readonly string[]): void => {
  const unknown = names.find((name) => !types.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `no message has the type ${JSON.stringify(unknown)}${suggestion(unknown, types)}`,
    `types: ${types.join(', ')}`,
  );
};

/** Follows one tap until it ends, and keeps count. */
class Watch {
  readonly #context: Context;
  readonly #filter: EntryFilter;
  readonly #types: readonly string[];
  readonly #narrator: Narrator;
  readonly problems: CliProblem[] = [];
  messages = 0;
  dropped = 0;

  constructor(context: Context, filter: EntryFilter, wanted: readonly string[], isFull: boolean) {
    this.#narrator = new Narrator(isFull);
    this.#context = context;
    this.#filter = filter;
    this.#types = wanted;
  }

  async follow(socket: Socket): Promise<void> {
    const { signal } = this.#context;
    const closed = takeLines(socket, (line) => this.#take(line));
    const stopListening = onAbort(signal, () => socket.destroy());
    if (signal.aborted) socket.destroy();
    await closed;
    stopListening();
  }

  #take(line: TapLine): void {
    if (line.kind === 'problem') this.problems.push({ severity: 'warning', message: line.message });
    if (line.kind === 'dropped') this.#reportDropped(line.count);
    if (line.kind !== 'entry' || !this.#filter.keeps(line.entry)) return;
    // Also what is not shown: a request says what its answer is about.
    const told = this.#narrator.line(line.entry);
    if (this.#types.length > 0 && !this.#types.includes(line.entry.message.type)) return;
    this.messages += 1;
    this.#context.item(line.entry, () => [told]);
  }

  #reportDropped(count: number): void {
    this.dropped += count;
    const text = `${counted(count, 'message')} were dropped because they came too fast`;
    this.#context.item({ dropped: count }, () => [[styled('yellow', text)]]);
  }
}

export const run: Run<typeof whyFollowSpec> = async (
  { pid, event: events, tool: tools, types: wanted, list, full },
  context,
) => {
  if (list) return listTaps(context);
  checkTypes(wanted);
  const filter = new EntryFilter({
    events: events.length === 0 ? undefined : expectEvents(events),
    tools: tools.length === 0 ? undefined : tools,
  });
  const tap = chooseTap(pid, context);
  const watch = new Watch(context, filter, wanted, full);
  const socket = await connectTo(tap);
  context.note([[styled('dim', `watching process ${tap.pid}; Ctrl-C ends it`)]]);
  await watch.follow(socket);
  const { messages, dropped, problems } = watch;
  return {
    data: { pid: tap.pid, messages, dropped },
    problems,
    text: () => [
      ...problemsText(problems, context),
      [styled('dim', `${counted(messages, 'message')} of process ${tap.pid}`)],
    ],
  };
};
