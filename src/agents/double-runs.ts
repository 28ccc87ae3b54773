// Finds hooks that two configured agents would both run.
import { isHookwrightLine } from '../registry/index.ts';
import type { AgentFile } from './find-agent-files.ts';
import { createWarning } from './reading/entry.ts';
import type { DialectEntry, DialectProblem, DialectReading } from './reading/read-file.ts';

export interface AgentFileReading {
  readonly title: string;
  readonly file: AgentFile;
  readonly reading: DialectReading;
  readonly off?: string | undefined;
  /** The agent that called hookwright runs the hooks of this file itself. */
  readonly isElsewhere?: true;
}

const canRun = ({ handler, rule, off }: DialectEntry): boolean =>
  handler !== undefined && rule?.moment !== undefined && off === undefined;

const identifyEntry = ({ path, rule }: DialectEntry, { realPath }: AgentFile): string =>
  `${realPath}\n${path}\n${rule?.moment ?? ''}`;

/**
 * Of all agents that read an entry, one runs it: the agent that called hookwright, else the owner of the file, else the
 * first in the configured order that can run it. The lookup returns that agent's title if it is another agent.
 */
export const createOtherReaderLookup = (
  all: readonly AgentFileReading[],
): ((one: AgentFileReading, entry: DialectEntry) => string | undefined) => {
  const readers = new Map<string, AgentFileReading>();
  const rankOf = ({ isElsewhere, file }: AgentFileReading): number => (isElsewhere ? 0 : file.of === undefined ? 1 : 2);
  const byOwnership = [...all].sort((one, other) => rankOf(one) - rankOf(other));
  for (const one of byOwnership) {
    if (one.off !== undefined) continue;
    for (const entry of one.reading.entries.filter(canRun)) {
      const place = identifyEntry(entry, one.file);
      if (!readers.has(place)) readers.set(place, one);
    }
  }
  return (one, entry) => {
    const reader = one.off === undefined && canRun(entry) ? readers.get(identifyEntry(entry, one.file)) : undefined;
    return reader === undefined || reader.title === one.title ? undefined : reader.title;
  };
};

export interface StartableHook {
  readonly title: string;
  readonly file: string;
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly command?: string | undefined;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

const MAX_REPORTED_DUPLICATES = 20;

const matchesEverything = (matcher: string | undefined): boolean =>
  matcher === undefined || matcher === '' || matcher === '*';

const mayMatchSameCall = ({ matcher: one }: StartableHook, { matcher: other }: StartableHook): boolean =>
  matchesEverything(one) || matchesEverything(other) || one === other;

export const findDuplicateCommands = (all: readonly StartableHook[]): DialectProblem[] => {
  const seen = new Map<string, StartableHook[]>();
  const problems: DialectProblem[] = [];
  for (const one of all) {
    const { title, event, command = '' } = one;
    if (command.trim() === '' || isHookwrightLine(command) || problems.length === MAX_REPORTED_DUPLICATES) continue;
    const key = `${event}\n${command.trim()}`;
    const before = seen.get(key) ?? [];
    const twin = before.find((other) => other.title !== title && mayMatchSameCall(one, other));
    if (twin === undefined) seen.set(key, [...before, one]);
    else
      problems.push(
        createWarning(
          one,
          `the same line stands for ${twin.title} at ${twin.file}:${twin.line}: it runs twice for one call`,
          'keep one of them, or read the files of one agent alone',
        ),
      );
  }
  return problems;
};
