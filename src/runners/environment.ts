import type { Variables } from './shell-words.ts';

/** The variable that marks every process of a run, wherever it goes. */
export const RUN_MARKER = 'HOOKWRIGHT_RUN';

/** Names from other agents come first: hooks written for them run unchanged. */
const prefixes = ['GEMINI', 'CLAUDE', 'HOOKWRIGHT'];

export interface Place {
  readonly projectDir: string;
  readonly cwd: string;
  readonly sessionId: string;
}

/** The variables every hook gets and every command line may name. What the host adds may replace them. */
export const knownVariables = ({ projectDir, cwd, sessionId }: Place, added: Variables = {}): Variables => {
  const variables: Record<string, string> = {};
  for (const prefix of prefixes) {
    variables[`${prefix}_PROJECT_DIR`] = projectDir;
    variables[`${prefix}_CWD`] = cwd;
    variables[`${prefix}_SESSION_ID`] = sessionId;
  }
  return { ...variables, ...added };
};

/** Windows knows no case in these names; the one that comes later must not stand beside the earlier one. */
const overlay = (base: Variables, added: Variables, platform: NodeJS.Platform): Record<string, string> => {
  if (platform !== 'win32') return { ...base, ...added };
  const replaced = new Set(Object.keys(added).map((name) => name.toUpperCase()));
  const kept = Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()));
  return { ...Object.fromEntries(kept), ...added };
};

export interface EnvironmentParts {
  readonly base: Variables;
  readonly variables: Variables;
  /** What the hook sets itself; it wins over both. */
  readonly own?: Variables | undefined;
  readonly runId: string;
  readonly platform: NodeJS.Platform;
}

/** The complete environment of a hook's process. */
export const environmentOf = ({ base, variables, own, runId, platform }: EnvironmentParts): Record<string, string> => {
  const environment = overlay(base, own === undefined ? variables : { ...variables, ...own }, platform);
  // Without it a bash that a hook starts takes Node's socket on stdin for a remote login and reads ~/.bashrc.
  if (!(Number(environment.SHLVL) >= 1)) environment.SHLVL = '1';
  environment[RUN_MARKER] = runId;
  return environment;
};
