/** Fires one event at the configured hooks, and collects the answer. */
import { MessageBus, requestHooks } from '../../bus/index.ts';
import type { Config } from '../../config.ts';
import type { HookEventName, PayloadOf } from '../../events/index.ts';
import type { OnDecision } from '../../handlers/index.ts';
import { HookSystem, type HookSystemDeps } from '../../hook-system.ts';
import { describeThrown, suggestion } from '../../kit/index.ts';
import {
  type ConfigProblem,
  type HookExecutionResponse,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  HookType,
  MessageBusType,
  type Notice,
} from '../../protocol/index.ts';
import type { Recording } from '../../sessions/index.ts';
import type { Context } from '../context.ts';
import type { AnsweredEvent } from '../rendering/fired-lines.ts';
import { LEFT_OUT } from '../rendering/row-lines.ts';
import { UsageError } from '../usage-error.ts';

export interface FireRequest {
  /** Only hooks of these names or ids. */
  readonly only: readonly string[];
  /** Where to record it. */
  readonly file?: string | undefined;
  /** Told why it is not recorded, where that is no reason not to answer; without it, it is one. */
  readonly onUnrecorded?: ((why: string) => void) | undefined;
  /** Is handed the decision. */
  readonly onDecision?: OnDecision | undefined;
  /** How long all of it may take; as long as the hooks may when left out. */
  readonly timeoutMs?: number | undefined;
  /** How long hooks in the background are waited for, so that it is known how they end; not at all when left out. */
  readonly backgroundMs?: number | undefined;
  /** How hooks in the background ended since the last event of the session: what they said reaches this one. */
  readonly words?: readonly HookRow[] | undefined;
  /** In place of parts of the engine. */
  readonly deps?: HookSystemDeps | undefined;
}

/** Switches off the hooks that were not requested. */
const keepOnly = (system: HookSystem, eventName: HookEventName, only: readonly string[]): void => {
  if (only.length === 0) return;
  const registry = system.getRegistry();
  const hooks = registry.getConfiguredHooks().filter((hook) => hook.eventName === eventName);
  const names = hooks.map(({ name }) => name);
  const isMeant = ({ name, hookId }: { name: string; hookId: string }): boolean =>
    only.includes(name) || only.includes(hookId);
  const unknown = only.find((wish) => !hooks.some(({ name, hookId }) => name === wish || hookId === wish));
  if (unknown !== undefined) {
    const near = suggestion(unknown, names);
    throw new UsageError(
      `no hook of ${eventName} is called ${JSON.stringify(unknown)}${near}`,
      names.length === 0 ? `none is configured for ${eventName}` : `its hooks: ${names.join(', ')}`,
    );
  }
  // Hooks are switched by name, so another of the same name stays on.
  const meant = new Set(hooks.filter(isMeant).map(({ name }) => name));
  const others = hooks.filter(({ name }) => !meant.has(name));
  registry.leaveOut([...new Set(others.map(({ name }) => name))], LEFT_OUT);
};

/** What a look at the machine says of a hook that could not be started, or that said nothing. */
const seenOf = ({ code, outcome }: HookRow, looked: readonly Notice[]): readonly Notice[] => {
  if (code === 'spawn-failed') return looked;
  return outcome === 'silent' ? looked.filter((one) => one.code === 'unknown-name') : [];
};

/** A trace with that. */
const withLaunches = async (
  trace: HookExecutionTrace | undefined,
  system: HookSystem,
): Promise<HookExecutionTrace | undefined> => {
  if (trace?.rows.every(({ code, outcome }) => code !== 'spawn-failed' && outcome !== 'silent') !== false) return trace;
  const looked = new Map(
    (await system.explain(trace.eventName)).map(({ hookId, warnings }) => [hookId, warnings ?? []]),
  );
  const rows = trace.rows.map((row): HookRow => {
    const more = seenOf(row, looked.get(row.hookId) ?? []);
    if (more.length === 0) return row;
    const message = row.code === undefined ? {} : { message: more[0]?.message };
    return { ...row, ...message, warnings: [...(row.warnings ?? []), ...more] };
  });
  return { ...trace, rows };
};

/** A hook in the background as it ended in another process. */
const resultIn = ({ name, eventName, output = {}, durationMs = 0 }: HookRow): HookExecutionResult => {
  const hookConfig = { type: HookType.Runtime, name, action: () => undefined };
  return { hookConfig, eventName, success: true, output, outputFormat: 'json', duration: durationMs };
};

const traceOf = (correlationId: string, eventName: string, rows: readonly HookRow[]): HookExecutionTrace => ({
  type: MessageBusType.HOOK_EXECUTION_TRACE,
  correlationId,
  eventName,
  mode: 'none',
  startedAt: new Date().toISOString(),
  durationMs: 0,
  rows: [...rows],
});

/** Fires an event for real, with the hooks of a configuration, and tells all that was said on the bus about it. */
export const fire = async <E extends HookEventName>(
  config: Config,
  eventName: E,
  payload: PayloadOf<E>,
  { only, file, onUnrecorded, onDecision, timeoutMs, backgroundMs = 0, words = [], deps }: FireRequest,
  { signal }: Pick<Context, 'signal'>,
): Promise<AnsweredEvent<HookExecutionResponse>> => {
  const bus = new MessageBus();
  const messages: HookMessage[] = [];
  bus.stream().subscribe((message) => messages.push(message));
  const system = new HookSystem(config, bus, { ...config.getDeps(), ...deps });
  let recording: Recording | undefined;
  let leftRunning: readonly string[] = [];
  let problems: readonly ConfigProblem[] = [];
  let trace: HookExecutionTrace | undefined;
  const recorded = async (step: () => unknown): Promise<void> => {
    try {
      await step();
    } catch (error) {
      if (onUnrecorded === undefined) throw error;
      onUnrecorded(describeThrown(error));
    }
  };
  try {
    await system.initialize(signal);
    if (onDecision !== undefined) system.watchDecisions(onDecision);
    keepOnly(system, eventName, only);
    if (file !== undefined) {
      await recorded(async () => {
        const { record } = await import('../../sessions/index.ts');
        recording = record(bus, { file });
      });
    }
    for (const row of words) system.getEventHandler().hearLater(resultIn(row));
    await requestHooks(bus, eventName, payload, { signal, timeoutMs });
    if (words.length > 0) bus.publish(traceOf(bus.createCorrelationId(), eventName, words));
    await system.settleCanaries();
    problems = system.getProblems().filter(({ severity }) => severity === 'error');
    leftRunning = deps?.background === 'left' ? [] : await system.settleBackground(backgroundMs);
    const [first, ...later] = messages.filter((message) => message.type === MessageBusType.HOOK_EXECUTION_TRACE);
    // How hooks in the background ended is told later, in rows of their own.
    trace = await withLaunches(first && { ...first, rows: [first, ...later].flatMap(({ rows }) => rows) }, system);
  } finally {
    await system.dispose();
    await recorded(() => recording?.close());
  }
  const response = messages.find((message) => message.type === MessageBusType.HOOK_EXECUTION_RESPONSE);
  return {
    eventName,
    subject: trace?.subject,
    response,
    trace,
    leftRunning,
    problems,
  };
};
