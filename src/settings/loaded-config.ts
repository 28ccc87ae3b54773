/** A `Config` whose hooks come from settings files. */
import type { Bus } from '../bus/index.ts';
import { Config, type ConfigOptions, type HookDeps } from '../config.ts';
import type { HookSystem } from '../hook-system.ts';
import { isSameList } from '../kit/index.ts';
import {
  type ConfigProblem,
  ConfigSource,
  createPartLogger,
  type HooksByEvent,
  type HostExtension,
  type LostGuard,
  listHookTypes,
  type RowSource,
} from '../protocol/index.ts';
import type { CanaryRecord, HookReading, HookSource, TrustCheck } from '../registry/index.ts';
import { createCanaryStore, createTrustCheck, pauseProblems } from '../trust/index.ts';
import { type ApprovalComparison, compareWithApprovals, noApprovalComparison } from './approvals.ts';
import type { FilesSource, LookedAt, SettingsSnapshot } from './files-source.ts';

export interface LoadedConfigOptions
  extends Pick<
    ConfigOptions,
    'sessionId' | 'transcriptPath' | 'eventDir' | 'mode' | 'onConflict' | 'budgetMs' | 'bus' | 'deps' | 'runtimeHooks'
  > {
  /** Enables hooks even if no file has any. */
  readonly alwaysOn?: boolean | undefined;
}

/** Hooks are disabled while no file has an enabled hook. */
export class LoadedConfig extends Config {
  readonly #source: FilesSource;
  #alwaysOn: boolean;
  readonly #wantedBus: Bus | undefined;
  readonly #ownTrust: boolean;
  readonly #types: readonly string[];
  readonly #trustCheck: HookDeps['trustCheck'];
  readonly #warn: (message: string) => void;
  readonly #canaryRecord: CanaryRecord;
  #canaryProblems: readonly ConfigProblem[] = [];
  #snapshot: SettingsSnapshot;
  #judged: ApprovalComparison = noApprovalComparison;
  #isJustJudged = false;
  #made: HookSystem | undefined;

  constructor(source: FilesSource, snapshot: SettingsSnapshot, options: LoadedConfigOptions = {}) {
    const { bus, deps, alwaysOn, ...given } = options;
    const { home, projectDir, cwd, outer } = source;
    const warn = (message: string): void => createPartLogger(deps?.logger, 'config')?.warn?.(message);
    const trustCheck = deps?.trustCheck ?? createTrustCheck({ home, projectDir, cwd, outer, onTrouble: warn });
    super({ ...given, workingDir: source.cwd, deps: { ...deps, trustCheck } });
    this.#warn = warn;
    this.#trustCheck = trustCheck;
    this.#source = source;
    const onTrouble = (message: string): void => {
      const rest = { path: 'hooks', source: ConfigSource.User } as const;
      this.#canaryProblems = [{ code: 'unreadable-file', severity: 'error', skipped: false, message, ...rest }];
    };
    this.#canaryRecord = createCanaryStore({ home, projectDir, cwd, outer }, onTrouble);
    this.#types = listHookTypes(deps?.lanes);
    this.#snapshot = snapshot;
    this.#ownTrust = deps?.trustCheck === undefined;
    this.#alwaysOn = alwaysOn === true;
    this.#wantedBus = bus;
    this.#listen();
  }

  #listen(): void {
    if (this.#wantedBus !== undefined) this.getHookSystem();
  }

  override getHookSystem(bus?: Bus): HookSystem | undefined {
    this.#made = super.getHookSystem(this.#wantedBus ?? bus);
    return this.#made;
  }

  /** Enables hooks from now on, even if no file has any. */
  keepOn(): void {
    this.#alwaysOn = true;
  }

  /** For hook systems that are created without this configuration. */
  getTrustCheck(): HookDeps['trustCheck'] {
    return this.#trustCheck;
  }

  getCanaryRecord(): CanaryRecord {
    return this.#canaryRecord;
  }

  /** `undefined` before the first `getHookSystem`. */
  getMadeHookSystem(): HookSystem | undefined {
    return this.#made;
  }

  override getHooks(): HooksByEvent | undefined {
    return this.#snapshot.gathered.project;
  }

  override getUserHooks(): HooksByEvent | undefined {
    return this.#snapshot.gathered.user;
  }

  override getSystemHooks(): HooksByEvent | undefined {
    return this.#snapshot.gathered.system;
  }

  override getExtensions(): readonly HostExtension[] {
    return this.#snapshot.gathered.extensions;
  }

  /** @internal The hooks of the four methods above, by file. */
  getHookFiles(): readonly HookSource[] {
    return [{ load: (types, trustCheck) => this.#loadHooks(types, trustCheck) }];
  }

  /** An engine with another trust check or other hook types must judge the hooks itself. */
  async #loadHooks(types = listHookTypes(), trustCheck?: TrustCheck): Promise<HookReading> {
    if (this.#ownTrust && trustCheck === this.#trustCheck && isSameList(types, this.#types)) {
      if (!this.#isJustJudged && !this.#judged.isCurrent()) await this.lookAtTrust();
      this.#isJustJudged = false;
      const { reading, troubles } = this.#judged;
      for (const trouble of troubles) this.#warn(trouble);
      if (reading !== undefined) return reading;
    }
    const readings = await Promise.all(
      this.#snapshot.gathered.hookFiles.map((hookFile) => hookFile.load(types, trustCheck)),
    );
    return {
      hooks: readings.flatMap(({ hooks }) => hooks),
      problems: readings.flatMap(({ problems }) => problems),
    };
  }

  override getDisabledHooks(): readonly string[] {
    return this.#snapshot.gathered.disabled;
  }

  override getEnableHooks(): boolean {
    return (
      this.#alwaysOn || this.#snapshot.gathered.isOn || this.#judged.lost.length > 0 || this.getRequired().length > 0
    );
  }

  override getMessageBus(): Bus | undefined {
    return super.getMessageBus() ?? this.#wantedBus;
  }

  /** A project must not shorten the time of hooks of the user or the system. */
  override getBudgetMs(eventName: string, source?: ConfigSource): number | undefined {
    const { forAll, ofProject } = this.#snapshot.gathered.budgets;
    const budgetMs = super.getBudgetMs(eventName) ?? forAll.get(eventName);
    const isOwn = source === undefined || source === ConfigSource.Project || source === ConfigSource.Extensions;
    return budgetMs ?? (isOwn ? ofProject.get(eventName) : undefined);
  }

  getRequired(): readonly string[] {
    return [...this.#snapshot.gathered.required.keys()];
  }

  getRequiredSource(name: string): RowSource | undefined {
    return this.#snapshot.gathered.required.get(name);
  }

  /** The location of the journal of decisions; `undefined` if it is off. */
  getJournal(): { readonly home: string; readonly project: string } | undefined {
    return this.#snapshot.gathered.hasJournal ? { home: this.getHome(), project: this.getProjectDir() } : undefined;
  }

  getAllowedEnv(): readonly string[] {
    return this.#snapshot.gathered.allowedEnv;
  }

  getProjectEnv(): 'all' | 'listed' {
    return this.#snapshot.gathered.isEnvListed ? 'listed' : 'all';
  }

  /** The nearest parent directory with settings or a repository. */
  getProjectDir(): string {
    return this.#source.projectDir;
  }

  override getHome(): string {
    return this.#source.home;
  }

  getHooksOffUntil(): number | undefined {
    return this.#source.pauses.pause.until;
  }

  getProblems(): readonly ConfigProblem[] {
    const { problems } = this.#judged;
    return [...this.#snapshot.gathered.problems, ...this.#pauseProblems(), ...problems, ...this.#canaryProblems];
  }

  /** Does nothing if the host has its own trust check. */
  async lookAtTrust(): Promise<void> {
    this.#judged = await this.#judge(this.#snapshot);
  }

  async #judge(snapshot: SettingsSnapshot): Promise<ApprovalComparison> {
    if (!this.#ownTrust) return noApprovalComparison;
    const { home, projectDir, cwd, outer, isNamed } = this.#source;
    return compareWithApprovals({ home, projectDir, cwd, outer }, { ...snapshot, reportRemoved: !isNamed });
  }

  /** Reports hooks of other agents in the project that do not run. */
  getUnreadAgents(): Promise<readonly ConfigProblem[]> {
    return this.#source.unreadAgents(this.#snapshot);
  }

  getLostGuards(): readonly LostGuard[] {
    return this.#judged.lost;
  }

  /** The problems of files; the engine reports those of hooks. */
  getConfigProblems(): readonly ConfigProblem[] {
    const gone = this.#judged.problems.filter(({ code }) => code !== 'awaiting-approval');
    return [...this.#snapshot.gathered.fileProblems, ...this.#pauseProblems(), ...gone];
  }

  #pauseProblems(): readonly ConfigProblem[] {
    return pauseProblems(this.#source.home, this.#source.pauses.pause);
  }

  /** All files that were searched, and directories in which more may appear. */
  getFiles(): readonly LookedAt[] {
    return this.#snapshot.lookedAt;
  }

  async refreshHooks(): Promise<void> {
    const snapshot = await this.#source.look(this.#types);
    const isSame = snapshot === this.#snapshot && this.#judged.isCurrent();
    // Both are replaced at once: an engine that is created in between would load the hooks of the old snapshot.
    const judged = isSame ? this.#judged : await this.#judge(snapshot);
    this.#snapshot = snapshot;
    this.#judged = judged;
    this.#isJustJudged = true;
  }

  async reload(): Promise<void> {
    if (this.#made === undefined) await this.refreshHooks();
    else await this.#made.reload();
    this.#listen();
  }
}
