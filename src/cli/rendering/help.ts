import { type CommandSpec, type FlagSpec, globalFlags } from '../arguments/spec.ts';
import { styled, type Text } from '../terminal/text.ts';
import { paragraph } from './layout.ts';

const INDENT = 2;
const MAX_LABEL = 28;

interface Entry {
  readonly label: string;
  readonly summary: string;
}

/** Two columns; a label that is too long has its summary below it. */
const entries = (list: readonly Entry[], width: number): Text => {
  const labelWidth = Math.min(MAX_LABEL, Math.max(...list.map(({ label }) => label.length))) + 2;
  return list.flatMap(({ label, summary }): Text => {
    const at = INDENT + labelWidth;
    const [first = [], ...others] = paragraph(summary, width, at);
    if (label.length + 2 > labelWidth) return [[' '.repeat(INDENT), styled('cyan', label)], first, ...others];
    const [, ...rest] = typeof first === 'string' ? [first] : first;
    const gap = ' '.repeat(labelWidth - label.length);
    return [[' '.repeat(INDENT), styled('cyan', label), gap, ...rest], ...others];
  });
};

export const heading = (title: string): Text => ['', [styled('bold', title)]];

const section = (title: string, list: readonly Entry[], width: number): Text =>
  list.length === 0 ? [] : [...heading(title), ...entries(list, width)];

/** `--tool <name>`, with its short form in front. */
export const flagLabel = (name: string, { kind, short, value = 'value' }: FlagSpec): string => {
  const long = kind === 'switch' ? `--${name}` : `--${name} <${value}>`;
  return short === undefined ? long : `-${short}, ${long}`;
};

/** The summary of a flag, with what it may be. */
export const flagSummary = ({ summary, choices, kind }: FlagSpec): string => {
  const details = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(kind === 'list' ? ['may be repeated'] : []),
  ];
  return details.length === 0 ? summary : `${summary} (${details.join('; ')})`;
};

const flagEntries = (flags: Readonly<Record<string, FlagSpec>>): Entry[] =>
  Object.entries(flags).map(([name, flag]) => ({ label: flagLabel(name, flag), summary: flagSummary(flag) }));

/** `hookwright explain <event> [flags]`. */
export const usageOf = (spec: CommandSpec): string => {
  const named = (spec.arguments ?? []).map(({ name, required, rest }) => {
    const word = rest ? `${name}…` : name;
    return required ? `<${word}>` : `[${word}]`;
  });
  return ['hookwright', spec.name, ...named, '[flags]'].join(' ');
};

/** What a command's `--help` says. */
export const commandHelp = (spec: CommandSpec, forms: readonly CommandSpec[], width: number): Text => [
  ...paragraph(`hookwright ${spec.name}: ${spec.summary}`, width, 0, 2, 'bold'),
  ...(spec.description ?? []).flatMap((text) => ['', ...paragraph(text, width)]),
  ...heading('Usage'),
  `  ${usageOf(spec)}`,
  ...heading('Examples'),
  ...spec.examples.flatMap(({ command, does }) => [
    ['  ', styled('dim', '$ '), styled('cyan', command)],
    ...paragraph(does, width, 6),
  ]),
  ...section(
    'Arguments',
    (spec.arguments ?? []).map(({ name, summary }) => ({ label: name, summary })),
    width,
  ),
  ...section('Flags', flagEntries(spec.flags ?? {}), width),
  ...section(
    'Other forms, each with its own --help',
    forms.map(({ name, summary }) => ({ label: name, summary })),
    width,
  ),
  ...section('With every command', flagEntries(globalFlags), width),
  ...section(
    'Exit codes',
    [
      { label: '0', summary: spec.exit.ok },
      ...(spec.exit.findings === undefined ? [] : [{ label: '1', summary: spec.exit.findings }]),
      { label: '64', summary: 'the command line was wrong' },
      { label: '70', summary: 'hookwright itself failed' },
    ],
    width,
  ),
];

const beginnings: readonly Entry[] = [
  { label: 'hookwright init', summary: 'a first hook that works, with its test' },
  { label: 'hookwright explain BeforeTool --tool Bash', summary: 'a hook does not fire: why?' },
  { label: 'hookwright why', summary: 'it fired: what happened to its answer?' },
];

/** What somebody wants, and the commands for it. What stands nowhere is listed last, so that none is left out. */
const groups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
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

interface CommandGroup {
  readonly title: string;
  readonly specs: readonly CommandSpec[];
}

/** The commands by what one wants. */
export const grouped = (specs: readonly CommandSpec[]): readonly CommandGroup[] => {
  const placed = groups.map(({ title, names }) => ({
    title,
    specs: names.flatMap((name) => specs.find((spec) => spec.name === name) ?? []),
  }));
  const others = specs.filter(({ name }) => groups.every(({ names }) => !names.includes(name)));
  return [...placed, { title: 'More', specs: others }].filter((group) => group.specs.length > 0);
};

/** What `hookwright task --help` says: the commands of a family. */
export const familyHelp = (specs: readonly CommandSpec[], width: number): Text => [
  ...section(
    'Commands',
    specs.map(({ name, summary }) => ({ label: name, summary })),
    width,
  ).slice(1),
  '',
  `hookwright ${specs[0]?.name} --help shows one of them, with examples`,
];

/** What `hookwright --help` says: where to begin, and one line for each command. */
export const overview = (specs: readonly CommandSpec[], width: number): Text => [
  [styled('bold', 'hookwright'), ': hooks for AI agents, and why they did what they did'],
  ...heading('Begin here'),
  ...beginnings.flatMap(({ label, summary }) => [
    ['  ', styled('dim', '$ '), styled('cyan', label)],
    ...paragraph(summary, width, 6),
  ]),
  ...grouped(specs).flatMap((group) =>
    section(
      group.title,
      group.specs.map(({ name, summary }) => ({ label: name, summary })),
      width,
    ),
  ),
  ...section(
    'With every command',
    [...flagEntries(globalFlags), { label: '-v, --version', summary: 'print the version' }],
    width,
  ),
  '',
  ...paragraph('hookwright <command> --help shows examples. NO_COLOR and FORCE_COLOR are obeyed.', width),
];
