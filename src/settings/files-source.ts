/** Finds and reads all settings files for a working directory; unchanged files give the same snapshot. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { AgentEntries, LastTexts, VariablesByAgent } from '../agents/engine-api.ts';
import type { DialectOptions, DialectsOption, ToolsOption } from '../agents/index.ts';
import { isSameList } from '../kit/index.ts';
import { findHomeDirectory } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/index.ts';
import { createProjectProgramFinder, PauseSwitch, type ProjectProgramFinder, TrustStore } from '../trust/index.ts';
import { type FindFilesOptions, findProjectDirectory, findSettingsFiles, type SettingsPaths } from './find-files.ts';
import {
  type AgentHookFiles,
  findAgentProjectMarkers,
  isEveryAgentOff,
  readAgentHookFiles,
  readAgentsInSettings,
} from './reading/agent-hook-files.ts';
import { type CombinedSettings, combineFiles } from './reading/combine-files.ts';
import { type FoundFile, SettingsFileReader } from './reading/file-reader.ts';
import type { ConfigFile, GuardFile } from './source-file.ts';

export interface FilesSourceOptions {
  /** The agent's working directory; project settings are searched from here upwards. Default: that of the process. */
  readonly cwd?: string | undefined;
  readonly home?: string | undefined;
  /** Reads only these files; paths are relative to `cwd`. */
  readonly files?: readonly ConfigFile[] | undefined;
  /** Variables that settings may use. Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Other agents whose hooks also run, such as `{'claude-code': true}`; overrides the user's settings, and `false`
   * leaves an agent out.
   */
  readonly agents?: DialectsOption | undefined;
  /** @deprecated Write `agents`. */
  readonly dialects?: DialectsOption | undefined;
  /** The agent that starts hookwright. Its hooks are left out, because the agent runs them itself. */
  readonly askedBy?: string | undefined;
  /** The host's tool names: an agent with the same names, or a record from names to kinds. */
  readonly tools?: ToolsOption | undefined;
}

/** A file or directory that loading looked for. */
export interface LookedAt {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  readonly exists?: boolean;
}

export interface SettingsSnapshot {
  readonly gathered: CombinedSettings;
  readonly lookedAt: readonly LookedAt[];
  readonly guarded: readonly GuardFile[];
  readonly namedAgents: readonly string[];
}

const toGuardFile = ({ file, exists, document, hasText }: FoundFile): GuardFile => {
  if (document === undefined || hasText) return { file, exists };
  const { line = 1, message = 'it cannot be read' } =
    document.problems.find(({ severity }) => severity === 'error') ?? {};
  return { file, exists, unread: { line, message } };
};

interface LastSnapshot {
  /** If these inputs are the same at the next reading, the snapshot is reused. */
  readonly basis: readonly (string | undefined)[];
  readonly programs: ProjectProgramFinder;
  readonly snapshot: SettingsSnapshot;
}

const noAgentHookFiles: AgentHookFiles = { hookFiles: [], problems: [], paths: [], guarded: [], offInProject: [] };

const toWatchedPath = (path: string): LookedAt =>
  basename(path).includes('*') ? { path: dirname(path), kind: 'directory' } : { path, kind: 'file' };

export class FilesSource {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  readonly outer: readonly string[];
  readonly pauses: PauseSwitch;
  readonly #isHome: boolean;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #named: readonly ConfigFile[] | undefined;
  readonly #dialects: DialectsOption | undefined;
  readonly #tools: ToolsOption | undefined;
  readonly #askedBy: string | undefined;
  readonly #reader: SettingsFileReader;
  readonly #memory: VariablesByAgent = new Map();
  readonly #lastTexts: LastTexts = new Map();
  #last: LastSnapshot | undefined;

  private constructor(
    place: Pick<FindFilesOptions, 'cwd' | 'home' | 'projectDir' | 'isHome' | 'outer'>,
    reader: SettingsFileReader,
    { files, env, agents, dialects, tools, askedBy }: FilesSourceOptions,
  ) {
    this.projectDir = place.projectDir;
    this.cwd = place.cwd;
    this.home = place.home;
    this.outer = place.outer;
    this.pauses = new PauseSwitch(place.home);
    this.#isHome = place.isHome;
    this.#reader = reader;
    this.#env = env ?? process.env;
    this.#named = files;
    const wanted = { ...dialects, ...agents };
    this.#dialects = askedBy === undefined ? wanted : { ...wanted, [askedBy]: false };
    this.#askedBy = askedBy;
    this.#tools = tools;
  }

  static async for(options: FilesSourceOptions): Promise<FilesSource> {
    const cwd = resolve(options.cwd ?? process.cwd());
    const home = resolve(options.home ?? findHomeDirectory());
    // `cwd` often has its symbolic links resolved, the home directory not.
    const homes = [home, await realpath(home).catch(() => home)];
    const reader = new SettingsFileReader();
    const at = (projectDir: string, outer: readonly string[] = []): FilesSource =>
      new FilesSource({ cwd, home, projectDir, isHome: homes.includes(projectDir), outer }, reader, options);
    // The project directory depends on which agents' files mark it, so the user's choice of agents is read first.
    const marks = await findAgentProjectMarkers(await at(cwd).#wantedAgents(), options.askedBy);
    const projectDir = await findProjectDirectory(cwd, homes, marks);
    return at(projectDir, options.files === undefined ? await new TrustStore(home).guardedAbove(projectDir) : []);
  }

  get isNamed(): boolean {
    return this.#named !== undefined;
  }

  async look(types?: readonly string[]): Promise<SettingsSnapshot> {
    this.pauses.refresh();
    const { files: all, directories, problems } = this.#find();
    this.#reader.forgetAllBut(all);
    const read = await Promise.all(all.map((file) => this.#reader.read(file, this.home)));
    const basis = [
      ...[process.env, this.#env].flatMap((env) => [...Object.keys(env), ...Object.values(env), undefined]),
      ...read.flatMap((one) => one.basis),
      ...problems.map(({ message }) => message),
      types?.join(),
    ];
    const last = this.#last;
    if (last !== undefined && isSameList(last.basis, basis) && last.programs.isCurrent()) return last.snapshot;
    const dialects = { ...(await readAgentsInSettings(read)), ...this.#dialects };
    const programs = createProjectProgramFinder(this);
    const { cwd, home, projectDir } = this;
    const options = { dialects, tools: this.#tools, askedBy: this.#askedBy };
    const env = this.#env;
    const place = { cwd, home, projectDir, env, programInProject: programs.find, lastTexts: this.#lastTexts, types };
    // Hooks of other agents may depend on files that are not in `basis`, so a snapshot with such hooks is not reused.
    let isOurs = isEveryAgentOff(dialects, this.#askedBy);
    const others = isOurs ? noAgentHookFiles : await readAgentHookFiles(options, place, this.#memory);
    // A file read by an agent's rules is not read as settings of hookwright too.
    const found = read.filter(({ file: { path } }) => !others.paths.includes(path));
    const loadAgents = () => {
      isOurs = false;
      return this.#agentEntries({ dialects, tools: this.#tools });
    };
    const preparation = { env, projectDir, loadAgents, programInProject: programs.find, types };
    const gathered = await combineFiles(found, preparation, [...problems, ...others.problems], others.hookFiles);
    const snapshot: SettingsSnapshot = {
      gathered: { ...gathered, offInProject: [...gathered.offInProject, ...others.offInProject] },
      guarded: [...found.map(toGuardFile), ...others.guarded],
      namedAgents: Object.keys(dialects),
      lookedAt: [
        ...found.map(({ file: { path }, exists }) => ({ path, kind: 'file', exists }) as const),
        ...others.paths.map(toWatchedPath),
        ...directories.map((path) => ({ path, kind: 'directory' }) as const),
      ],
    };
    this.#last = isOurs ? { basis, programs, snapshot } : undefined;
    return snapshot;
  }

  /** Other agents' hooks are reported only in a project without hooks of its own. */
  async unreadAgents({ gathered, namedAgents }: SettingsSnapshot): Promise<ConfigProblem[]> {
    const { projectDir } = this;
    const hasOwn = gathered.hookFiles.some(({ rows }) =>
      rows.some(({ source }) => source.kind === ConfigSource.Project),
    );
    if (this.#isHome || this.isNamed || hasOwn) return [];
    const { findAgentsInProject } = await import('./agent-files.ts');
    const unread = findAgentsInProject(projectDir).filter(({ name }) => !namedAgents.includes(name));
    return unread.map(({ name, title, file }) => {
      const hint = `add agents: {'${name}': true}, or false to leave them out`;
      const message = `hooks of ${title} are here and do not run; ${hint}`;
      const what = { code: 'not-loaded', severity: 'warning', skipped: true, path: 'hooks' } as const;
      return { ...what, source: ConfigSource.Project, file, message, hint };
    });
  }

  async #wantedAgents(): Promise<DialectsOption> {
    const { files } = this.#find();
    const speaking = files.filter(({ scope }) => scope === 'user' || scope === 'system');
    const found = await Promise.all(speaking.map((file) => this.#reader.read(file, this.home)));
    return { ...(await readAgentsInSettings(found)), ...this.#dialects };
  }

  async #agentEntries(options: DialectOptions): Promise<AgentEntries> {
    const { AgentEntries, toPlatform } = await import('../agents/engine-api.ts');
    const { cwd, home, projectDir } = this;
    const place = { cwd, home, projectDir, env: this.#env, platform: toPlatform(process.platform) };
    return new AgentEntries(options, place, this.#memory);
  }

  #find(): SettingsPaths {
    const { cwd, home, projectDir, outer } = this;
    return findSettingsFiles(
      { cwd, home, projectDir, outer, isHome: this.#isHome, env: this.#env, platform: process.platform },
      this.#named,
    );
  }
}
