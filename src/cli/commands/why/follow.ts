/** `hookwright why --follow`: prints the hook traffic of a running agent. */
import { formatSuggestion } from '../../../kit/index.ts';
import { MessageBusType } from '../../../protocol/index.ts';
import { EntryFilter } from '../../../sessions/index.ts';
import { expectHookEvents } from '../../arguments/events.ts';
import { undefinedIfEmpty } from '../../arguments/flags.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { formatItemTable } from '../../rendering/layout.ts';
import { describeDroppedMessages, MessageRenderer, readTapEntries } from '../../rendering/message-lines.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan } from '../../rendering/text.ts';
import { chooseTap, connectToTap, findOpenTaps, readTapName } from '../../sources/choose-tap.ts';
import { UsageError } from '../../usage-error.ts';
import type { whyFollowSpec } from './spec.ts';

export const run: CommandMain<typeof whyFollowSpec> = async (
  { pid, event: events, tool: tools, types: wanted, list, full },
  context,
) => {
  if (list) return listTaps(context);
  checkTypes(wanted);
  const filter = new EntryFilter({
    events: undefinedIfEmpty(expectHookEvents(events)),
    tools: undefinedIfEmpty(tools),
  });
  const tap = chooseTap(pid, context);
  const renderer = new MessageRenderer(full);
  const problems: CliProblem[] = [];
  let messages = 0;
  let dropped = 0;
  const socket = await connectToTap(tap);
  context.note([[createSpan('dim', `watching process ${tap.pid}; Ctrl-C ends it`)]]);
  const onProblem = (message: string): unknown => problems.push({ severity: 'warning', message });
  const onDropped = (count: number): void => {
    dropped += count;
    context.item({ dropped: count }, () => [[createSpan('yellow', describeDroppedMessages(count))]]);
  };
  for await (const entry of readTapEntries(socket, onProblem, onDropped, context.signal)) {
    if (!filter.keeps(entry)) continue;
    const text = renderer.renderLine(entry);
    if (wanted.length > 0 && !wanted.includes(entry.message.type)) continue;
    messages += 1;
    context.item(entry, () => [text]);
  }
  return {
    data: { pid: tap.pid, messages, dropped },
    problems,
    text: () => [
      ...formatProblems(problems, context),
      [createSpan('dim', `${formatCount(messages, 'message')} of process ${tap.pid}`)],
    ],
  };
};

const listTaps = async (context: Context): Promise<CommandOutcome> => {
  const taps = await Promise.all(findOpenTaps(context).map(async (tap) => ({ ...tap, name: await readTapName(tap) })));
  return {
    data: { taps },
    text: () =>
      taps.length === 0
        ? ['no agent has a tap open']
        : formatItemTable(
            [
              { title: 'pid', cell: ({ pid }) => String(pid) },
              { title: 'name', min: 8, cell: ({ name = '' }) => name },
              { title: 'socket', min: 20, cell: ({ path }) => path },
            ],
            taps,
            context.width,
          ),
  };
};

const messageTypes: readonly string[] = Object.values(MessageBusType);

const checkTypes = (names: readonly string[]): void => {
  const unknown = names.find((name) => !messageTypes.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `no message has the type ${JSON.stringify(unknown)}${formatSuggestion(unknown, messageTypes)}`,
    `types: ${messageTypes.join(', ')}`,
  );
};
