// Builds the environment of hooks from the variables of the host, the session and the hook.
import type { Variables } from './command/shell-words.ts';

/** Variable that marks every process of a run, including detached ones. */
export const RUN_MARKER = 'HOOKWRIGHT_RUN';

/** `GEMINI_` and `CLAUDE_` variables let hooks written for these agents run unchanged. */
const prefixes = ['GEMINI', 'CLAUDE', 'HOOKWRIGHT'];
const ownPrefixes = ['HOOKWRIGHT'];

export interface RunFolders {
  readonly projectDir: string;
  readonly cwd: string;
  readonly sessionId: string;
}

/** Environment of a hook of another agent. It replaces the `GEMINI_` and `CLAUDE_` variables of our own hooks. */
export interface AgentEnvironment {
  readonly variables: Variables;
  /** Names that are inserted into a command line as text; the shell expands all others. */
  readonly filledIn: readonly string[];
  /** Whether the agent removes this variable of the host. */
  readonly withholds: (name: string) => boolean;
}

/** Variables that every hook gets and every command line may use. The host may replace them. */
export const knownVariables = (
  { projectDir, cwd, sessionId }: RunFolders,
  added: Variables = {},
  agent?: Pick<AgentEnvironment, 'variables'>,
): Variables => {
  const variables: Record<string, string> = {};
  for (const prefix of agent === undefined ? prefixes : ownPrefixes) {
    variables[`${prefix}_PROJECT_DIR`] = projectDir;
    variables[`${prefix}_CWD`] = cwd;
    variables[`${prefix}_SESSION_ID`] = sessionId;
  }
  return { ...variables, ...added, ...agent?.variables };
};

/**
 * Merges variables. On Windows names are case-insensitive, so a later variable replaces an earlier one in another case.
 */
const overlay = (base: Variables, added: Variables, platform: NodeJS.Platform): Record<string, string> => {
  if (platform !== 'win32') return { ...base, ...added };
  const replaced = new Set(Object.keys(added).map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()));
  return { ...Object.fromEntries(kept), ...added };
};

/** Environment shared by all commands of a session. */
export interface SessionEnvironment {
  /** Variables that command lines may name. */
  readonly variables: Variables;
  readonly environment: Variables;
}

export interface SessionEnvironmentParts extends RunFolders {
  readonly environment: Variables;
  readonly added?: Variables | undefined;
  readonly agent?: AgentEnvironment | undefined;
  readonly platform: NodeJS.Platform;
}

const latest = new WeakMap<Variables, { readonly parts: SessionEnvironmentParts; readonly made: SessionEnvironment }>();

const isSame = (a: SessionEnvironmentParts, b: SessionEnvironmentParts): boolean =>
  a.projectDir === b.projectDir &&
  a.cwd === b.cwd &&
  a.sessionId === b.sessionId &&
  a.added === b.added &&
  a.agent === b.agent;

const handedOn = (environment: Variables, agent: AgentEnvironment | undefined): Variables =>
  agent === undefined
    ? environment
    : Object.fromEntries(Object.entries(environment).filter(([name]) => !agent.withholds(name)));

/**
 * Merges a session's variables into the host's environment. The last result is reused while its inputs stay the same.
 */
export const sessionEnvironment = (parts: SessionEnvironmentParts): SessionEnvironment => {
  const known = latest.get(parts.environment);
  if (known !== undefined && isSame(known.parts, parts)) return known.made;
  const variables = knownVariables(parts, parts.added, parts.agent);
  const environment = overlay(handedOn(parts.environment, parts.agent), variables, parts.platform);
  // Without SHLVL, a bash started by a hook takes Node's socket on stdin for a remote login and reads ~/.bashrc.
  if (!(Number(environment.SHLVL) >= 1)) environment.SHLVL = '1';
  const made = { variables, environment };
  latest.set(parts.environment, { parts, made });
  return made;
};

export interface HookEnvironmentParts {
  /** Variables that earlier hooks set for the session. */
  readonly ofSession?: Variables | undefined;
  /** Variables for this hook alone. */
  readonly ofHook?: Variables | undefined;
  /** The `env` of the hook; it replaces all other variables except the marker. */
  readonly own?: Variables | undefined;
  readonly runId: string;
  readonly platform: NodeJS.Platform;
}

/** Variables that hooks set for the session cannot replace ours. */
const withSession = ({ environment, variables }: SessionEnvironment, set: Variables, platform: NodeJS.Platform) =>
  overlay(overlay(environment, set, platform), variables, platform);

/** The complete environment of one process of a hook. */
export const hookEnvironment = (
  session: SessionEnvironment,
  { ofSession, ofHook, own, runId, platform }: HookEnvironmentParts,
): Record<string, string> => {
  const base = ofSession === undefined ? session.environment : withSession(session, ofSession, platform);
  return own === undefined
    ? { ...base, ...ofHook, [RUN_MARKER]: runId }
    : { ...overlay({ ...base, ...ofHook }, own, platform), [RUN_MARKER]: runId };
};
