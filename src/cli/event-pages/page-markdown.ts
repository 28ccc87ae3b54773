/** Generates the Markdown pages about events and commands, for scripts/. */
import { hookEventNames } from '../../events/index.ts';
import { type CommandSpec, globalFlags } from '../arguments/spec.ts';
import type { Command } from '../command.ts';
import { selectHookKind } from '../hook-kinds.ts';
import { formatUsage, groupCommands, type HelpEntry, listFlagEntries } from '../rendering/help.ts';
import { languages } from '../scaffold/language-names.ts';
import { createScript } from '../scaffold/new-script.ts';
import { createEventPage, type EventPage, type PageField } from './event-page.ts';

const toInlineCode = (value: unknown): string => (value === undefined ? '' : `\`${toCell(JSON.stringify(value))}\``);

const toFieldRows = (fields: readonly PageField[]): string[] => [
  '| Field | Type | | Example |',
  '| --- | --- | --- | --- |',
  ...fields.map(({ name, type, words, example, isOptional }) => {
    const what = isOptional ? `${words} (optional)` : words;
    return `| \`${name}\` | ${toCell(type)} | ${toCell(what)} | ${toInlineCode(example)} |`;
  }),
];

const fenceByLanguage = { sh: 'sh', python: 'python', node: 'js', typescript: 'ts' } as const;
const titleByLanguage = { sh: 'sh', python: 'Python', node: 'Node', typescript: 'TypeScript' } as const;

const formatScriptSection = ({ name: eventName }: EventPage): string[] =>
  languages.flatMap((language) => {
    const kind = selectHookKind(eventName);
    const { text } = createScript(language, { name: 'my-hook', eventName, kind, starter: '', isFinished: true });
    return [
      `<details><summary>${titleByLanguage[language]}</summary>`,
      '',
      `\`\`\`${fenceByLanguage[language]}`,
      text.trimEnd(),
      '```',
      '',
      '</details>',
      '',
    ];
  });

const formatMatcher = ({ matcher, name }: EventPage): string => {
  if (matcher === undefined) return `${name} takes no matcher: its hooks always run.`;
  const { field, words, values } = matcher;
  const known = values === undefined ? '' : ` (${values.map((value) => `\`${value}\``).join(', ')})`;
  return `A matcher is compared with \`${field}\`${known}: ${words}.`;
};

const formatPageMarkdown = (page: EventPage): string => {
  const { name, when, alsoCalled, reads, stdin, answers, exitCodes } = page;
  const also = alsoCalled.length === 0 ? '' : ` Elsewhere it is called ${alsoCalled.join(', ')}.`;
  const lines = [
    `# ${name}`,
    '',
    `It fires ${when}.${also} ${formatMatcher(page)}`,
    '',
    '## What a hook reads',
    '',
    'JSON on stdin:',
    '',
    '```json',
    JSON.stringify(stdin, null, 2),
    '```',
    '',
    ...toFieldRows(reads),
    '',
    '## What it may answer',
    '',
    'JSON on stdout; every field is optional. Other fields are shown as `unsupported` and do nothing.',
    '',
    ...toFieldRows(answers),
    '',
    '| Exit code | |',
    '| --- | --- |',
    ...exitCodes.map(({ code: number, words }) => `| ${number} | ${words} |`),
    '',
    '## A script to start from',
    '',
    `\`npx hookwright new my-hook --event ${name}\` writes the beginning of one, with its test and the entry in the settings.`,
    '',
    ...formatScriptSection(page),
    '## Try it',
    '',
    '```sh',
    `npx hookwright events ${name} --stdin | ./my-hook    # by hand: its input, and its answer`,
    'npx hookwright test --hook my-hook                   # its tests',
    `npx hookwright run ${name}                           # all hooks of the event, for real`,
    '```',
    '',
    'How to write and test hooks in general: [Writing a hook](../hooks.md).',
  ];
  return `${lines.join('\n')}\n`;
};

export const formatEventsTable = (): string =>
  [
    '| Event | When | Matchers compare with |',
    '| --- | --- | --- |',
    ...hookEventNames.map((name) => {
      const { when, matcher } = createEventPage(name);
      return `| [\`${name}\`](events/${name}.md) | ${when} | ${matcher === undefined ? '' : `\`${matcher.field}\``} |`;
    }),
  ].join('\n');

export const createAllPages = (): Readonly<Record<string, string>> =>
  Object.fromEntries(hookEventNames.map((name) => [`${name}.md`, formatPageMarkdown(createEventPage(name))]));

/** Escapes `<` outside of code, because Markdown would read it as a tag. */
const escapeTags = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('');

const toCell = (text: string): string => escapeTags(text).replaceAll('|', '\\|');

const renderTable = (head: string, rows: readonly (readonly [string, string])[]): string[] =>
  rows.length === 0
    ? []
    : ['', `| ${head} | |`, '| --- | --- |', ...rows.map(([name, text]) => `| ${toCell(name)} | ${toCell(text)} |`)];

const toRows = (entries: readonly HelpEntry[]): (readonly [string, string])[] =>
  entries.map(({ name, summary }) => [`\`${name}\``, summary]);

const toSentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
};

const toSlug = (spec: CommandSpec): string => spec.name.replace(/ (?:--)?/g, '-');

/** A project that depends on the package starts the program with npx. */
const withNpx = (command: string): string => command.replace('hookwright', 'npx hookwright');

const renderCommandPage = (spec: CommandSpec): string[] => [
  `# hookwright ${spec.name}`,
  '',
  escapeTags(toSentence(spec.summary)),
  ...(spec.description ?? []).flatMap((text) => ['', escapeTags(text.replaceAll('`hookwright ', '`npx hookwright '))]),
  '',
  '```text',
  formatUsage(spec),
  '```',
  ...renderTable('Argument', toRows(spec.arguments ?? [])),
  ...renderTable('Flag', toRows(listFlagEntries(spec.flags ?? {}))),
  '',
  ...spec.examples.map(({ command, does }) => `- \`${withNpx(command)}\`: ${escapeTags(does)}`),
  '',
  escapeTags(
    `Ends with 0: ${spec.exit.ok}.${spec.exit.findings === undefined ? '' : ` With 1: ${spec.exit.findings}.`}`,
  ),
  '',
  'The flags that every command takes, exit codes and `--json`: [the command line](../cli.md).',
  '',
];

export const formatCommandPages = (commands: readonly Command[]): Record<string, string> =>
  Object.fromEntries(
    commands
      .filter(({ spec }) => spec.hidden !== true)
      .map(({ spec }) => [`${toSlug(spec)}.md`, `${renderCommandPage(spec).join('\n').trim()}\n`]),
  );

export const formatCommandsMarkdown = (commands: readonly Command[]): string => {
  const groups = groupCommands(commands.map(({ spec }) => spec).filter(({ hidden }) => !hidden));
  const lines = [
    ...groups.flatMap(({ title, specs }) =>
      renderTable(
        title,
        specs.map((spec) => [`[\`${spec.name}\`](cli/${toSlug(spec)}.md)`, spec.summary]),
      ),
    ),
    '',
    'Every command takes:',
    ...renderTable('Flag', toRows(listFlagEntries(globalFlags))),
    '',
  ];
  return lines.join('\n').trim();
};
