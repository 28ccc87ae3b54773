import type { Bus } from '../bus/index.ts';
import { Config, type ConfigOptions, type HookDeps } from '../config.ts';
import type { HookSystem } from '../hook-system.ts';
import { isSameList } from '../kit/index.ts';
import {
  type ConfigProblem,
  ConfigSource,
  type HooksByEvent,
  type HostExtension,
  hookTypesWith,
  type LostGuard,
  partLogger,
  type RowSource,
} from '../protocol/index.ts';
import type { CanaryRecord, HookReading, HookSource, TrustCheck } from '../registry/index.ts';
import { canaryStore, createTrustCheck, pauseProblems } from '../trust/index.ts';
import { type JudgedFiles, judgeFiles, notJudged } from './approvals.ts';
import type { FilesSource, LookedAt, SourceSnapshot } from './files-source.ts';

export interface LoadedConfigOptions
  extends Pick<
    ConfigOptions,
    'sessionId' | 'transcriptPath' | 'eventDir' | 'mode' | 'onConflict' | 'budgetMs' | 'bus' | 'deps' | 'runtimeHooks'
  > {
  /** True when there is to be a hook system also while no file brings hooks. */
  readonly alwaysOn?: boolean | undefined;
}

/**
 * A configuration whose hooks come from settings files. `reload()`, and that of its hook system, read the files again.
 * Hooks are off as long as no file brings any that are on.
 */
export class LoadedConfig extends Config {
  readonly #source: FilesSource;
  #alwaysOn: boolean;
  readonly #wantedBus: Bus | undefined;
  readonly #ownTrust: boolean;
  /** Those that hooks may have. */
  readonly #types: readonly string[];
  readonly #trustCheck: HookDeps['trustCheck'];
  readonly #warn: (message: string) => void;
  readonly #canaryRecord: CanaryRecord;
  /** Why what canaries came to before does not count. */
  #canaryProblems: readonly ConfigProblem[] = [];
  #look: SourceSnapshot;
  #judged: JudgedFiles = notJudged;
  /** Whether the files were judged for the load that follows. */
  #isJustJudged = false;
  #made: HookSystem | undefined;

  constructor(source: FilesSource, look: SourceSnapshot, options: LoadedConfigOptions = {}) {
    const { bus, deps, alwaysOn, ...given } = options;
    const { home, projectDir, cwd, outer } = source;
    const warn = (message: string): void => partLogger(deps?.logger, 'config')?.warn?.(message);
    const trustCheck = deps?.trustCheck ?? createTrustCheck({ home, projectDir, cwd, outer, onTrouble: warn });
    super({ ...given, workingDir: source.cwd, deps: { ...deps, trustCheck } });
    this.#warn = warn;
    this.#trustCheck = trustCheck;
    this.#source = source;
    const onTrouble = (message: string): void => {
      const rest = { path: 'hooks', source: ConfigSource.User } as const;
      this.#canaryProblems = [{ code: 'unreadable-file', severity: 'error', skipped: false, message, ...rest }];
    };
    this.#canaryRecord = canaryStore({ home, projectDir, cwd, outer, onTrouble });
    this.#types = hookTypesWith(deps?.lanes);
    this.#look = look;
    this.#ownTrust = deps?.trustCheck === undefined;
    this.#alwaysOn = alwaysOn === true;
    this.#wantedBus = bus;
    this.#listen();
  }

  /** With a bus the system is made as soon as there is something for it to do. */
  #listen(): void {
    if (this.#wantedBus !== undefined) this.getHookSystem();
  }

  override getHookSystem(bus?: Bus): HookSystem | undefined {
    this.#made = super.getHookSystem(this.#wantedBus ?? bus);
    return this.#made;
  }

  /** From now on there is a hook system whether or not files bring hooks. */
  keepOn(): void {
    this.#alwaysOn = true;
  }

  /** A hook system that a host makes of it without this class trusts the same hooks. */
  getTrustCheck(): HookDeps['trustCheck'] {
    return this.#trustCheck;
  }

  /** What canaries of these hooks came to in earlier processes. */
  getCanaryRecord(): CanaryRecord {
    return this.#canaryRecord;
  }

  /** The hook system once it was requested; the first request decides about its bus. */
  getMadeHookSystem(): HookSystem | undefined {
    return this.#made;
  }

  override getHooks(): HooksByEvent | undefined {
    return this.#look.gathered.project;
  }

  override getUserHooks(): HooksByEvent | undefined {
    return this.#look.gathered.user;
  }

  override getSystemHooks(): HooksByEvent | undefined {
    return this.#look.gathered.system;
  }

  override getExtensions(): readonly HostExtension[] {
    return this.#look.gathered.extensions;
  }

  /** @internal What the four above say is read here, file by file. */
  getHookFiles(): readonly HookSource[] {
    return [{ load: (types, trustCheck) => this.#loadHooks(types, trustCheck) }];
  }

  /** An engine with a trust check or with types of hooks of its own gets the hooks unjudged. */
  async #loadHooks(types = hookTypesWith(), trustCheck?: TrustCheck): Promise<HookReading> {
    if (this.#ownTrust && trustCheck === this.#trustCheck && isSameList(types, this.#types)) {
      if (!this.#isJustJudged && !this.#judged.isCurrent()) await this.lookAtTrust();
      this.#isJustJudged = false;
      const { reading, troubles } = this.#judged;
      for (const trouble of troubles) this.#warn(trouble);
      if (reading !== undefined) return reading;
    }
    const readings = await Promise.all(this.#look.gathered.shares.map((share) => share.load(types, trustCheck)));
    return {
      hooks: readings.flatMap(({ hooks }) => hooks),
      problems: readings.flatMap(({ problems }) => problems),
    };
  }

  override getDisabledHooks(): readonly string[] {
    return this.#look.gathered.disabled;
  }

  override getEnableHooks(): boolean {
    return this.#alwaysOn || this.#look.gathered.isOn || this.#judged.lost.length > 0 || this.getRequired().length > 0;
  }

  override getMessageBus(): Bus | undefined {
    return super.getMessageBus() ?? this.#wantedBus;
  }

  /** A project's word is for its own hooks: it does not end what the user or the system set up. */
  override getBudgetMs(eventName: string, source?: ConfigSource): number | undefined {
    const { forAll, ofProject } = this.#look.gathered.budgets;
    const said = super.getBudgetMs(eventName) ?? forAll.get(eventName);
    const isOwn = source === undefined || source === ConfigSource.Project || source === ConfigSource.Extensions;
    return said ?? (isOwn ? ofProject.get(eventName) : undefined);
  }

  getRequired(): readonly string[] {
    return [...this.#look.gathered.required.keys()];
  }

  getRequiredSource(name: string): RowSource | undefined {
    return this.#look.gathered.required.get(name);
  }

  /** Where decisions are kept; `undefined` if that is switched off. */
  getJournal(): { readonly home: string; readonly project: string } | undefined {
    return this.#look.gathered.hasJournal ? { home: this.getHome(), project: this.getProjectDir() } : undefined;
  }

  getAllowedEnv(): readonly string[] {
    return this.#look.gathered.allowedEnv;
  }

  getProjectEnv(): 'all' | 'listed' {
    return this.#look.gathered.isEnvListed ? 'listed' : 'all';
  }

  /** Where the project begins: the directory that has the settings or the repository. */
  getProjectDir(): string {
    return this.#source.projectDir;
  }

  /** The home directory whose settings and approvals count. */
  override getHome(): string {
    return this.#source.home;
  }

  getHooksOffUntil(): number | undefined {
    return this.#source.pauses.pause.until;
  }

  /** What is wrong with the files and with the hooks in them, in the order of the files. */
  getProblems(): readonly ConfigProblem[] {
    const { problems } = this.#judged;
    return [...this.#look.gathered.problems, ...this.#pauseProblems(), ...problems, ...this.#canaryProblems];
  }

  /** Which hooks wait for an approval, and which approved ones are gone. A host that decides by itself is not asked. */
  async lookAtTrust(): Promise<void> {
    if (!this.#ownTrust) return;
    const { home, projectDir, cwd, outer, isNamed } = this.#source;
    this.#judged = await judgeFiles({ home, projectDir, cwd, outer }, { ...this.#look, reportRemoved: !isNamed });
  }

  /** Hooks of other agents that lie in the project and do not run. */
  getUnreadAgents(): Promise<readonly ConfigProblem[]> {
    return this.#source.unreadAgents(this.#look);
  }

  getLostGuards(): readonly LostGuard[] {
    return this.#judged.lost;
  }

  /** The same without the hooks: the engine reports those itself. */
  getConfigProblems(): readonly ConfigProblem[] {
    const gone = this.#judged.problems.filter(({ code }) => code !== 'awaiting-approval');
    return [...this.#look.gathered.fileProblems, ...this.#pauseProblems(), ...gone];
  }

  #pauseProblems(): readonly ConfigProblem[] {
    return pauseProblems(this.#source.home, this.#source.pauses.pause);
  }

  /** Every file that was looked at, there or not, and directories in which more may appear: what a watcher watches. */
  getFiles(): readonly LookedAt[] {
    return this.#look.lookedAt;
  }

  /** Called by the engine when it reloads. */
  async refreshHooks(): Promise<void> {
    const look = await this.#source.look(this.#types);
    const isSame = look === this.#look && this.#judged.isCurrent();
    this.#look = look;
    if (!isSame) await this.lookAtTrust();
    this.#isJustJudged = true;
  }

  /** Reads the files again. Hooks that appear where there were none before are live from then on. */
  async reload(): Promise<void> {
    if (this.#made === undefined) await this.refreshHooks();
    else await this.#made.reload();
    this.#listen();
  }
}
