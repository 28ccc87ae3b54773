/** Compares how the agents that read the same hook files understand each hook: `doctor --all-agents`. */
import { type AgentHookReport, type DoubleRun, findAgentsWithHooks, type ReadingAgent } from '../../agents/cli-api.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatLabelParagraph, formatParagraph } from '../rendering/layout.ts';
import { formatCount, formatLocation } from '../rendering/problem-lines.ts';
import { createSpan, type Text } from '../rendering/text.ts';

interface ComparedHook {
  readonly event: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly readings: readonly { readonly agent: string; readonly title: string; readonly hook: AgentHookReport }[];
}

const compareReadings = (readers: readonly ReadingAgent[]): ComparedHook[] => {
  const found = new Map<string, ComparedHook>();
  for (const { agent, title, hooks } of readers) {
    for (const hook of hooks) {
      const { file, line, path } = hook.entry;
      const key = `${file}\n${path}`;
      const { readings = [], ...rest } = found.get(key) ?? { event: hook.event, name: hook.name, file, line };
      found.set(key, { ...rest, readings: [...readings, { agent, title, hook }] });
    }
  }
  return [...found.values()];
};

const describeReading = ({ runs, matcher, reasons, entry }: AgentHookReport): string => {
  if (!runs) return `does not run it: ${reasons.map(({ message }) => message).join('; ')}`;
  const { timeoutMs } = entry.handler ?? {};
  const time = timeoutMs === undefined ? '' : `; at most ${timeoutMs / 1_000} s`;
  return `runs it; matcher ${matcher.text}${time}`;
};

const AGENT_TITLE_WIDTH = 22;

const formatComparedHook = ({ event, name, file, line, readings }: ComparedHook, { width, cwd }: Context): Text => [
  [createSpan('bold', name), ` ${event} `, createSpan('dim', formatLocation({ file, line }, cwd) ?? '')],
  ...readings.flatMap(({ title, hook }) =>
    formatLabelParagraph(title, describeReading(hook), {
      width,
      indent: 2,
      labelWidth: AGENT_TITLE_WIDTH,
      ...(hook.runs ? {} : { style: 'yellow' }),
    }),
  ),
  '',
];

const formatDoubleRun = ({ title, name, moment, hooks }: DoubleRun, { width, cwd }: Context): Text => {
  const places = hooks.map(({ event, entry }) => `${event} at ${formatLocation(entry, cwd)}`).join(' and ');
  return [
    [createSpan('yellow', 'warning'), ' ', createSpan('bold', name)],
    ...formatParagraph(`${title} runs it ${hooks.length} times for one ${moment}: ${places}`, width, 2),
    ...formatParagraph('→ keep one of them', width, 2, 4, 'cyan'),
    '',
  ];
};

const formatSharedHooks = (all: readonly ComparedHook[], { width }: Context): Text => {
  const groups = new Map<string, number>();
  for (const { readings } of all) {
    const titles = readings.flatMap(({ title, hook }) => (hook.runs ? [title] : []));
    if (titles.length > 1) groups.set(titles.join(', '), (groups.get(titles.join(', ')) ?? 0) + 1);
  }
  return [...groups].flatMap(([titles, hooks]) =>
    formatParagraph(
      `${formatCount(hooks, 'hook')} ${hooks === 1 ? 'is' : 'are'} run by each of ${titles}: if two of these agents work on one session, each hook runs twice`,
      width,
      0,
      2,
      'dim',
    ),
  );
};

export const compareAgents = async (context: Context): Promise<CommandOutcome> => {
  const readers = await findAgentsWithHooks(context);
  const all = compareReadings(readers);
  const doubles = readers.flatMap(({ doubles: found }) => found);
  return {
    findings: doubles.length > 0,
    data: {
      agents: readers.map(({ agent, title, version, hooks }) => ({
        name: agent,
        title,
        version,
        hooks: hooks.length,
        running: hooks.filter(({ runs }) => runs).length,
      })),
      hooks: all.map(({ readings, ...hook }) => ({
        ...hook,
        readings: readings.map(({ agent, hook: its }) => ({
          agent,
          runs: its.runs,
          matcher: its.matcher.text,
          reasons: its.reasons,
          timeoutMs: its.entry.handler?.timeoutMs,
        })),
      })),
      doubleRuns: doubles.map(({ agent, name, moment, hooks }) => ({
        agent,
        name,
        moment,
        places: hooks.map(({ event, entry: { file, line } }) => ({ event, file, line })),
      })),
    },
    text: () =>
      readers.length === 0
        ? ['No known agent has hooks here or in your home directory.']
        : [
            ...readers.map(({ title, version, hooks }) => [
              createSpan('bold', `${title} ${version}`),
              ` reads ${formatCount(hooks.length, 'hook')} here and would run ${hooks.filter(({ runs }) => runs).length}`,
            ]),
            '',
            ...all.flatMap((one) => formatComparedHook(one, context)),
            ...doubles.flatMap((double) => formatDoubleRun(double, context)),
            ...formatSharedHooks(all, context),
          ],
  };
};
