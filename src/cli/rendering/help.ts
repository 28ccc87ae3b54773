/** Renders the help: of one command, of a group of commands such as `ability`, and the overviews. */
import { type ArgumentSpec, type CommandSpec, type Example, type FlagSpec, globalFlags } from '../arguments/spec.ts';
import { formatParagraph, formatParagraphAfter } from './layout.ts';
import { createSpan, type Text } from './text.ts';

const HELP_INDENT = 2;
const MAX_NAME_WIDTH = 28;

export type HelpEntry = Pick<ArgumentSpec, 'name' | 'summary'>;

const formatEntryLines = (list: readonly HelpEntry[], width: number): Text => {
  const nameWidth = Math.min(MAX_NAME_WIDTH, Math.max(...list.map(({ name }) => name.length))) + 2;
  return list.flatMap(({ name, summary }): Text => {
    const at = HELP_INDENT + nameWidth;
    const lead = [' '.repeat(HELP_INDENT), createSpan('cyan', name)];
    if (name.length + 2 > nameWidth) return [lead, ...formatParagraph(summary, width, at)];
    return formatParagraphAfter([...lead, ' '.repeat(nameWidth - name.length)], summary, width, at);
  });
};

export const formatHeadingLines = (title: string): Text => ['', [createSpan('bold', title)]];

const formatSectionLines = (title: string, list: readonly HelpEntry[], width: number): Text =>
  list.length === 0 ? [] : [...formatHeadingLines(title), ...formatEntryLines(list, width)];

const formatFlagName = (name: string, { kind, short, value = 'value' }: FlagSpec): string => {
  const long = kind === 'switch' ? `--${name}` : `--${name} <${value}>`;
  return short === undefined ? long : `-${short}, ${long}`;
};

const formatFlagSummary = ({ summary, choices, kind }: FlagSpec): string => {
  const details = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(kind === 'list' ? ['may be repeated'] : []),
  ];
  return details.length === 0 ? summary : `${summary} (${details.join('; ')})`;
};

export const listFlagEntries = (flags: Readonly<Record<string, FlagSpec>>): HelpEntry[] =>
  Object.entries(flags).map(([name, flag]) => ({
    name: formatFlagName(name, flag),
    summary: formatFlagSummary(flag),
  }));

export const formatUsage = (spec: CommandSpec): string => {
  const named = (spec.arguments ?? []).map(({ name, required, rest }) => {
    const word = rest ? `${name}…` : name;
    return required ? `<${word}>` : `[${word}]`;
  });
  return ['hookwright', spec.name, ...named, '[flags]'].join(' ');
};

export const formatCommandHelp = (spec: CommandSpec, forms: readonly CommandSpec[], width: number): Text => [
  ...formatParagraph(`hookwright ${spec.name}: ${spec.summary}`, width, 0, 2, 'bold'),
  ...(spec.description ?? []).flatMap((text) => ['', ...formatParagraph(text, width)]),
  ...formatHeadingLines('Usage'),
  `  ${formatUsage(spec)}`,
  ...formatHeadingLines('Examples'),
  ...formatExampleLines(spec.examples, width),
  ...formatSectionLines('Arguments', spec.arguments ?? [], width),
  ...formatSectionLines('Flags', listFlagEntries(spec.flags ?? {}), width),
  ...formatSectionLines('Other forms, each with its own --help', forms, width),
  ...formatSectionLines('With every command', listFlagEntries(globalFlags), width),
  ...formatSectionLines(
    'Exit codes',
    [
      { name: '0', summary: spec.exit.ok },
      ...(spec.exit.findings === undefined ? [] : [{ name: '1', summary: spec.exit.findings }]),
      { name: '64', summary: 'the command line is invalid' },
      { name: '70', summary: 'hookwright itself failed' },
    ],
    width,
  ),
];

const firstExamples: readonly Example[] = [
  { command: 'hookwright init', does: 'a first hook that works, with its test' },
  { command: 'hookwright explain BeforeTool --tool Bash', does: 'a hook does not fire: why?' },
  { command: 'hookwright why', does: 'it fired: what happened to its answer?' },
];

const commandGroups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Begin', names: ['init', 'new', 'events', 'events --schema', 'import'] },
  { title: 'Find out', names: ['list', 'explain', 'run', 'why', 'why --follow'] },
  { title: 'Check', names: ['validate', 'doctor', 'test', 'test --races', 'bench', 'bench --warm'] },
  { title: 'Approve and change', names: ['trust', 'enable', 'enable --all', 'disable', 'disable --all', 'undo'] },
  { title: 'Record and compare', names: ['record', 'replay', 'backtest'] },
  { title: 'Other agents and processes', names: ['install', 'uninstall', 'mcp-proxy', 'serve', 'inspect'] },
  {
    title: 'Abilities of a repository',
    names: ['ability list', 'ability run', 'ability hooks', 'task create', 'task run', 'task list'],
  },
  { title: 'For shells', names: ['completion'] },
];

export const groupCommands = (specs: readonly CommandSpec[]) => {
  const placed = commandGroups.map(({ title, names }) => ({
    title,
    specs: names.flatMap((name) => specs.find((spec) => spec.name === name) ?? []),
  }));
  const others = specs.filter(({ name }) => commandGroups.every(({ names }) => !names.includes(name)));
  return [...placed, { title: 'More', specs: others }].filter((group) => group.specs.length > 0);
};

export const formatFamilyHelp = (specs: readonly CommandSpec[], width: number): Text => [
  ...formatSectionLines('Commands', specs, width).slice(1),
  '',
  `hookwright ${specs[0]?.name} --help shows one of them, with examples`,
];

export const formatExampleLines = (list: readonly Example[], width: number): Text =>
  list.flatMap(({ command, does }) => [
    ['  ', createSpan('dim', '$ '), createSpan('cyan', command)],
    ...formatParagraph(does, width, 6),
  ]);

const summaryByFamily: Readonly<Record<string, string>> = {
  ability: 'abilities of a repository: list them, run one, or list their hooks',
  task: 'tasks for abilities: create, run or list them',
};

const toHelpEntry = (specs: readonly CommandSpec[], spec: CommandSpec): HelpEntry => {
  const [family = ''] = spec.name.split(' ');
  const summary = summaryByFamily[family];
  if (summary === undefined) return spec;
  const members = specs.filter(({ name }) => name.startsWith(`${family} `));
  return { name: `${family} ${members.map(({ name }) => name.slice(family.length + 1)).join('|')}`, summary };
};

const toHelpEntries = (specs: readonly CommandSpec[]): HelpEntry[] => [
  ...new Map(specs.map((spec) => toHelpEntry(specs, spec)).map((entry) => [entry.name, entry])).values(),
];

const formatTitleLines = (width: number): Text =>
  formatParagraph('hookwright: hooks for AI agents, with the reason for each decision', width, 0, 2, 'bold');

/** `hookwright --help` must fit one screen. */
export const formatShortHelp = (specs: readonly CommandSpec[], width: number): Text => [
  ...formatTitleLines(width),
  ...formatHeadingLines('Begin here'),
  ...formatExampleLines(firstExamples, width),
  ...formatSectionLines(
    'Commands',
    groupCommands(specs).map((group) => ({
      name: group.title,
      summary: toHelpEntries(group.specs)
        .map(({ name }) => name)
        .join(', '),
    })),
    width,
  ),
  '',
  ...formatParagraph(
    'hookwright <command> --help shows examples; hookwright --help --all describes each command.',
    width,
  ),
];

export const formatFullHelp = (specs: readonly CommandSpec[], width: number): Text => [
  ...formatTitleLines(width),
  ...groupCommands(specs).flatMap((group) => formatSectionLines(group.title, toHelpEntries(group.specs), width)),
  ...formatSectionLines(
    'With every command',
    [...listFlagEntries(globalFlags), { name: '-v, --version', summary: 'print the version' }],
    width,
  ),
  '',
  ...formatParagraph('hookwright <command> --help shows examples. NO_COLOR and FORCE_COLOR are obeyed.', width),
];
