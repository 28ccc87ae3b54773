import type { Bus } from '../bus/bus.ts';
import { homeDirectory } from '../config/finding/home-directory.ts';
import { createTrustCheck } from '../config/trust/index.ts';
import { AbilityEventHandler } from '../handlers/ability-event-handler.ts';
import type { AbilityPipelineDeps } from '../handlers/ability-pipeline.ts';
import { BackgroundRuns } from '../handlers/background-runs.ts';
import { describeThrown } from '../kit/index.ts';
import { within } from '../kit/node.ts';
import { AbilityPlanner } from '../planner/ability-planner.ts';
import { type HostConfig, harmless, type Logger } from '../protocol/host.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/settings.ts';
import type { HookRegistryDeps, TrustVerdict } from '../registry/registry.ts';
import { HookRunner, type HookRunnerDeps } from '../runners/hook-runner.ts';
import { readAbilityOutput } from './ability-output.ts';
import { configure, type IdentifiedFile, identify, type JudgedFile } from './configure.ts';
import { type HookFile, readHookFile } from './declaration/read-hook-file.ts';
import { type FoundHooks, findHooks } from './find-hooks.ts';
import { AbilityHookSet } from './hook-set.ts';
import { AbilityLog } from './log.ts';
import { logLineOf } from './log-line.ts';

export interface LoadAbilityHooksOptions extends Omit<AbilityPipelineDeps, 'onRun'>, HookRunnerDeps {
  /** The repository, where it cannot be told from the folder. Commands start there. */
  readonly root?: string | undefined;
  /** Says of all hooks that they are trusted, or not. Without it, and without `trustCheck`, those run that the user approved. */
  readonly trustedFolder?: boolean | undefined;
  /** The home directory whose approvals count. Default: that of this user. */
  readonly home?: string | undefined;
  /** Asked once about every hook; its answer counts, whatever `trustedFolder` says. */
  readonly trustCheck?: HookRegistryDeps['trustCheck'];
  /** Requests on it are answered, and whoever listens hears what goes on. */
  readonly bus?: Bus | undefined;
  /** Told to the hooks by variables of their environment. */
  readonly sessionId?: string | undefined;
  /** Variables that look like secrets, and are given to the hooks all the same. */
  readonly allowEnv?: readonly string[] | undefined;
  /** Where the end of each hook is noted. Default: `.system/logs/hooks.jsonl`. */
  readonly log?: AbilityLog | false | undefined;
}

/** How long files are read before somebody else gets a turn. */
const TURN_MS = 20;

const readAll = async ({ files, realDirectory }: FoundHooks): Promise<HookFile[]> => {
  const read: HookFile[] = [];
  let turn = performance.now();
  for (const file of files) {
    read.push(readHookFile(file, realDirectory));
    if (performance.now() - turn < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    turn = performance.now();
  }
  return read;
};

/** Decides about what one file declares, before any of it is run. */
class Judge {
  readonly #root: string;
  readonly #trustedFolder: boolean | undefined;
  readonly #trustCheck: HookRegistryDeps['trustCheck'];
  readonly #logger: Logger | undefined;

  constructor(root: string, options: LoadAbilityHooksOptions) {
    this.#root = root;
    this.#trustedFolder = options.trustedFolder;
    this.#logger = harmless(options.logger);
    const place = { home: options.home ?? homeDirectory(), projectDir: root };
    const onTrouble = (message: string): void => this.#logger?.warn?.(message);
    const isUndecided = options.trustCheck === undefined && options.trustedFolder === undefined;
    this.#trustCheck = isUndecided ? createTrustCheck({ ...place, onTrouble }) : options.trustCheck;
  }

  async judge({ file, hookId }: IdentifiedFile): Promise<TrustVerdict> {
    const { hook, realPath } = file;
    if (hook === undefined) return 'untrusted';
    const trustCheck = this.#trustCheck;
    // A link can bring in what nobody looked at when the folder was trusted.
    if (trustCheck === undefined) return this.#trustedFolder === true && within(this.#root, realPath) !== undefined;
    const { id: name, eventType: eventName, config, line, match, blocking, onFault } = hook;
    const source = { kind: ConfigSource.Project, file: file.file, line };
    const matcher = JSON.stringify({ match, blocking, onFault });
    try {
      return await trustCheck({ hookId, name, eventName, source, matcher, sequential: false, config });
    } catch (error) {
      this.#logger?.error?.(`The trust check failed for ${hookId}, which stays untrusted: ${describeThrown(error)}`);
      return 'untrusted';
    }
  }
}

const folderProblem = (directory: string, problem: string): ConfigProblem => ({
  code: 'unreadable-file',
  severity: 'error',
  skipped: true,
  path: '',
  source: ConfigSource.Project,
  message: `the folder ${problem}`,
  file: directory,
});

/**
 * Reads the ability hooks of a repository, or of a folder of declaration files. Never throws for bad content: what is
 * wrong is in `problems`, and one bad file hides no other. Nothing is executed.
 */
export const loadAbilityHooks = async (
  directory: string,
  options: LoadAbilityHooksOptions = {},
): Promise<AbilityHookSet> => {
  const found = await findHooks(directory, options.root);
  const { root } = found;
  const files = await readAll(found);
  const judge = new Judge(found.realRoot, options);
  const judged: JudgedFile[] = await Promise.all(
    identify(files).map(async (one) => ({ ...one, verdict: await judge.judge(one) })),
  );
  const { hooks, problems } = configure(judged);
  const logger = harmless(options.logger);
  const log =
    options.log === false
      ? undefined
      : (options.log ?? new AbilityLog({ root, onTrouble: (message) => logger?.warn?.(message) }));
  const host: HostConfig = {
    getSessionId: () => options.sessionId ?? '',
    getWorkingDir: () => root,
    getHooks: () => undefined,
    getAllowedEnv: () => options.allowEnv,
  };
  const planner = new AbilityPlanner(hooks);
  const parts = {
    planner,
    runner: new HookRunner(host, options, readAbilityOutput),
    background: new BackgroundRuns(new HookRunner(host, options, readAbilityOutput)),
  };
  const handler = new AbilityEventHandler(parts, options.bus, {
    ...options,
    onRun: (run) => log?.write(logLineOf(run)),
  });
  return new AbilityHookSet({
    root,
    directory: found.directory,
    configured: hooks,
    problems: found.problem === undefined ? problems : [folderProblem(found.directory, found.problem), ...problems],
    planner,
    handler,
    log,
    onFault: options.onFault ?? 'skip',
    inspect: async (config) => parts.runner.inspect(config),
  });
};
