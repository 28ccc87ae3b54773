// Loads the ability hooks of a repository: finds, reads and judges declarations, and creates the hook set.
import type { Bus } from '../bus/index.ts';
import { HookwrightError } from '../errors.ts';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { AbilityEventHandler, type AbilityEventHandlerDeps } from '../handlers/index.ts';
import { createSlicer, omitUndefined } from '../kit/index.ts';
import { findHomeDirectory } from '../kit/node.ts';
import type { AbilityHookResult } from '../merging/index.ts';
import { AbilityPlanner, type ConfiguredAbilityHook } from '../planner/index.ts';
import {
  AbilityCode,
  createPartLogger,
  getHookKey,
  getOrigin,
  type HookSignal,
  type HostConfig,
  type Logger,
  readHookResult,
  systemClock,
  toHookEnding,
  withOrigin,
} from '../protocol/index.ts';
import { findMissingGuards, formatMissingGuard, type HookRegistryDeps, PauseFollower } from '../registry/index.ts';
import { HookRunner, type HookRunnerDeps } from '../runners/index.ts';
import { type OutputReader, parseAbilityOutput } from '../runners/process-api.ts';
import { readEnvironmentPolicy } from '../settings/index.ts';
import { PauseSwitch, pauseProblems } from '../trust/index.ts';
import { AbilityLog, type LogEntry } from './ability-log.ts';
import { type ConfiguredAbilities, configureAbilities } from './configure.ts';
import { type AbilityHookFile, readHookFile } from './declaration/read-hook-file.ts';
import { type FoundHooks, findHooks } from './find-hooks.ts';
import { DeclarationJudge } from './guarding/judge-files.ts';
import { NewGuards } from './guarding/new-guards.ts';
import { reportUnreadDeclarations } from './guarding/unread-declarations.ts';
import { AbilityHookSet } from './hook-set.ts';

export interface LoadAbilityHooksOptions extends Omit<AbilityEventHandlerDeps, 'onRun'>, HookRunnerDeps {
  /** The repository, in which commands start, if it cannot be derived from the folder. */
  readonly root?: string | undefined;
  /** Trusts all hooks, or none. By default `trustCheck` decides, or else the user's approvals. */
  readonly trustedFolder?: boolean | undefined;
  readonly home?: string | undefined;
  readonly trustCheck?: HookRegistryDeps['trustCheck'];
  readonly bus?: Bus | undefined;
  readonly sessionId?: string | undefined;
  /** Secret-looking variables that hooks get nevertheless. */
  readonly allowEnv?: readonly string[] | undefined;
  /** Ids of hooks that need not be able to run. While any other hook cannot run, all calls are refused. */
  readonly without?: readonly string[] | undefined;
  /** Ids of guards: loading rejects if one is missing, disabled, not approved or not blocking. */
  readonly require?: readonly string[] | undefined;
  /** Receives one line per hook that ended; `false` for none. Default: `.system/logs/hooks.jsonl`. */
  readonly log?: AbilityLog | false | undefined;
}

const readHookFiles = async ({ files, realRoot }: FoundHooks): Promise<AbilityHookFile[]> => {
  const read: AbilityHookFile[] = [];
  const waitIfSliceOver = createSlicer();
  for (const file of files) {
    read.push(readHookFile(file, realRoot));
    await waitIfSliceOver();
  }
  return read;
};

const createPauseReader = (home: string, logger: Logger | undefined) => {
  const pauses = new PauseSwitch(home);
  const follower = new PauseFollower(() => pauses.pause.until, logger);
  const offUntil = (): number | undefined => {
    follower.update(systemClock);
    return follower.until;
  };
  return { offUntil, pauseProblems: () => pauseProblems(home, pauses.pause) };
};

/** Approved guards of a parent project apply to all repositories below it and run in the parent. */
const loadParentGuards = async (projectDir: string, options: LoadAbilityHooksOptions): Promise<ConfiguredAbilities> => {
  const found = await findHooks(projectDir);
  const judge = new DeclarationJudge(found.realRoot, options);
  const forms = await judge.approvedDeclarations(found.files);
  const files = (await readHookFiles(found)).filter(({ file, id }) => forms?.isGuard(file, id) === true);
  const judged = await judge.judgeAll(files, forms);
  for (const { hook } of files) {
    if (hook === undefined) continue;
    const origin = getOrigin(hook.config);
    if (origin !== undefined) withOrigin(hook.config, { ...origin, projectDir });
  }
  const configured = configureAbilities(judged, options);
  const unread = reportUnreadDeclarations(found, forms, { trustsFolder: false, onFault: options.onFault });
  const serious = unread.problems.filter(({ code, severity }) => code === 'removed' || severity === 'error');
  return { hooks: [...configured.hooks, ...unread.hooks], problems: [...configured.problems, ...serious] };
};

const expectRequiredGuards = (required: readonly string[], hooks: readonly ConfiguredAbilityHook[]): void => {
  const nonBlocking = required.filter((name) =>
    hooks.some(({ name: other, hook }) => other === name && hook?.blocking === false),
  );
  const gaps = [
    ...findMissingGuards(required, hooks),
    ...nonBlocking.map((name) => ({ name, why: 'it has "blocking": false, so no call waits for it' })),
  ];
  if (gaps.length === 0) return;
  const details = { notice: 'required-guard-missing', required };
  throw new HookwrightError('invalid_config', gaps.map(formatMissingGuard).join('; '), { details });
};

/**
 * Reads the ability hooks of a repository, or of a folder of declaration files. Mistakes in files are in `problems` and
 * affect no other file. Runs nothing.
 */
export const loadAbilityHooks = async (
  directory: string,
  options: LoadAbilityHooksOptions = {},
): Promise<AbilityHookSet> => {
  const found = await findHooks(directory, options.root);
  const { root } = found;
  const files = await readHookFiles(found);
  const logger = createPartLogger(options.logger, 'abilities');
  const judge = new DeclarationJudge(found.realRoot, { ...options, logger });
  const forms = await judge.approvedDeclarations(found.files);
  const configured = configureAbilities(await judge.judgeAll(files, forms), options);
  const unread = reportUnreadDeclarations(found, forms, { trustsFolder: judge.trustsFolder, onFault: options.onFault });
  const above = await Promise.all((await judge.guardedAbove()).map((outer) => loadParentGuards(outer, options)));
  const parts = [configured, unread, ...above];
  const hooks = parts.flatMap((part) => part.hooks);
  const problems = parts.flatMap((part) => part.problems);
  expectRequiredGuards(options.require ?? [], hooks);
  const log =
    options.log === false
      ? undefined
      : (options.log ?? new AbilityLog({ root, onTrouble: (message) => logger?.warn?.(message) }));
  const home = options.home ?? findHomeDirectory();
  const { allowedEnv, isEnvListed } = await readEnvironmentPolicy(home, root);
  const host: HostConfig = {
    getSessionId: () => options.sessionId ?? '',
    getWorkingDir: () => root,
    getHooks: () => undefined,
    getAllowedEnv: () => [...allowedEnv, ...(options.allowEnv ?? [])],
    getProjectEnv: () => (isEnvListed ? 'listed' : 'all'),
  };
  const pause = createPauseReader(home, logger);
  const planner = new AbilityPlanner(hooks, pause.offUntil);
  const engine = {
    planner,
    runner: new HookRunner(host, options, readAbilityOutput),
    backgroundRunner: new HookRunner(host, options, readAbilityOutput),
  };
  const handler = new AbilityEventHandler(engine, options.bus, {
    ...options,
    onRun: (run) => log?.write(toLogEntry(run)),
  });
  const newGuards = new NewGuards(
    found,
    hooks.flatMap(({ hook }) => hook ?? []),
    logger,
  );
  return new AbilityHookSet({
    newGuards,
    root,
    directory: found.directory,
    configured: hooks,
    problems,
    planner,
    handler,
    log,
    onFault: options.onFault ?? 'skip',
    without: options.without ?? [],
    inspect: async (config) => engine.runner.inspect(config),
    pauseProblems: pause.pauseProblems,
  });
};

export const readAbilityOutput: OutputReader = (end, hook, eventType) => {
  const signals = isAbilityEventType(eventType) ? abilityCatalogue[eventType].signals : {};
  return parseAbilityOutput(end, { eventType, hookId: getHookKey(hook), signals });
};

const needsHuman = ({ code, payload }: HookSignal): boolean =>
  code === AbilityCode.RequiresHuman || (code === AbilityCode.Denied && payload.require_human === true);

const isDenial = (signal: HookSignal): boolean =>
  !needsHuman(signal) && (signal.code === AbilityCode.Denied || signal.code === AbilityCode.Unavailable);

const readReason = ({ payload }: HookSignal): string =>
  typeof payload.reason === 'string' ? payload.reason : 'No reason provided';

const undefinedIfEmpty = <T>(list: readonly T[] = []): readonly T[] | undefined =>
  list.length === 0 ? undefined : list;

const toLogEntry = ({
  eventType,
  hookId,
  blocking,
  onFault,
  result,
}: AbilityHookResult & { readonly eventType: string }): LogEntry => {
  const { code, error, output, duration, warnings } = result;
  const { hook_signals: signals = [], logs } = readHookResult(output);
  // Signals of background hooks come too late to decide anything.
  const deciding = blocking ? signals : [];
  return omitUndefined({
    hook_id: hookId,
    event_type: eventType,
    status: code === undefined ? 'success' : 'failure',
    outcome: toHookEnding(result).kind,
    duration_ms: Math.round(duration * 1_000) / 1_000,
    blocking,
    ...(code === undefined ? {} : { code, error: error?.message, on_fault: blocking ? onFault : undefined }),
    denied: undefinedIfEmpty(deciding.filter(isDenial).map(readReason)),
    requires_human: undefinedIfEmpty(deciding.filter(needsHuman).map(readReason)),
    ignored_signals: blocking || signals.length === 0 ? undefined : signals.length,
    logs: undefinedIfEmpty(logs),
    warnings: undefinedIfEmpty(warnings),
  });
};
