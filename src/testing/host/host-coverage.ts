/** `hostCoverage`: runs an agent through all paths that its driver supports, and reports mistakes. */
import { type Bus, MessageBus } from '../../bus/index.ts';
import { Config, getBus, getHookSystem, type TriggerConfig } from '../../config.ts';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import type { HookEventName } from '../../events/index.ts';
import type { HookSystem } from '../../hook-system.ts';
import { describeValue, formatSuggestion, isRecord, printable } from '../../kit/index.ts';
import {
  type AnyHookTranslator,
  defaultHookTranslator,
  type ModelRequest,
  type ModelResponse,
} from '../../models/index.ts';
import { MessageBusType } from '../../protocol/index.ts';
import { getDeps } from '../../triggers/index.ts';
import { captureTraffic } from '../capture-traffic.ts';
import { formatTable } from '../text-table.ts';
import type { CoverageOptions, CoveragePath, HostAbilities, HostAccess, HostDriver, SampleTool } from './driver.ts';
import { modelPaths } from './model-paths.ts';
import { toolPaths, toolTurnPaths } from './tool-paths.ts';
import { sessionStartPath, turnPaths } from './turn-paths.ts';
import { Walk } from './walk.ts';

const allPaths: readonly CoveragePath[] = [
  sessionStartPath,
  ...toolPaths,
  ...toolTurnPaths,
  ...modelPaths,
  ...turnPaths,
];

const sampleTools: readonly [SampleTool, SampleTool] = [
  { name: 'read_file', input: { path: 'coverage.txt' }, change: { path: 'changed-by-a-hook.txt' } },
  { name: 'list_files', input: { path: 'coverage' }, change: { path: 'changed-by-a-hook' } },
];

const checkSkippedNames = (skip: readonly string[]): void => {
  const names = allPaths.map(({ name }) => name);
  const unknown = skip.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const message = `hostCoverage has no path ${JSON.stringify(unknown)} to skip${formatSuggestion(unknown, names)}`;
  throw new HookwrightError('invalid_argument', message, { details: { known: names } });
};

const findObstacle = (
  { name, needs, needsHook }: CoveragePath,
  driver: HostAbilities<object, object>,
  { system }: AgentAccess,
  skip: readonly string[],
): string | undefined => {
  if (skip.includes(name)) return 'skipped on demand';
  if (needs.every((ability) => driver[ability] === undefined)) return `the driver has no ${needs.at(-1)}`;
  if (needsHook && system === undefined) return 'the driver has no config and no hooks, so that no hook can be added';
  return undefined;
};

/**
 * Runs the agent's actions one after another with hooks around them, and reports mistakes: an event that does not fire,
 * or an answer of a hook that is ignored. Meanwhile the agent must do nothing else, and its bus must deliver inside
 * `publish`, as `MessageBus` does.
 *
 * Rejects only for an unusable driver; mistakes of the agent are in the report.
 */
export function hostCoverage<Request extends object = ModelRequest, Response extends object = ModelResponse>(
  driver: HostDriver<Request, Response>,
  options?: CoverageOptions,
): Promise<CoverageReport>;
export async function hostCoverage(
  driver: HostDriver<object, object>,
  options: CoverageOptions = {},
): Promise<CoverageReport> {
  const { tools = sampleTools, skip = [], timeoutMs = 5_000, patienceMs = 500 } = options;
  checkSkippedNames(skip);
  const access = createAccess(driver);
  const translator = options.translator ?? access.translator;
  const traffic = captureTraffic(access.bus);
  const paths: PathReport[] = [];
  const uncovered: UncoveredPath[] = [];
  try {
    for (const path of allPaths) {
      const why = findObstacle(path, driver, access, skip);
      if (why !== undefined) {
        uncovered.push({ path: path.name, why });
        continue;
      }
      const walk = new Walk(path.name, traffic, access.system, { timeoutMs, patienceMs });
      try {
        await path.run({ walk, driver, tools, translator });
      } finally {
        walk.removeHooks();
      }
      const { problems, seen } = walk;
      paths.push({ path: path.name, expected: path.expected, seen, ok: problems.length === 0, problems });
    }
  } finally {
    traffic.stop();
    await access.close?.();
  }
  return {
    paths,
    uncovered: uncovered.map(({ path }) => path),
    ok: paths.length > 0 && paths.every(({ ok }) => ok),
    toText: () => formatCoverageReport(paths, uncovered),
  };
}

interface AgentAccess {
  readonly bus: Bus;
  /** `undefined` if another engine serves the agent's bus, to which no hooks can be added. */
  readonly system: HookSystem | undefined;
  readonly translator: AnyHookTranslator;
  readonly close?: () => Promise<void> | undefined;
}

const createConfigAccess = (config: TriggerConfig): AgentAccess => {
  const system = getHookSystem(config, new MessageBus());
  if (system === undefined) throw createInvalidArgument('hostCoverage: hooks are switched off in the given config');
  const bus = getBus(config);
  if (bus === undefined) {
    throw createInvalidArgument(
      'hostCoverage: the hook system of the given config has no bus to watch; give the config one',
    );
  }
  const translator = getDeps(config).translator ?? defaultHookTranslator;
  return { bus, system, translator };
};

const createBusAccess = (bus: Bus): AgentAccess => {
  const isServed = bus.isHeard(MessageBusType.HOOK_EXECUTION_REQUEST);
  if (isServed) return { bus, system: undefined, translator: defaultHookTranslator };
  const access = createConfigAccess(new Config({ enableHooks: true, bus }));
  return { ...access, close: () => access.system?.dispose() };
};

const createAccess = (driver: HostAccess): AgentAccess => {
  const given: unknown = driver;
  if (!isRecord(given)) throw createInvalidArgument(`hostCoverage needs a driver, got ${describeValue(given)}`);
  if ('hooks' in driver) {
    const { bus, system } = driver.hooks;
    return { bus, system, translator: defaultHookTranslator };
  }
  if ('config' in driver) return createConfigAccess(driver.config);
  if ('bus' in driver) return createBusAccess(driver.bus);
  throw createInvalidArgument(
    'hostCoverage: the driver needs `config`, `hooks` or `bus`, to say where the agent’s hooks are',
  );
};

export interface PathReport {
  readonly path: string;
  readonly expected: readonly HookEventName[];
  readonly seen: readonly string[];
  readonly ok: boolean;
  /** Each problem is a sentence that begins with the name of the path. */
  readonly problems: readonly string[];
}

export interface CoverageReport {
  readonly paths: readonly PathReport[];
  readonly uncovered: readonly string[];
  /** True if at least one path ran and no path has problems. Uncovered paths are ignored. */
  readonly ok: boolean;
  toText(): string;
}

interface UncoveredPath {
  readonly path: string;
  readonly why: string;
}

const formatSeenEvents = (seen: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const event of seen) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => (count === 1 ? event : `${event} × ${count}`)).join(', ');
};

const summarizePaths = (paths: readonly PathReport[]): string => {
  if (paths.length === 0) return 'Host coverage: no path was walked, so nothing is known about this agent.';
  const good = paths.filter(({ ok }) => ok).length;
  return `Host coverage: ${good} of ${paths.length} paths produce the events they must.`;
};

/** Paths are grouped by reason, since one more driver method often enables several paths. */
const formatUncovered = (uncovered: readonly UncoveredPath[]): readonly string[] => {
  const byReason = new Map<string, string[]>();
  for (const { path, why } of uncovered) byReason.set(why, [...(byReason.get(why) ?? []), path]);
  return [...byReason].map(([why, paths]) => `  ${why}: ${paths.join('; ')}`);
};

const formatCoverageReport = (paths: readonly PathReport[], uncovered: readonly UncoveredPath[]): string => {
  const problems = paths.flatMap((path) => path.problems);
  const table = formatTable(
    ['path', '', 'events'],
    paths.map(({ path, ok, seen }) => [path, ok ? 'ok' : 'WRONG', formatSeenEvents(seen)]),
    Number.POSITIVE_INFINITY,
  );
  const lines = [
    summarizePaths(paths),
    ...(paths.length === 0 ? [] : ['', table]),
    ...(problems.length === 0 ? [] : ['', 'What is wrong:', ...problems.map((problem) => `  ${problem}`)]),
    ...(uncovered.length === 0 ? [] : ['', 'Not covered:', ...formatUncovered(uncovered)]),
  ];
  return printable(lines.join('\n'), 'lines');
};
