import { randomBytes } from 'node:crypto';
import {
  type Confirm,
  createHooks,
  type HookDeps,
  type HooksByEvent,
  HookwrightError,
  memoryTokenStore,
  type ParkedCallsOptions,
  parkedCalls,
} from '../../src/index.ts';
import { hook, tool } from '../triggers/support.ts';

export const named = (name: string, answer: Parameters<typeof hook>[0], extra: object = {}) =>
  hook(answer, { name, ...extra });
export const asking = named('guard', { decision: 'ask', reason: 'it pushes' });
export const parks: Confirm = async (_question, context) => (await context?.park?.()) ?? false;
export const day = 86_400_000;

/** A host that may be started again: what survives is its key and its store of tokens. */
export const host = (given: Partial<ParkedCallsOptions> = {}) => {
  const time = { now: 1_800_000_000_000 };
  const ran: unknown[] = [];
  const settings: ParkedCallsOptions = {
    key: randomBytes(32),
    store: memoryTokenStore(),
    clock: { now: () => time.now },
    runTool: (name, args) => {
      ran.push([name, args]);
      return 'pushed';
    },
    ...given,
  };
  const deps = (confirm: Confirm | undefined, more: Partial<ParkedCallsOptions> = {}): HookDeps => ({
    confirm,
    parking: parkedCalls({ ...settings, ...more }),
  });
  const start = (hooks: HooksByEvent = { BeforeTool: [asking] }, confirm: Confirm | undefined = parks, more = {}) =>
    createHooks({ cwd: '/project', hooks, deps: deps(confirm, more) });
  const park = async (hooks?: HooksByEvent, input: Record<string, unknown> = { branch: 'main' }) => {
    const { calls, run } = tool('must not run');
    const called = await (await start(hooks)).callTool('push', input, run);
    return { called, calls, token: called.asked?.parked ?? '' };
  };
  return { ran, time, start, park, deps };
};

export const refusal = async (work: Promise<unknown>): Promise<{ why: unknown; message: string }> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!HookwrightError.is(error)) throw new Error(`expected a refusal, got ${String(error)}`);
  return { why: error.details.why ?? error.code, message: error.message };
};

export const yes = { approved: true, by: 'ann' };
