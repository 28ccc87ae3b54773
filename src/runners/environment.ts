// Builds the environment variables of hook processes.
import type { Variables } from './command/shell-words.ts';

/** Variable with the id of a run. All processes of the run inherit it, even those that detach. */
export const RUN_MARKER = 'HOOKWRIGHT_RUN';

/** `GEMINI_` and `CLAUDE_` variables let hooks written for these agents run unchanged. */
const variablePrefixes = ['GEMINI', 'CLAUDE', 'HOOKWRIGHT'];
const ownVariablePrefixes = ['HOOKWRIGHT'];

export interface RunFolders {
  readonly projectDir: string;
  readonly cwd: string;
  readonly sessionId: string;
}

/** The environment of a hook written for another agent. Replaces hookwright's `GEMINI_` and `CLAUDE_` variables. */
export interface AgentEnvironment {
  readonly variables: Variables;
  /** In a command line the engine replaces these names by their values; the shell expands all others. */
  readonly filledIn: readonly string[];
  readonly withholds: (name: string) => boolean;
}

export const selectKnownVariables = (
  { projectDir, cwd, sessionId }: RunFolders,
  added: Variables = {},
  agent?: Pick<AgentEnvironment, 'variables'>,
): Variables => {
  const variables: Record<string, string> = {};
  for (const prefix of agent === undefined ? variablePrefixes : ownVariablePrefixes) {
    variables[`${prefix}_PROJECT_DIR`] = projectDir;
    variables[`${prefix}_CWD`] = cwd;
    variables[`${prefix}_SESSION_ID`] = sessionId;
  }
  return { ...variables, ...added, ...agent?.variables };
};

/** On Windows variable names are case-insensitive, so an added variable replaces one with a different case. */
const mergeVariables = (base: Variables, added: Variables, platform: NodeJS.Platform): Record<string, string> => {
  if (platform !== 'win32') return { ...base, ...added };
  const replaced = new Set(Object.keys(added).map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()));
  return { ...Object.fromEntries(kept), ...added };
};

export interface SessionEnvironment {
  readonly variables: Variables;
  readonly environment: Variables;
}

interface SessionEnvironmentParts extends RunFolders {
  readonly environment: Variables;
  readonly added?: Variables | undefined;
  readonly agent?: AgentEnvironment | undefined;
  readonly platform: NodeJS.Platform;
}

const environmentCache = new WeakMap<
  Variables,
  { readonly parts: SessionEnvironmentParts; readonly made: SessionEnvironment }
>();

const comparedParts = ['projectDir', 'cwd', 'sessionId', 'added', 'agent'] as const;

export const createSessionEnvironment = (parts: SessionEnvironmentParts): SessionEnvironment => {
  const known = environmentCache.get(parts.environment);
  if (known !== undefined && comparedParts.every((part) => known.parts[part] === parts[part])) return known.made;
  const { agent } = parts;
  const variables = selectKnownVariables(parts, parts.added, agent);
  const passedOn =
    agent === undefined
      ? parts.environment
      : Object.fromEntries(Object.entries(parts.environment).filter(([name]) => !agent.withholds(name)));
  const environment = mergeVariables(passedOn, variables, parts.platform);
  // Without SHLVL, bash mistakes Node's stdin socket for a remote login and reads ~/.bashrc.
  if (!(Number(environment.SHLVL) >= 1)) environment.SHLVL = '1';
  const made = { variables, environment };
  environmentCache.set(parts.environment, { parts, made });
  return made;
};

interface HookEnvironmentParts {
  readonly ofSession?: Variables | undefined;
  readonly ofHook?: Variables | undefined;
  /** The `env` of the hook replaces all variables of the same name except the run marker. */
  readonly own?: Variables | undefined;
  readonly runId: string;
  readonly platform: NodeJS.Platform;
}

/** Variables that hooks set for the session must not replace hookwright's own variables. */
const addSessionVariables = (
  { environment, variables }: SessionEnvironment,
  set: Variables,
  platform: NodeJS.Platform,
) => mergeVariables(mergeVariables(environment, set, platform), variables, platform);

export const createHookEnvironment = (
  session: SessionEnvironment,
  { ofSession, ofHook, own, runId, platform }: HookEnvironmentParts,
): Record<string, string> => {
  const base = ofSession === undefined ? session.environment : addSessionVariables(session, ofSession, platform);
  const ours = { ...base, ...ofHook };
  return { ...(own === undefined ? ours : mergeVariables(ours, own, platform)), [RUN_MARKER]: runId };
};
