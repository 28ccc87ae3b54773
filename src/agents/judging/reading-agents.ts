// Judges all hooks that an agent reads, including those in other agents' files, and finds hooks that it runs twice.
import { isHookwrightLine } from '../../registry/index.ts';
import { dialectNamed } from '../agent-table.ts';
import { resolvePaths, type SearchLocations } from '../find-agent-files.ts';
import type { AgentRules } from '../rules.ts';
import { type AgentHookReport, judgeAgentHooks } from './judge-hooks.ts';

export interface ReadingAgent {
  readonly agent: string;
  readonly title: string;
  readonly version: string;
  readonly hooks: readonly AgentHookReport[];
}

/** Judges files of other agents that this agent also reads, by the other agents' rules. */
const judgeImportedFiles = async (dialect: AgentRules, place: SearchLocations): Promise<AgentHookReport[]> => {
  const found: AgentHookReport[] = [];
  for (const { files, as, except = [] } of dialect.alsoReads ?? []) {
    const other = dialectNamed(as);
    if (other === undefined) continue;
    const paths = files.flatMap((path) => resolvePaths({ scope: 'project', path }, place));
    const { hooks } = await judgeAgentHooks(other, place, { files: paths });
    for (const hook of hooks) {
      const message = `${dialect.title} does not take ${hook.event} over`;
      const reasons = [{ code: 'unknown-event', message, isMistake: false } as const];
      found.push(except.includes(hook.event) ? { ...hook, runs: false, reasons } : hook);
    }
  }
  return found;
};

export const judgeAllHooks = async (dialect: AgentRules, place: SearchLocations): Promise<ReadingAgent> => {
  const own = await judgeAgentHooks(dialect, place);
  const { agent, title, version } = own;
  return { agent, title, version, hooks: [...own.hooks, ...(await judgeImportedFiles(dialect, place))] };
};

export interface DoubleRun {
  readonly agent: string;
  readonly title: string;
  readonly name: string;
  readonly moment: string;
  readonly hooks: readonly AgentHookReport[];
}

const toComparableLine = ({ entry, name }: AgentHookReport): string => {
  const line = entry.handler?.command?.trim();
  return isHookwrightLine(line) ? 'hookwright' : (line ?? name);
};

const mayMatchSameCall = (one: AgentHookReport, other: AgentHookReport): boolean => {
  const isOpen = ({ matcher: { kind } }: AgentHookReport): boolean => kind === 'everything' || kind === 'ignored';
  return isOpen(one) || isOpen(other) || one.entry.matcher === other.entry.matcher;
};

export const findDoubleRuns = ({ agent, title, hooks }: ReadingAgent): DoubleRun[] => {
  const dialect = dialectNamed(agent);
  const groups = new Map<string, AgentHookReport[]>();
  for (const hook of hooks) {
    if (!hook.runs) continue;
    const key = `${hook.moment ?? hook.event}\n${toComparableLine(hook)}`;
    groups.set(key, [...(groups.get(key) ?? []), hook]);
  }
  return [...groups.values()].flatMap((same) => {
    const [first, ...more] = same;
    if (first === undefined || more.length === 0 || !more.some((other) => mayMatchSameCall(first, other))) return [];
    const isOneLine = same.every(({ entry }) => entry.handler?.command === first.entry.handler?.command);
    const isOnce =
      isOneLine &&
      dialect?.sameAs?.({ command: toComparableLine(first), name: first.name, key: toComparableLine(first) }) !==
        undefined;
    const isOneEvent = same.every(({ event }) => event === first.event);
    if (isOnce && isOneEvent) return [];
    return [{ agent, title, name: first.name, moment: first.moment ?? first.event, hooks: same }];
  });
};
