/** `hookwright events`: lists all events, describes one, or prints a script or example input for it. */
import { agentEventNames, findEventByOtherName, hookEventNames } from '../../../events/index.ts';
import { expectHookEvent } from '../../arguments/events.ts';
import type { CommandMain } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import { createEventPage, type EventPage, type PageField } from '../../event-pages/event-page.ts';
import { selectHookKind } from '../../hook-kinds.ts';
import { formatHeadingLines } from '../../rendering/help.ts';
import { formatItemTable, formatLabelParagraph, formatParagraph, type ItemColumn } from '../../rendering/layout.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { selectLanguage } from '../../scaffold/language-names.ts';
import { createScript } from '../../scaffold/new-script.ts';
import { UsageError } from '../../usage-error.ts';
import type { eventsSpec } from './spec.ts';

export const run: CommandMain<typeof eventsSpec> = async ({ event, script: language, stdin }, { width }) => {
  if (event === undefined) {
    if (language === undefined && !stdin) return createOverview(width);
    throw new UsageError(`--${stdin ? 'stdin' : 'script'} is about one event`, 'hookwright events lists them');
  }
  const eventName = expectHookEvent(findEventByOtherName(event) ?? event);
  if (language !== undefined && stdin)
    throw new UsageError('--script and --stdin cannot be combined', 'take one of them');
  if (language !== undefined) {
    const hook = { name: 'my-hook', eventName, kind: selectHookKind(eventName), starter: '', isFinished: true };
    const { text } = createScript(selectLanguage(language), hook);
    return createPlainOutcome({ script: text }, text);
  }
  const page = createEventPage(eventName);
  if (stdin) return createPlainOutcome({ stdin: page.stdin }, JSON.stringify(page.stdin));
  return { data: page, text: () => formatPage(page, width) };
};

const columns: readonly ItemColumn<EventPage>[] = [
  { title: 'event', cell: ({ name }) => createSpan('bold', name) },
  { title: 'fires', min: 30, cell: ({ when }) => when },
  { title: 'matcher', min: 7, cell: ({ matcher }) => matcher?.field ?? '' },
];

const createOverview = (width: number): CommandOutcome => {
  const pages = hookEventNames.map(createEventPage);
  return {
    data: { events: pages },
    text: () => [
      ...formatItemTable(columns, pages, width),
      '',
      ...formatParagraph(`events of other agents, for hooks that they start: ${agentEventNames.join(', ')}`, width),
      '',
      'all about one of them: hookwright events <event>',
    ],
  };
};

const createPlainOutcome = (data: unknown, text: string): CommandOutcome => ({
  data,
  text: () => text.trimEnd().split('\n'),
});

const MAX_LABEL_WIDTH = 24;

const formatFieldWords = ({ type, words, example, isOptional }: PageField): string => {
  const more = example === undefined ? '' : `, e.g. ${JSON.stringify(example)}`;
  const sometimes = isOptional ? ' (optional)' : '';
  return `${type}${words === '' ? '' : `: ${words}`}${sometimes}${more}`;
};

const formatEntry = (name: string, words: string, labelWidth: number, width: number): Text =>
  name.length + 2 > labelWidth
    ? [['  ', createSpan('cyan', name)], ...formatParagraph(words, width, labelWidth + 2)]
    : formatLabelParagraph(name, words, { width, indent: 2, labelWidth });

const formatFieldLines = (fields: readonly PageField[], width: number): Text => {
  const longest = Math.max(...fields.map(({ name }) => name.length));
  const labelWidth = Math.min(MAX_LABEL_WIDTH, longest) + 2;
  return fields.flatMap((field) => formatEntry(field.name, formatFieldWords(field), labelWidth, width));
};

const formatMatcher = ({ matcher }: EventPage): string => {
  if (matcher === undefined) return 'none: hooks of this event always run';
  const { field, words, values } = matcher;
  return `${field}, ${words}${values === undefined ? '' : `: ${values.join(', ')}`}`;
};

const formatPage = (page: EventPage, width: number): Text => {
  const { name, when, alsoCalled, reads, answers, exitCodes } = page;
  const also = alsoCalled.length === 0 ? [] : formatParagraph(`elsewhere called ${alsoCalled.join(', ')}`, width, 2);
  return [
    [createSpan('bold', name), `: ${when}`],
    ...also,
    ...formatParagraph(`matcher: ${formatMatcher(page)}`, width, 2, 4),
    ...formatHeadingLines('What a hook reads, as JSON on stdin'),
    ...formatFieldLines(reads, width),
    ...formatHeadingLines('What it may answer, as JSON on stdout'),
    ...formatFieldLines(answers, width),
    ...formatHeadingLines('Exit codes'),
    ...exitCodes.flatMap(({ code, words }) => formatLabelParagraph(code, words, { width, indent: 2, labelWidth: 7 })),
    ...formatHeadingLines('To write one'),
    ['  ', createSpan('cyan', `hookwright new my-hook --event ${name}`)],
    ...formatParagraph('a script, its test and the entry in the settings; --language chooses the language', width, 6),
    ['  ', createSpan('cyan', `hookwright events ${name} --script python`)],
    ...formatParagraph('only the script, to copy', width, 6),
    ['  ', createSpan('cyan', `hookwright events ${name} --stdin | ./my-hook`)],
    ...formatParagraph('try a script by hand; hookwright test runs its tests', width, 6),
  ];
};
