import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Config, type HookRow, type HooksByEvent } from '../../src/index.ts';
import { createTrustCheck, reviewTrust } from '../../src/trust/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Bench {
  readonly home: string;
  readonly project: string;
  /** Writes a file of the project; a script may be executed. */
  write(path: string, text: string): string;
  configOf(hooks: HooksByEvent, more?: ConstructorParameters<typeof Config>[0]): Config;
  review(hooks: HooksByEvent): ReturnType<typeof reviewTrust>;
  /** Approves all hooks as they are. */
  approveAll(hooks: HooksByEvent): Promise<void>;
  /** The rows of all hooks, by the reason of their skip or `run`. */
  verdicts(hooks: HooksByEvent): Promise<string[]>;
  rows(hooks: HooksByEvent): Promise<HookRow[]>;
  readonly troubles: string[];
}

/** A home and a project of their own, gone when the test ends. The hooks are judged as if they came from files. */
export const trustBench = (): Bench => {
  const directory = temporaryFolder('trust');
  const home = join(directory, 'home');
  const project = join(directory, 'project');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(project);
  const troubles: string[] = [];
  const configOf: Bench['configOf'] = (hooks, more) => {
    const trustCheck = createTrustCheck({ home, projectDir: project, onTrouble: (line) => troubles.push(line) });
    const config = new Config({ enableHooks: true, workingDir: project, hooks, ...more, deps: { trustCheck } });
    onTestFinished(() => config.getHookSystem()?.dispose());
    return config;
  };
  const review: Bench['review'] = (hooks) => reviewTrust(configOf(hooks));
  const rows: Bench['rows'] = async (hooks) => (await configOf(hooks).getHookSystem()?.explain()) ?? [];
  return {
    home,
    project,
    write: (path, text) => {
      const file = join(project, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, 0o755);
      return file;
    },
    configOf,
    review,
    approveAll: async (hooks) => {
      const all = await review(hooks);
      await all.approve(all.hooks.map(({ id }) => id));
    },
    rows,
    verdicts: async (hooks) => (await rows(hooks)).map(({ planned, reason }) => reason ?? planned),
    troubles,
  };
};

/** One hook on one event. */
export const one = (
  hook: NonNullable<HooksByEvent[string]>[number]['hooks'][number],
  group: { matcher?: string; sequential?: boolean } = {},
  event = 'BeforeTool',
): HooksByEvent => ({ [event]: [{ ...group, hooks: [hook] }] });
