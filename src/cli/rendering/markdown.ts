import { type CommandSpec, type FlagSpec, globalFlags } from '../arguments/spec.ts';
import type { Command } from '../command.ts';
import { flagLabel, flagSummary, grouped, usageOf } from './help.ts';

/** Markdown outside of code: a `<` begins no tag. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '\\<')))
    .join('');

export const cell = (text: string): string => prose(text).replaceAll('|', '\\|');

const table = (head: string, rows: readonly (readonly [string, string])[]): string[] =>
  rows.length === 0
    ? []
    : ['', `| ${head} | |`, '| --- | --- |', ...rows.map(([name, text]) => `| ${cell(name)} | ${cell(text)} |`)];

const flagRows = (flags: Readonly<Record<string, FlagSpec>>): (readonly [string, string])[] =>
  Object.entries(flags).map(([name, flag]) => [`\`${flagLabel(name, flag)}\``, flagSummary(flag)]);

const sentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(begun) ? begun : `${begun}.`;
};

/** `ability list` has the page `ability-list.md`, `test --races` the page `test-races.md`. */
const slug = (spec: CommandSpec): string => spec.name.replace(/ (?:--)?/g, '-');

const page = (spec: CommandSpec): string[] => [
  `# hookwright ${spec.name}`,
  '',
  prose(sentence(spec.summary)),
  ...(spec.description ?? []).flatMap((text) => ['', prose(text)]),
  '',
  '```text',
  usageOf(spec),
  '```',
  ...table(
    'Argument',
    (spec.arguments ?? []).map(({ name, summary }) => [`\`${name}\``, summary]),
  ),
  ...table('Flag', flagRows(spec.flags ?? {})),
  '',
  ...spec.examples.map(({ command, does }) => `- \`${command}\`: ${prose(does)}`),
  '',
  prose(`Ends with 0: ${spec.exit.ok}.${spec.exit.findings === undefined ? '' : ` With 1: ${spec.exit.findings}.`}`),
  '',
  'The flags that every command takes, exit codes and `--json`: [the command line](../cli.md).',
  '',
];

const link = (spec: CommandSpec): readonly [string, string] => [
  `[\`${spec.name}\`](cli/${slug(spec)}.md)`,
  spec.summary,
];

/** The pages of docs/cli, one per command: file name → Markdown. */
export const commandPages = (commands: readonly Command[]): Record<string, string> =>
  Object.fromEntries(
    commands
      .filter(({ spec }) => spec.hidden !== true)
      .map(({ spec }) => [`${slug(spec)}.md`, `${page(spec).join('\n').trim()}\n`]),
  );

/** The table of commands in docs/cli.md, grouped as the help groups them. */
export const commandsMarkdown = (commands: readonly Command[]): string => {
  const groups = grouped(commands.map(({ spec }) => spec).filter(({ hidden }) => !hidden));
  const lines = [
    ...groups.flatMap(({ title, specs }) => table(title, specs.map(link))),
    '',
    'Every command takes:',
    ...table('Flag', flagRows(globalFlags)),
    '',
  ];
  return lines.join('\n').trim();
};
