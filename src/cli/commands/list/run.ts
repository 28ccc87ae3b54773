import { type HookRow, shownName } from '../../../protocol/index.ts';
import { listOfAgent } from '../../agents/list-agent-hooks.ts';
import { whoseHooks } from '../../agents/whose-hooks.ts';
import { allEventNames, expectKnownEvents } from '../../arguments/events.ts';
import type { Run } from '../../command.ts';
import { awaitsApproval } from '../../hook-findings.ts';
import { type Cell, type Column, table } from '../../rendering/layout.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { hookColumns, type ListPage, originCell, statusCell } from '../../rendering/row-lines.ts';
import { styled, type Text } from '../../rendering/text.ts';
import { type DeclaredHook, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { type ConfiguredEntry, nothingConfigured, readConfiguration } from '../../sources/configured.ts';
import type { listSpec } from './spec.ts';

const rowOf = ({ row }: ConfiguredEntry, page: ListPage): Cell[] => [
  row.eventName,
  shownName(row.name),
  row.matcher ?? '',
  originCell(row, page),
  statusCell(row),
];

const abilityColumns: readonly Column[] = [
  { title: 'id', min: 8 },
  { title: 'event_type', min: 10 },
  { title: 'enabled' },
  { title: 'blocking' },
  { title: 'match', min: 8 },
  { title: 'source', min: 7, keepEnd: true },
  { title: 'status' },
];

const yesOrNo = (value: boolean | string | undefined): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : (value ?? '');

const abilityRowOf = ({ row, listing }: DeclaredHook, page: ListPage): Cell[] => [
  listing?.id ?? row.name,
  row.eventName,
  yesOrNo(listing?.enabled),
  yesOrNo(listing?.blocking),
  listing?.match_summary ?? '',
  originCell(row, page),
  statusCell(row),
];

const withoutOrigin = (all: readonly Column[], { origin }: ListPage, rows: readonly Cell[][]) => {
  // Declarations of abilities all come from the project: only the file says more.
  const at = all.findIndex(({ title }) => title === 'source');
  if (origin) return { columns: all, rows };
  return { columns: all.toSpliced(at, 1), rows: rows.map((row) => row.toSpliced(at, 1)) };
};

const abilitiesText = (declared: readonly DeclaredHook[], page: ListPage): Text => {
  if (declared.length === 0) return [];
  const rows = declared.map((hook) => abilityRowOf(hook, page));
  const shown = withoutOrigin(abilityColumns, page, rows);
  return [[styled('bold', 'Ability hooks')], ...table(shown.columns, shown.rows, page.width)];
};

const hooksText = (hooks: readonly ConfiguredEntry[], page: ListPage): Text => {
  if (hooks.length === 0) return [];
  return table(
    hookColumns,
    hooks.map((hook) => rowOf(hook, page)),
    page.width,
  );
};

/** Hooks that may run once they were reviewed. */
const waitingText = (rows: readonly HookRow[]): Text => {
  const waiting = rows.filter(awaitsApproval).length;
  if (waiting === 0) return [];
  return [
    '',
    [styled('yellow', `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for an approval`), ': hookwright trust'],
  ];
};

const dataOf = ({ row, listing }: DeclaredHook) => ({ ...listing, ...row });

export const run: Run<typeof listSpec> = async (given, context) => {
  const { origin, event: events } = given;
  const whose = await whoseHooks(given, events[0], context);
  if (whose !== undefined) return listOfAgent(whose, { events, origin }, context);
  expectKnownEvents(events, allEventNames);
  const { hooks, problems: inSettings, config } = await readConfiguration(context);
  const { declared, problems: inDeclarations } = await readAbilityHooks(config);
  const isWanted = ({ row }: ConfiguredEntry | DeclaredHook): boolean =>
    events.length === 0 || events.includes(row.eventName);
  const [shown, abilities] = [hooks.filter(isWanted), declared.filter(isWanted)];
  const problems = [...inSettings, ...inDeclarations];
  const page = { cwd: context.cwd, width: context.width, origin };
  const isMixed = shown.length > 0 && abilities.length > 0;
  const isEmpty = shown.length + abilities.length === 0;
  const emptyText =
    events.length === 0 ? nothingConfigured(context, problems) : [`no hook is configured for ${events.join(', ')}`];
  return {
    data: {
      hooks: shown.map(({ row, hook }) => ({ ...row, type: hook?.config?.type })),
      abilityHooks: abilities.map(dataOf),
    },
    problems,
    text: () => [
      ...(isEmpty
        ? emptyText
        : [...hooksText(shown, page), ...(isMixed ? [''] : []), ...abilitiesText(abilities, page)]),
      ...waitingText([...shown, ...abilities].map(({ row }) => row)),
      ...(problems.length === 0 ? [] : ['', [styled('yellow', counted(problems.length, 'problem'))]]),
      ...problemsText(problems, context),
    ],
  };
};
