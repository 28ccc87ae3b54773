// Runs the tests of ability hooks in `.system/hook-tests`.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { createInvalidArgument } from '../../errors.ts';
import { abilityCatalogue, isAbilityEventType } from '../../events/index.ts';
import {
  describeThrown,
  describeValue,
  formatSuggestion,
  isRecord,
  once,
  parseJson,
  shorten,
} from '../../kit/index.ts';
import type { AbilityHook } from '../../protocol/index.ts';
import { defaultLimits } from '../../runners/index.ts';
import { CommandLane, EventRun, findDocument } from '../../runners/process-api.ts';
import { readFileNames, readTextFile } from '../ability-files.ts';
import type { AbilityHookSet } from '../hook-set.ts';
import { readAbilityOutput } from '../load-ability-hooks.ts';

export interface HookTestResult {
  readonly file: string;
  readonly hook_id: string;
  readonly ok: boolean;
  readonly message?: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

export interface TestHooksOptions {
  /** Returns why a hook must not run, such as a missing approval; `undefined` if it may. */
  readonly refuse?: ((hook: AbilityHook) => string | undefined) | undefined;
  /** Ends the running hook; further tests are not started. */
  readonly signal?: AbortSignal | undefined;
}

const TESTS_FOLDER = join('.system', 'hook-tests');

const testSchema = once(() =>
  z.strictObject({
    hook_id: z.string(),
    event_type: z.string(),
    context: z.record(z.string(), z.unknown()),
    expected: z.record(z.string(), z.unknown()),
  }),
);

type HookTest = z.infer<ReturnType<typeof testSchema>>;

type TestOutcome = Omit<HookTestResult, 'file' | 'hook_id'>;

const toFailure = (message: string): TestOutcome => ({ ok: false, message });

const readTest = (text: string): { readonly test: HookTest } | { readonly problem: string } => {
  const parsed = parseJson(text);
  if (!parsed.ok) return { problem: `is not JSON: ${parsed.message}` };
  const read = testSchema().safeParse(parsed.value);
  if (read.success) return { test: read.data };
  const issues = read.error.issues.map(({ path, message }) => [...path, message].join(': '));
  return { problem: `expected hook_id, event_type, context and expected; ${issues.join('; ')}` };
};

const findTestProblem = ({ event_type, context }: HookTest, hook: AbilityHook): string | undefined => {
  if (hook.eventType !== event_type) return `the hook is for ${hook.eventType}, the test for ${event_type}`;
  if (!isAbilityEventType(event_type)) return `there is no event ${event_type}`;
  const read = abilityCatalogue[event_type].read(context);
  return read.ok ? undefined : read.message;
};

const runHookOnce = async (
  root: string,
  hook: AbilityHook,
  { event_type, context, expected }: HookTest,
  signal: AbortSignal,
): Promise<TestOutcome> => {
  const host = {
    getSessionId: () => (typeof context.session_id === 'string' ? context.session_id : ''),
    getWorkingDir: () => root,
    getHooks: () => undefined,
  };
  const lane = new CommandLane(host, defaultLimits(), { readOutput: readAbilityOutput });
  const result = await lane.run(new EventRun(event_type, { event_type, ...context }, signal, 0), hook.config);
  await lane.idle();
  if (result.error !== undefined)
    return toFailure(`${result.error.message}\n${shorten(result.stderr ?? '', 500)}`.trim());
  const misused = result.warnings?.find(({ code }) => code === 'misconfiguration');
  if (misused !== undefined) return toFailure(misused.message);
  const found = findDocument(result.stdout ?? '');
  const actual = found.kind === 'answer' ? found.value : {};
  return isDeepStrictEqual(actual, expected)
    ? { ok: true }
    : { ok: false, message: 'the answer is not the expected one', expected, actual };
};

const runTest = async (
  { root, hooks }: AbilityHookSet,
  text: string,
  { refuse, signal = new AbortController().signal }: TestHooksOptions,
): Promise<TestOutcome & { hook_id: string }> => {
  const read = readTest(text);
  if ('problem' in read) return { hook_id: '', ...toFailure(read.problem) };
  const { test } = read;
  const { hook_id } = test;
  const hook = hooks.find(({ id }) => id === hook_id);
  if (hook === undefined) {
    const ids = hooks.map(({ id }) => id);
    return { hook_id, ...toFailure(`there is no hook "${hook_id}"${formatSuggestion(hook_id, ids)}`) };
  }
  const problem = findTestProblem(test, hook) ?? refuse?.(hook);
  return { hook_id, ...(problem === undefined ? await runHookOnce(root, hook, test, signal) : toFailure(problem)) };
};

const expectHookSet = (hooks: unknown): void => {
  if (isRecord(hooks) && typeof hooks.root === 'string' && Array.isArray(hooks.hooks)) return;
  const found = hooks instanceof Promise ? 'a promise; await it first' : describeValue(hooks);
  const message = `testAbilityHooks: expected the hook set that loadAbilityHooks resolves to, got ${found}`;
  throw createInvalidArgument(message);
};

/**
 * Runs the tests in `.system/hook-tests`: each hook gets the context of its test and must give the expected answer,
 * even if it is disabled or, without `refuse`, not approved.
 */
export const testAbilityHooks = async (
  hooks: AbilityHookSet,
  options: TestHooksOptions = {},
): Promise<HookTestResult[]> => {
  expectHookSet(hooks);
  const results: HookTestResult[] = [];
  for (const name of await readFileNames(join(hooks.root, TESTS_FOLDER))) {
    if (!name.endsWith('.json')) continue;
    if (options.signal?.aborted) break;
    const file = join(TESTS_FOLDER, name);
    try {
      const text = readTextFile(join(hooks.root, file));
      if (text !== undefined) results.push({ file, ...(await runTest(hooks, text, options)) });
    } catch (error) {
      results.push({ file, hook_id: '', ...toFailure(describeThrown(error)) });
    }
  }
  return results;
};
