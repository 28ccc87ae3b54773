/** Reloads a configuration when its files, approvals, pauses or approved scripts change. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { HookSystem } from '../../hook-system.ts';
import { describeThrown } from '../../kit/index.ts';
import { toPathWithin } from '../../kit/node.ts';
import { type ConfigProblem, ConfigSource, createPartLogger, getOrigin } from '../../protocol/index.ts';
import { type ConfiguredHook, findHookChanges, type HookChanges } from '../../registry/index.ts';
import { describeHookSubject, getPauseFilePath, TrustStore } from '../../trust/index.ts';
import type { LoadedConfig } from '../loaded-config.ts';
import { type FollowedPath, PathFollower } from './follow-paths.ts';

export interface WatchConfigOptions {
  /** Called after every reload with the ids of changed hooks, as `hooks-reloaded` on the bus. */
  readonly onReload?: ((changes: HookChanges) => void) | undefined;
  /** Called for every new problem and for a failed reload. */
  readonly onProblem?: ((problem: ConfigProblem) => void) | undefined;
  /** Milliseconds to wait for further changes. Default: 100. */
  readonly debounceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_DEBOUNCE_MS = 100;

const toProblemKey = ({ file, line, path, message }: ConfigProblem): string =>
  JSON.stringify([file, line, path, message]);

const toContentKey = (config: LoadedConfig): string =>
  JSON.stringify([
    [config.getHooks(), config.getUserHooks(), config.getSystemHooks(), config.getExtensions()],
    [config.getDisabledHooks(), config.getAllowedEnv(), config.getProjectEnv(), config.getEnableHooks()],
    config.getProblems().map(toProblemKey),
  ]);

export class ConfigWatcher {
  readonly #config: LoadedConfig;
  readonly #options: WatchConfigOptions;
  readonly #follower: PathFollower;
  #known: ReadonlySet<string>;

  constructor(config: LoadedConfig, options: WatchConfigOptions) {
    this.#config = config;
    this.#options = options;
    this.#known = new Set(config.getProblems().map(toProblemKey));
    this.#follower = new PathFollower({
      paths: () => this.#paths(),
      onChange: () => this.#reload(),
      debounceMs: options.debounceMs ?? DEFAULT_DEBOUNCE_MS,
    });
  }

  /** Also notices changes since the configuration was loaded. */
  async start(): Promise<void> {
    const before = toContentKey(this.#config);
    await this.#follower.start();
    await this.#config.refreshHooks();
    if (toContentKey(this.#config) !== before) await this.#reload();
  }

  close(): Promise<void> {
    return this.#follower.close();
  }

  #paths(): FollowedPath[] {
    const system = this.#config.getMadeHookSystem();
    const covered = system === undefined ? [] : listCoveredPaths(this.#config, system);
    const { file: approvals } = new TrustStore(this.#config.getHome());
    const files = [approvals, getPauseFilePath(this.#config.getHome())].map(
      (path) => ({ path, kind: 'file' }) as const,
    );
    return [...this.#config.getFiles(), ...files, ...covered];
  }

  #hooks(): readonly ConfiguredHook[] {
    const system = this.#config.getMadeHookSystem();
    return system?.isInitialized() ? system.getRegistry().getConfiguredHooks() : [];
  }

  async #reload(): Promise<void> {
    const before = this.#hooks();
    try {
      await this.#config.reload();
    } catch (error) {
      const message = `the settings could not be read again, so the hooks stay as they were: ${describeThrown(error)}`;
      this.#report({
        code: 'reload-failed',
        severity: 'error',
        skipped: true,
        path: '',
        source: ConfigSource.Project,
        message,
      });
      return;
    }
    const problems = this.#config.getProblems();
    const fresh = problems.filter((problem) => !this.#known.has(toProblemKey(problem)));
    this.#known = new Set(problems.map(toProblemKey));
    for (const problem of fresh) this.#report(problem);
    this.#call(() => this.#options.onReload?.(findHookChanges(before, this.#hooks())));
  }

  #report(problem: ConfigProblem): void {
    this.#call(() => this.#options.onProblem?.(problem));
  }

  /** An exception of a listener must not end the watcher or the host. */
  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      const logger = createPartLogger(this.#config.getDeps().logger, 'config');
      logger?.error?.(`A listener of watchConfig threw: ${describeThrown(error)}`);
    }
  }
}

/** An approval covers the scripts that a hook names, and all files in all directories of a plugin. */
const listCoveredPaths = (config: LoadedConfig, system: HookSystem): FollowedPath[] => {
  if (!system.isInitialized()) return [];
  const where = { projectDir: config.getProjectDir(), cwd: config.getWorkingDir() };
  const paths = new Map<string, FollowedPath>();
  for (const hook of system.getRegistry().getConfiguredHooks()) {
    if (hook.config === undefined || hook.source.file === undefined || hook.skipReasons.includes('untrusted')) continue;
    const { hookId, name, eventName, source, matcher, sequential } = hook;
    const question = { hookId, name, eventName, source, sequential, config: hook.config };
    const { files, roots } = describeHookSubject(matcher === undefined ? question : { ...question, matcher }, where);
    const plugin = getOrigin(hook.config)?.dialect?.plugin;
    for (const { path: named, runs } of files) {
      const path = resolve(named);
      const isThere = runs || existsSync(path);
      if (!isThere || !roots.some(({ directory }) => toPathWithin(directory, path) !== undefined)) continue;
      paths.set(path, { path, kind: 'file' });
      if (plugin === undefined) continue;
      for (let at = dirname(path); !paths.has(at) && toPathWithin(plugin.root, at) !== undefined; at = dirname(at))
        paths.set(at, { path: at, kind: 'directory' });
    }
  }
  return [...paths.values()];
};
