import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HookConfig, HookExecutionResult } from '../../src/protocol/index.ts';
import { ProcessTable, runCommand } from '../../src/runners/process-api.ts';
import { atMost, expectNothingLeft, holdings, watchTroubles } from './processes.ts';

type CommandContext = Parameters<typeof runCommand>[3];

const hooksDirectory = join(import.meta.dirname, '../fixtures/hooks');

/** The path of a hook fixture; a name that does not exist is a mistake of the test. */
export const fixture = (name: string): string => {
  if (!readdirSync(hooksDirectory).includes(name)) throw new Error(`no fixture ${name}`);
  return join(hooksDirectory, name);
};

/** Times of the tests: shorter than the defaults, in the same proportion. */
export const T = 500;
export const G = 300;
export const D = 100;
/** For a hook that is to come to its end, however busy the machine is. */
const LONG = 10_000;

export interface Run {
  readonly result: HookExecutionResult;
  readonly runId: string;
  /** From the call to the answer. */
  readonly ms: number;
}

export type RunOptions = Partial<CommandContext> & { readonly input?: object };

let runs = 0;

/** A bench for one test: it runs hooks the way an engine does and knows what must be gone afterwards. */
export class CommandBench {
  readonly processes = new ProcessTable({ killGraceMs: G });
  readonly #before = holdings();
  readonly #runIds: string[] = [];
  readonly #defaults: Partial<CommandContext>;

  constructor(defaults: Partial<CommandContext> = {}) {
    this.#defaults = defaults;
    watchTroubles();
  }

  async run(hook: HookConfig, { input = { tool_name: 'Bash' }, ...context }: RunOptions = {}): Promise<Run> {
    runs += 1;
    const runId = `test-${process.pid}-${runs}`;
    this.#runIds.push(runId);
    const startedAt = performance.now();
    const result = await runCommand({ type: 'command', timeout: LONG, ...hook }, 'BeforeTool', input, {
      processes: this.processes,
      limits: { drainMs: D, stdoutBytes: 1_048_576, stderrBytes: 262_144 },
      environment: environment(),
      projectDir: hooksDirectory,
      sessionId: 'session-1',
      newRunId: () => runId,
      ...this.#defaults,
      ...context,
    });
    return { result, runId, ms: performance.now() - startedAt };
  }

  /** A fixture with arguments, without a shell. */
  runFixture(
    name: string,
    args: readonly string[] = [],
    hook: HookConfig = {},
    options: RunOptions = {},
  ): Promise<Run> {
    return this.run({ command: fixture(name), args: [...args], ...hook }, options);
  }

  /** Nothing of the runs may be left after the kill grace and what P3 adds to it. */
  async close(): Promise<void> {
    await expectNothingLeft({ before: this.#before, runIds: this.#runIds, withinMs: atMost(G + 250) });
    await this.processes.idle(atMost(G + 250));
  }
}

export const environment = (): Record<string, string> => {
  const copy: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) copy[name] = value;
  }
  return copy;
};
