/** `hookwright events`: lists all events, describes one, or prints a script or example input for it. */
import { agentEventNames, findEventByOtherName, hookEventNames } from '../../../events/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import type { RunCommand } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import { type EventPage, eventPageOf, type PageField } from '../../event-pages/event-page.ts';
import { hookKindFor } from '../../hook-kinds.ts';
import { headingLines } from '../../rendering/help.ts';
import { type ItemColumn, itemTable, labelParagraph, paragraph } from '../../rendering/layout.ts';
import { styled, type Text } from '../../rendering/text.ts';
import { languageOf } from '../../scaffold/language-names.ts';
import { scriptFor } from '../../scaffold/new-script.ts';
import { UsageError } from '../../usage-error.ts';
import type { eventsSpec } from './spec.ts';

export const run: RunCommand<typeof eventsSpec> = async ({ event, script: language, stdin }, { width }) => {
  if (event === undefined) {
    if (language === undefined && !stdin) return overview(width);
    throw new UsageError(`--${stdin ? 'stdin' : 'script'} is about one event`, 'hookwright events lists them');
  }
  const eventName = expectEvent(findEventByOtherName(event) ?? event);
  if (language !== undefined && stdin)
    throw new UsageError('--script and --stdin cannot be combined', 'take one of them');
  if (language !== undefined) {
    const hook = { name: 'my-hook', eventName, kind: hookKindFor(eventName), starter: '', isFinished: true };
    const { text } = scriptFor(languageOf(language), hook);
    return only({ script: text }, text);
  }
  const page = eventPageOf(eventName);
  if (stdin) return only({ stdin: page.stdin }, JSON.stringify(page.stdin));
  return { data: page, text: () => pageText(page, width) };
};

const columns: readonly ItemColumn<EventPage>[] = [
  { title: 'event', cell: ({ name }) => styled('bold', name) },
  { title: 'fires', min: 30, cell: ({ when }) => when },
  { title: 'matcher', min: 7, cell: ({ matcher }) => matcher?.field ?? '' },
];

const overview = (width: number): CommandOutcome => {
  const pages = hookEventNames.map(eventPageOf);
  return {
    data: { events: pages },
    text: () => [
      ...itemTable(columns, pages, width),
      '',
      ...paragraph(`events of other agents, for hooks that they start: ${agentEventNames.join(', ')}`, width),
      '',
      'all about one of them: hookwright events <event>',
    ],
  };
};

const only = (data: unknown, text: string): CommandOutcome => ({ data, text: () => text.trimEnd().split('\n') });

const MOST_LABEL = 24;

const wordsOf = ({ type, words, example, isOptional }: PageField): string => {
  const more = example === undefined ? '' : `, e.g. ${JSON.stringify(example)}`;
  const sometimes = isOptional ? ' (optional)' : '';
  return `${type}${words === '' ? '' : `: ${words}`}${sometimes}${more}`;
};

const entry = (name: string, words: string, labelWidth: number, width: number): Text =>
  name.length + 2 > labelWidth
    ? [['  ', styled('cyan', name)], ...paragraph(words, width, labelWidth + 2)]
    : labelParagraph(name, words, { width, indent: 2, labelWidth });

const fieldLines = (fields: readonly PageField[], width: number): Text => {
  const longest = Math.max(...fields.map(({ name }) => name.length));
  const labelWidth = Math.min(MOST_LABEL, longest) + 2;
  return fields.flatMap((field) => entry(field.name, wordsOf(field), labelWidth, width));
};

const matcherText = ({ matcher }: EventPage): string => {
  if (matcher === undefined) return 'none: hooks of this event always run';
  const { field, words, values } = matcher;
  return `${field}, ${words}${values === undefined ? '' : `: ${values.join(', ')}`}`;
};

const pageText = (page: EventPage, width: number): Text => {
  const { name, when, alsoCalled, reads, answers, exitCodes } = page;
  const also = alsoCalled.length === 0 ? [] : paragraph(`elsewhere called ${alsoCalled.join(', ')}`, width, 2);
  return [
    [styled('bold', name), `: ${when}`],
    ...also,
    ...paragraph(`matcher: ${matcherText(page)}`, width, 2, 4),
    ...headingLines('What a hook reads, as JSON on stdin'),
    ...fieldLines(reads, width),
    ...headingLines('What it may answer, as JSON on stdout'),
    ...fieldLines(answers, width),
    ...headingLines('Exit codes'),
    ...exitCodes.flatMap(({ code, words }) => labelParagraph(code, words, { width, indent: 2, labelWidth: 7 })),
    ...headingLines('To write one'),
    ['  ', styled('cyan', `hookwright new my-hook --event ${name}`)],
    ...paragraph('a script, its test and the entry in the settings; --language chooses the language', width, 6),
    ['  ', styled('cyan', `hookwright events ${name} --script python`)],
    ...paragraph('only the script, to copy', width, 6),
    ['  ', styled('cyan', `hookwright events ${name} --stdin | ./my-hook`)],
    ...paragraph('try a script by hand; hookwright test runs its tests', width, 6),
  ];
};
