/** `hookwright list`: lists all hooks of settings and abilities, with their problems. */
import type { HookRow } from '../../../protocol/index.ts';
import { inspectAgentHooks, toAgentProblem } from '../../agents/judged-hooks.ts';
import {
  formatSelectedAgent,
  listUnapprovedProblems,
  type SelectedAgent,
  selectAgent,
  toAgentData,
} from '../../agents/select-agent.ts';
import { expectKnownEvents } from '../../arguments/events.ts';
import { undefinedIfEmpty } from '../../arguments/flags.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { listMissedProblems, withMissedCallNotices } from '../../doctor/known-tools.ts';
import { awaitsApproval } from '../../hook-findings.ts';
import { formatItemTable, type ItemColumn } from '../../rendering/layout.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { createHookColumns, formatSourceCell, formatStatusCell } from '../../rendering/row-lines.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { type DeclaredHook, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { type ConfiguredEntry, formatNoHooks, readConfiguration } from '../../sources/read-configuration.ts';
import type { listSpec } from './spec.ts';

export const run: CommandMain<typeof listSpec> = async (options, context) => {
  const { origin, event: events } = options;
  const selected = await selectAgent(options, events[0], context);
  if (selected !== undefined) return listAgentHooks(selected, options, context);
  expectKnownEvents(events);
  const { hooks, problems: inSettings, config } = await readConfiguration(context);
  const { declared, problems: inDeclarations } = await readAbilityHooks(config);
  const isWanted = ({ row }: ConfiguredEntry | DeclaredHook): boolean =>
    events.length === 0 || events.includes(row.eventName);
  const { cwd, width } = context;
  const shown = await withMissedCallNotices(hooks.filter(isWanted), context);
  const abilities = declared.filter(isWanted);
  const problems = [...inSettings, ...inDeclarations, ...listMissedProblems(shown)];
  const rows = shown.map(({ row }) => row);
  const isMixed = rows.length > 0 && abilities.length > 0;
  const isEmpty = rows.length + abilities.length === 0;
  const emptyText =
    events.length === 0 ? formatNoHooks(context, problems) : [`no hook is configured for ${events.join(', ')}`];
  return {
    data: {
      hooks: shown.map(({ row, hook }) => ({ ...row, type: hook?.config?.type })),
      abilityHooks: abilities.map(({ row, listing }) => ({ ...listing, ...row })),
    },
    problems,
    text: () => [
      ...(isEmpty ? emptyText : []),
      ...formatItemTable(createHookColumns(cwd, origin), rows, width),
      ...(isMixed ? [''] : []),
      ...(abilities.length === 0 ? [] : [[createSpan('bold', 'Ability hooks')]]),
      ...formatItemTable(formatAbilityColumns(cwd, origin), abilities, width),
      ...formatWaitingHooks([...rows, ...abilities.map(({ row }) => row)]),
      ...formatCountedProblems(problems, context),
    ],
  };
};

const listAgentHooks = async (
  selected: SelectedAgent,
  { event: events, origin }: CommandValues<typeof listSpec>,
  context: Context,
): Promise<CommandOutcome> => {
  const { agent } = selected;
  const { hooks, problems: all } = await agent.judge();
  const problems = [...all.map(toAgentProblem), ...(await listUnapprovedProblems(selected, hooks, context))];
  const wanted = hooks.filter(({ event }) => events.length === 0 || events.includes(event));
  const rows = (await inspectAgentHooks(wanted, agent.name, context)).map(
    ({ row, launch }): HookRow => ({ ...row, warnings: undefinedIfEmpty([...launch, ...(row.warnings ?? [])]) }),
  );
  const listed = rows.map((row) => ({ ...row, matcher: row.matcher ?? '*', dialect: undefined }));
  const none =
    events.length === 0
      ? `${agent.title} has no hooks here or in your home directory`
      : `${agent.title} has no hook here for ${events.join(', ')}`;
  return {
    data: { agent: toAgentData(selected), hooks: rows, abilityHooks: [] },
    problems,
    text: () => [
      ...formatSelectedAgent(selected, context),
      ...(rows.length === 0 ? [none] : formatItemTable(createHookColumns(context.cwd, origin), listed, context.width)),
      ...formatCountedProblems(problems, context),
    ],
  };
};

const formatCountedProblems = (problems: readonly CliProblem[], context: Context): Text => [
  ...(problems.length === 0 ? [] : ['', [createSpan('yellow', formatCount(problems.length, 'problem'))]]),
  ...formatProblems(problems, context),
];

const formatYesOrNo = (value: boolean | string | undefined): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : (value ?? '');

const formatAbilityColumns = (cwd: string, origin: boolean): readonly ItemColumn<DeclaredHook>[] => [
  { title: 'id', min: 8, cell: ({ row, listing }) => listing?.id ?? row.name },
  { title: 'event_type', min: 10, cell: ({ row }) => row.eventName },
  { title: 'enabled', cell: ({ listing }) => formatYesOrNo(listing?.enabled) },
  { title: 'blocking', cell: ({ listing }) => formatYesOrNo(listing?.blocking) },
  { title: 'match', min: 8, cell: ({ listing }) => listing?.match_summary ?? '' },
  ...(origin
    ? [{ title: 'source', min: 7, keepEnd: true, cell: ({ row }: DeclaredHook) => formatSourceCell(row, cwd, origin) }]
    : []),
  { title: 'status', cell: ({ row }) => formatStatusCell(row) },
];

const formatWaitingHooks = (rows: readonly HookRow[]): Text => {
  const waiting = rows.filter(awaitsApproval).length;
  if (waiting === 0) return [];
  return [
    '',
    [createSpan('yellow', `${waiting} ${waiting === 1 ? 'waits' : 'wait'} for an approval`), ': hookwright trust'],
  ];
};
