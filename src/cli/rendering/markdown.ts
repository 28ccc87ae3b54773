import { type CommandSpec, type FlagSpec, globalFlags } from '../arguments/spec.ts';
import type { Command } from '../command.ts';
import { flagLabel, flagSummary, grouped, usageOf } from './help.ts';

export const cell = (text: string): string => text.replaceAll('|', '\\|');

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

const section = (spec: CommandSpec): string[] => [
  `### ${spec.name}`,
  '',
  sentence(spec.summary),
  ...(spec.description ?? []).flatMap((text) => ['', text]),
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
  ...spec.examples.map(({ command, does }) => `- \`${command}\`: ${does}`),
  '',
  `Ends with 0: ${spec.exit.ok}.${spec.exit.findings === undefined ? '' : ` With 1: ${spec.exit.findings}.`}`,
  '',
];

const link = ({ name, summary }: CommandSpec): readonly [string, string] => [
  `[\`${name}\`](#${name.replaceAll(' ', '-')})`,
  summary,
];

/** What docs/cli.md says about the commands. */
export const commandsMarkdown = (commands: readonly Command[]): string => {
  const groups = grouped(commands.map(({ spec }) => spec).filter(({ hidden }) => !hidden));
  const lines = [
    ...groups.flatMap(({ title, specs }) => table(title, specs.map(link))),
    '',
    'Every command takes:',
    ...table('Flag', flagRows(globalFlags)),
    '',
  ];
  return [...lines, ...groups.flatMap(({ specs }) => specs.flatMap(section))].join('\n').trim();
};
