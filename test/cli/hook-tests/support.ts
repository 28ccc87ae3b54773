import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type RunningCommand, runCommand, runForJson, startCommand } from '../support/run-command.ts';

const text = z.string();

const chaosSchema = z.object({
  failsOpen: z.array(text),
  unreached: z.array(text),
  hooks: z.array(
    z.object({
      hookId: text,
      faults: z.array(z.object({ fault: text, outcome: text, code: z.optional(text), fate: text })),
    }),
  ),
});

/** What `hookwright test --json` prints. */
const printedSchema = z.object({
  ok: z.boolean(),
  data: z.optional(
    z.object({
      updated: z.number(),
      isInterrupted: z.optional(z.boolean()),
      tests: z.array(
        z.object({ name: text, status: text, mismatches: z.array(z.object({ path: z.unknown(), message: text })) }),
      ),
      chaos: z.optional(chaosSchema),
    }),
  ),
  error: z.optional(z.object({ message: text })),
  problems: z.array(z.object({ message: text })),
});

export type TestRun = NonNullable<z.infer<typeof printedSchema>['data']> & {
  readonly code: number;
  readonly problems: readonly { readonly message: string }[];
};

/** A project with hooks and tests in a directory of its own, and a home with nothing in it. */
export interface Project {
  readonly cwd: string;
  write(path: string, content: string | object): string;
  script(path: string, text: string): string;
  read(path: string): string;
  /** `hookwright test --trust-project <words>`. */
  start(...words: readonly string[]): RunningCommand;
  /** The same with `--json`; throws the message of an error. */
  run(...words: readonly string[]): Promise<TestRun>;
  /** Without `--trust-project`. */
  runUntrusted(...words: readonly string[]): Promise<TestRun>;
}

export const createProject = (hooks: object = {}): Project => {
  const root = temporaryFolder('tests');
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  mkdirSync(join(cwd, '.git'), { recursive: true });
  mkdirSync(home, { mode: 0o700 });
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const write = (path: string, content: string | object): string => {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return file;
  };
  const script = (path: string, content: string): string => {
    const file = write(path, content);
    chmodSync(file, 0o755);
    return file;
  };
  const runUntrusted = async (...words: readonly string[]): Promise<TestRun> => {
    const { code, stdout } = await runCommand(cwd, 'test', '--json', ...words);
    return testRunIn(code, stdout);
  };
  write('.hookwright/settings.json', { hooks });
  return {
    cwd,
    write,
    script,
    read: (path) => readFileSync(join(cwd, path), 'utf8'),
    start: (...words) => startCommand(cwd, ['test', '--trust-project', ...words]),
    run: (...words) => runUntrusted('--trust-project', ...words),
    runUntrusted,
  };
};

/** The run that `hookwright test --json` printed. */
export const testRunIn = (code: number, stdout: string): TestRun => {
  const { data, error, problems } = printedSchema.parse(JSON.parse(stdout));
  if (data === undefined) throw new Error(error?.message ?? 'neither data nor an error was printed');
  return { code, problems, ...data };
};

export const namesIn = ({ tests }: TestRun): string[] => tests.map(({ name }) => name);

/** What the tests below read of the schema of a test. */
const singleTestSchema = z.object({
  properties: z.looseObject({
    expect: z.object({
      properties: z.looseObject({ hooks: z.object({ additionalProperties: z.object({ enum: z.array(text) }) }) }),
    }),
  }),
});

/** The JSON Schema of a file with a single test, as `hookwright events --schema` prints it. */
export const hookTestSchema = async (): Promise<z.infer<typeof singleTestSchema>> => {
  const { data } = await runForJson('.', 'events', '--schema', 'hook-test');
  const { anyOf } = z.object({ anyOf: z.tuple([z.unknown(), singleTestSchema]) }).parse(data);
  return anyOf[1];
};

/** `name: message` of every mismatch. */
export const failuresIn = ({ tests }: TestRun): string[] =>
  tests.flatMap(({ name, mismatches }) => mismatches.map(({ message }) => `${name}: ${message}`));

/** A hook that blocks what contains this word, written for a shell. */
export const blocks = (word: string): string => `#!/bin/sh
if grep -q '${word}'; then echo "${word} is not allowed" >&2; exit 2; fi
`;
