import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { AgentEntries, AgentMemory, LastTexts } from '../agents/engine-api.ts';
import type { DialectOptions, DialectsOption, ToolsOption } from '../agents/index.ts';
import { isSameList } from '../kit/index.ts';
import { homeDirectory } from '../kit/node.ts';
import { type ConfigProblem, ConfigSource } from '../protocol/index.ts';
import { PauseSwitch, type ProgramsInProject, programsInProject, TrustStore } from '../trust/index.ts';
import { findFiles, findProjectDirectory, type SettingsPaths } from './find-files.ts';
import {
  type DialectShares,
  dialectMarks,
  dialectShares,
  dialectWishes,
  wantsNoDialect,
} from './reading/dialect-shares.ts';
import { FileReader, type FoundFile } from './reading/file-reader.ts';
import { type Gathered, gather, type ProgramInProject } from './reading/gather.ts';
import type { ConfigFile, GuardedFile } from './source-file.ts';

export interface FilesSourceOptions {
  /** Where the agent works: settings of the project are looked for here and above. */
  readonly cwd?: string | undefined;
  /** The home directory of the user. */
  readonly home?: string | undefined;
  /** Exactly these files, in place of those that are looked for; paths are relative to `cwd`. */
  readonly files?: readonly ConfigFile[] | undefined;
  /** Variables that settings may name; the environment of the process when left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Other agents whose hooks run here as well: `{'claude-code': true}`, or `{version?, mode?}` in place of `true`. It counts
   * more than what the settings of the user say of an agent; `false` leaves its hooks out.
   */
  readonly agents?: DialectsOption | undefined;
  /** @deprecated Write `agents`. */
  readonly dialects?: DialectsOption | undefined;
  /** The agent that asks, where it is another one: it runs by itself what stands in its own files, and in those of others that it always reads. */
  readonly askedBy?: string | undefined;
  /** How the host calls its tools: an agent whose names it uses, or a record from its names to kinds. */
  readonly tools?: ToolsOption | undefined;
}

/** A file or directory that was looked at. */
export interface LookedAt {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Whether it was there. Of directories this is not said. */
  readonly exists?: boolean;
}

export interface SourceSnapshot {
  readonly gathered: Gathered;
  readonly lookedAt: readonly LookedAt[];
  /** The files that may hold guards, ours and those of other agents. */
  readonly guarded: readonly GuardedFile[];
  /** Agents of which code or the settings say whether their hooks run here. */
  readonly namedAgents: readonly string[];
}

/** What keeps one of our own files from being read, where no earlier text of it is known. */
const guardedFile = ({ file, exists, document, hasText }: FoundFile): GuardedFile => {
  if (document === undefined || hasText) return { file, exists };
  const { line = 1, message = 'it cannot be read' } =
    document.problems.find(({ severity }) => severity === 'error') ?? {};
  return { file, exists, unread: { line, message } };
};

/** A look whose snapshot stays valid while all that it was made of is the same. */
interface LastLook {
  /** The environment, the files with what they say, and the types that hooks may have. */
  readonly basis: readonly (string | undefined)[];
  readonly programs: ProgramsInProject;
  readonly snapshot: SourceSnapshot;
}

const noOthers: DialectShares = { shares: [], problems: [], paths: [], guarded: [], offInProject: [] };

interface Folders {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  readonly isHome: boolean;
  readonly outer: readonly string[];
}

/** Of files that end in `*.json` the directory is watched. */
const watched = ({ path, kind }: LookedAt): LookedAt => ({ path: kind === 'directory' ? dirname(path) : path, kind });

/** Reads all settings files that concern a directory, as often as it is asked to. */
export class FilesSource {
  readonly cwd: string;
  readonly home: string;
  readonly projectDir: string;
  /** Projects above whose approved guards hold here, the nearest first. */
  readonly outer: readonly string[];
  /** Whether a person switched hooks off for a while. */
  readonly pauses: PauseSwitch;
  readonly #isHome: boolean;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #named: readonly ConfigFile[] | undefined;
  readonly #dialects: DialectsOption | undefined;
  readonly #tools: ToolsOption | undefined;
  readonly #askedBy: string | undefined;
  readonly #reader: FileReader;
  readonly #memory: AgentMemory = new Map();
  readonly #lastTexts: LastTexts = new Map();
  #last: LastLook | undefined;

  private constructor(
    place: Folders,
    reader: FileReader,
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
    const home = resolve(options.home ?? homeDirectory());
    // A working directory is often told without the links that lead to it, a home directory with them.
    const homes = [home, await realpath(home).catch(() => home)];
    const reader = new FileReader();
    const at = (projectDir: string, outer: readonly string[] = []): FilesSource =>
      new FilesSource({ cwd, home, projectDir, isHome: homes.includes(projectDir), outer }, reader, options);
    // Where the project begins depends on whose hooks are read, and that does not depend on the project.
    const marks = await dialectMarks(await at(cwd).#wishes(), options.askedBy);
    const projectDir = await findProjectDirectory(cwd, homes, marks);
    return at(projectDir, options.files === undefined ? await new TrustStore(home).guardedAbove(projectDir) : []);
  }

  /** Whether the caller named the files. */
  get isNamed(): boolean {
    return this.#named !== undefined;
  }

  /** The same snapshot again if nothing that it was made of changed. `types` are those that hooks may have. */
  async look(types?: readonly string[]): Promise<SourceSnapshot> {
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
    const dialects = { ...(await dialectWishes(read)), ...this.#dialects };
    const programs = programsInProject(this);
    const options = { dialects, tools: this.#tools, askedBy: this.#askedBy };
    // What other agents' files depend on is known to their readers alone.
    let isOurs = wantsNoDialect(dialects, this.#askedBy);
    const others = isOurs ? noOthers : await this.#lookAtOthers(options, programs.find, types);
    // What is asked for as an agent's own is read as that agent reads it, and not as ours a second time.
    const found = read.filter(({ file: { path } }) => !others.paths.includes(path));
    const loadAgents = () => {
      isOurs = false;
      return this.#agentEntries({ dialects, tools: this.#tools });
    };
    const { projectDir } = this;
    const preparation = { env: this.#env, projectDir, loadAgents, programInProject: programs.find, types };
    const gathered = await gather(found, preparation, [...problems, ...others.problems], others.shares);
    const snapshot: SourceSnapshot = {
      gathered: { ...gathered, offInProject: [...gathered.offInProject, ...others.offInProject] },
      guarded: [...found.map(guardedFile), ...others.guarded],
      namedAgents: Object.keys(dialects),
      lookedAt: [
        ...found.map(({ file: { path }, exists }) => ({ path, kind: 'file', exists }) as const),
        ...others.paths
          .map((path) => ({ path, kind: path.endsWith('*.json') ? 'directory' : 'file' }) as const)
          .map(watched),
        ...directories.map((path) => ({ path, kind: 'directory' }) as const),
      ],
    };
    this.#last = isOurs ? { basis, programs, snapshot } : undefined;
    return snapshot;
  }

  /** Hooks of other agents in a project that has no hooks of its own, unless code or settings name the agent. */
  async unreadAgents({ gathered, namedAgents }: SourceSnapshot): Promise<ConfigProblem[]> {
    const { projectDir } = this;
    const hasOwn = gathered.shares.some(({ rows }) => rows.some(({ source }) => source.kind === ConfigSource.Project));
    if (this.#isHome || this.isNamed || hasOwn) return [];
    const { agentsInProject } = await import('./agent-files.ts');
    const unread = agentsInProject(projectDir).filter(({ name }) => !namedAgents.includes(name));
    return unread.map(({ name, title, file }) => {
      const hint = `add agents: {'${name}': true}, or false to leave them out`;
      const message = `hooks of ${title} are here and do not run; ${hint}`;
      const what = { code: 'not-loaded', severity: 'warning', skipped: true, path: 'hooks' } as const;
      return { ...what, source: ConfigSource.Project, file, message, hint };
    });
  }

  /** Whose hooks are read besides, by what code says and the settings of the user and the system: no other file is opened. */
  async #wishes(): Promise<DialectsOption> {
    const { files } = this.#find();
    const speaking = files.filter(({ scope }) => scope === 'user' || scope === 'system');
    const found = await Promise.all(speaking.map((file) => this.#reader.read(file, this.home)));
    return { ...(await dialectWishes(found)), ...this.#dialects };
  }

  async #lookAtOthers(
    options: DialectOptions,
    programInProject: ProgramInProject,
    types: readonly string[] | undefined,
  ): Promise<DialectShares> {
    const { cwd, home, projectDir } = this;
    return dialectShares(
      options,
      {
        cwd,
        home,
        projectDir,
        env: this.#env,
        programInProject,
        lastTexts: this.#lastTexts,
        types,
      },
      this.#memory,
    );
  }

  async #agentEntries(options: DialectOptions): Promise<AgentEntries> {
    const { AgentEntries, platformOf } = await import('../agents/engine-api.ts');
    const { cwd, home, projectDir } = this;
    const place = { cwd, home, projectDir, env: this.#env, platform: platformOf(process.platform) };
    return new AgentEntries(options, place, this.#memory);
  }

  #find(): SettingsPaths {
    const { cwd, home, projectDir, outer } = this;
    return findFiles(
      { cwd, home, projectDir, outer, isHome: this.#isHome, env: this.#env, platform: process.platform },
      this.#named,
    );
  }
}
