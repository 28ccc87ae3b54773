import { HookwrightError } from '../../errors.ts';
import { suggestion } from '../../kit/index.ts';
import type { ModelRequest, ModelResponse } from '../../models/index.ts';
import { captureTraffic } from '../capture-traffic.ts';
import { type Access, accessTo } from './access.ts';
import type { CoverageOptions, HostAbilities, HostDriver, SampleTool } from './driver.ts';
import { modelPaths } from './model-paths.ts';
import type { CoveragePath } from './path.ts';
import { type CoverageReport, type PathReport, reportOf, type Uncovered } from './report.ts';
import { toolPaths } from './tool-paths.ts';
import { toolTurnPaths } from './tool-turn-paths.ts';
import { startPath, turnPaths } from './turn-paths.ts';
import { Walk } from './walk.ts';

/** As a session goes: it starts, works and ends. */
const allPaths: readonly CoveragePath[] = [startPath, ...toolPaths, ...toolTurnPaths, ...modelPaths, ...turnPaths];

const sampleTools: readonly [SampleTool, SampleTool] = [
  { name: 'read_file', input: { path: 'coverage.txt' }, change: { path: 'changed-by-a-hook.txt' } },
  { name: 'list_files', input: { path: 'coverage' }, change: { path: 'changed-by-a-hook' } },
];

const checkSkipped = (skip: readonly string[]): void => {
  const names = allPaths.map(({ name }) => name);
  for (const name of skip) {
    if (names.includes(name)) continue;
    const message = `hostCoverage has no path ${JSON.stringify(name)} to skip${suggestion(name, names)}`;
    throw new HookwrightError('invalid_argument', message, { details: { known: names } });
  }
};

/** Why a path cannot be walked. */
const obstacleTo = (
  { name, needs, needsHook }: CoveragePath,
  driver: HostAbilities<object, object>,
  { system }: Access,
  skip: readonly string[],
): string | undefined => {
  if (skip.includes(name)) return 'skipped on demand';
  if (needs.every((ability) => driver[ability] === undefined)) return `the driver has no ${needs.at(-1)}`;
  if (needsHook && system === undefined) return 'the driver has no config and no hooks, so that no hook can be added';
  return undefined;
};

/**
 * Makes an agent do, one after the other, what agents do with hooks around it, and tells what it gets wrong: a path
 * that skips its hooks, or an answer of a hook that it does not heed. The agent must do nothing else meanwhile, and its
 * bus must deliver inside `publish`, as a `MessageBus` does.
 *
 * Rejects for a driver it can do nothing with; whatever the agent does wrong is in the report.
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
  checkSkipped(skip);
  const access = accessTo(driver);
  const translator = options.translator ?? access.translator;
  const traffic = captureTraffic(access.bus);
  const paths: PathReport[] = [];
  const uncovered: Uncovered[] = [];
  try {
    for (const path of allPaths) {
      const why = obstacleTo(path, driver, access, skip);
      if (why !== undefined) {
        uncovered.push({ path: path.name, why });
        continue;
      }
      const walk = new Walk(path.name, traffic, access.system, { timeoutMs, patienceMs });
      try {
        await path.go({ walk, driver, tools, translator });
      } finally {
        walk.removeHooks();
      }
      const { problems, seen } = walk;
      paths.push({ path: path.name, expected: path.expected, seen, ok: problems.length === 0, problems });
    }
  } finally {
    traffic.stop();
    await access.close();
  }
  return reportOf(paths, uncovered);
}
