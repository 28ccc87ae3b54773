/** `hookwright __complete`: prints candidates for the completion scripts. Problems in settings are not reported. */

import { toOneLine } from '../../../kit/index.ts';
import type { HookRow } from '../../../protocol/index.ts';
import { isCommandVariant } from '../../arguments/find-command.ts';
import { type CommandSpec, type Completion, type FlagSpec, globalFlags } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import { ExitCode } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { listRecordedSessions } from '../../sources/sessions.ts';
import type { completeSpec } from './spec.ts';

export const createCompleteRun =
  (specs: readonly CommandSpec[]): CommandMain<typeof completeSpec> =>
  async ({ words }, { reportUnreadable: _shownElsewhere, ...context }) => {
    const { candidates, lookUp } = findCompletionKind(words, specs);
    const all = lookUp === undefined ? candidates : [...candidates, ...(await candidatesByKind[lookUp](context))];
    const begun = (words.at(-1) ?? '').toLowerCase();
    const lines = new Set(
      all.filter(({ word }) => word.startsWith(':') || word.toLowerCase().startsWith(begun)).map(formatSuggestionLine),
    );
    context.write([...lines].map((line) => `${line}\n`).join(''));
    return ExitCode.Ok;
  };

const readRows = async (context: Context): Promise<HookRow[]> => {
  const { readConfiguration } = await import('../../sources/read-configuration.ts');
  return (await readConfiguration(context)).hooks.map(({ row }) => row);
};

const suggestEventNames = async (): Promise<Suggestion[]> => {
  const { abilityCatalogue, abilityEventTypes, catalogue, hookEventNames, isAbilityEventType } = await import(
    '../../../events/index.ts'
  );
  return [
    ...hookEventNames.map((word) => ({ word, about: catalogue[word].when })),
    ...abilityEventTypes.filter(isAbilityEventType).map((word) => ({ word, about: abilityCatalogue[word].when })),
  ];
};

const suggestToolNames = async (context: Context): Promise<Suggestion[]> => {
  const matchers = (await readRows(context))
    .map(({ matcher = '' }) => matcher)
    .filter((text) => /^[\w|-]+$/.test(text));
  return matchers.flatMap((matcher) => matcher.split('|')).map((word) => ({ word, about: 'from a matcher' }));
};

const candidatesByKind: Readonly<Record<Completion, (context: Context) => Promise<Suggestion[]> | Suggestion[]>> = {
  events: suggestEventNames,
  hooks: async (context) => (await readRows(context)).map(({ name, eventName }) => ({ word: name, about: eventName })),
  tools: suggestToolNames,
  sessions: ({ cwd }) => [
    { word: 'last', about: 'the newest recording' },
    ...listRecordedSessions(cwd).map((file) => ({ word: shortenPath(file, cwd) })),
    { word: ':files' },
  ],
  files: () => [{ word: ':files' }],
  directories: () => [{ word: ':directories' }],
};

const formatSuggestionLine = ({ word, about }: Suggestion): string =>
  word.startsWith(':') ? word : `${toOneLine(word)}\t${toOneLine(about ?? '')}`;

interface Suggestion {
  readonly word: string;
  readonly about?: string;
}

interface CompletionKind {
  readonly candidates: readonly Suggestion[];
  readonly lookUp?: Completion | undefined;
}

const suggestValues = ({ choices, complete }: Pick<FlagSpec, 'choices' | 'complete'>): CompletionKind =>
  choices === undefined ? { candidates: [], lookUp: complete } : { candidates: choices.map((word) => ({ word })) };

const suggestFlags = (flags: Readonly<Record<string, FlagSpec>>): Suggestion[] =>
  Object.entries(flags).map(([name, { summary }]) => ({ word: `--${name}`, about: summary }));

const suggestCommands = (specs: readonly CommandSpec[]): Suggestion[] =>
  specs
    .filter((spec) => !spec.hidden && !isCommandVariant(spec))
    .map(({ name, summary }) => ({ word: name, about: summary }));

const findCommand = (typed: readonly string[], specs: readonly CommandSpec[]): CommandSpec | undefined =>
  specs.find(
    (spec) =>
      isCommandVariant(spec) &&
      spec.name.split(' ').every((word, index) => (index === 0 ? typed[0] === word : typed.includes(word))),
  ) ?? specs.find(({ name }) => name.split(' ').every((word, index) => typed[index] === word));

const suggestInGroup = (group: string, specs: readonly CommandSpec[]): Suggestion[] =>
  specs.flatMap(({ name, summary }) => {
    const [first, second] = name.split(' ');
    return first === group && second !== undefined && !second.startsWith('--')
      ? [{ word: second, about: summary }]
      : [];
  });

const countPositionals = (typed: readonly string[], flags: Readonly<Record<string, FlagSpec>>): number => {
  let position = 0;
  for (let at = 0; at < typed.length; at += 1) {
    const word = typed[at] ?? '';
    if (!word.startsWith('-')) position += 1;
    else if ((flags[word.slice(2)]?.kind ?? 'switch') !== 'switch') at += 1;
  }
  return position;
};

export const findCompletionKind = (line: readonly string[], specs: readonly CommandSpec[]): CompletionKind => {
  const last = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  const at = before.findIndex((word, index) => !word.startsWith('-') && before[index - 1] !== '--cwd');
  const first = before[at];
  if (first === undefined) {
    if (before.at(-1) === '--cwd') return suggestValues(globalFlags.cwd);
    const globals = [...suggestFlags(globalFlags), { word: '--version', about: 'print the version' }];
    return { candidates: last.startsWith('-') ? globals : suggestCommands(specs) };
  }
  const typed = before.slice(at);
  const group = suggestInGroup(first, specs);
  if (group.length > 0 && typed.length === 1) return { candidates: group };
  const spec = findCommand(typed, specs);
  if (spec === undefined) return { candidates: [] };
  const flags: Readonly<Record<string, FlagSpec>> = { ...spec.flags, ...globalFlags };
  const rest = isCommandVariant(spec)
    ? typed.slice(1).filter((word) => !spec.name.endsWith(` ${word}`))
    : typed.slice(spec.name.split(' ').length);
  const forms = specs.flatMap(({ name, summary }) =>
    name.startsWith(`${spec.name} --`) ? [{ word: name.slice(spec.name.length + 1), about: summary }] : [],
  );
  if (rest.includes('--')) return { candidates: [], lookUp: 'files' };
  const flag = flags[rest.at(-1)?.replace(/^--/, '') ?? ''];
  if (rest.at(-1)?.startsWith('--') && flag !== undefined && flag.kind !== 'switch') return suggestValues(flag);
  if (last.startsWith('-')) return { candidates: [...suggestFlags(flags), ...forms] };
  const all = spec.arguments ?? [];
  const argument = all[Math.min(countPositionals(rest, flags), all.length)] ?? all.find((one) => one.rest);
  return argument === undefined ? { candidates: suggestFlags(flags) } : suggestValues(argument);
};
