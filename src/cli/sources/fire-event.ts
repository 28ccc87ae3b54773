/** Fires one event with the configured hooks, and collects answer, trace and problems. */
import { MessageBus, requestHooks } from '../../bus/index.ts';
import type { Config } from '../../config.ts';
import type { HookEventName, PayloadOf } from '../../events/index.ts';
import type { OnDecision } from '../../handlers/index.ts';
import { HookSystem, type HookSystemDeps } from '../../hook-system.ts';
import { describeThrown, formatSuggestion } from '../../kit/index.ts';
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
import type { ConfiguredHook } from '../../registry/index.ts';
import type { Recording, RecordOptions } from '../../sessions/index.ts';
import type { Context } from '../context.ts';
import type { AnsweredEvent } from '../rendering/fired-lines.ts';
import { LEFT_OUT_HINT } from '../rendering/row-lines.ts';
import { UsageError } from '../usage-error.ts';

export interface FireEventOptions {
  readonly only: readonly string[];
  readonly file?: string | undefined;
  readonly onUnrecorded?: ((why: string) => void) | undefined;
  readonly onDecision?: OnDecision | undefined;
  readonly timeoutMs?: number | undefined;
  readonly backgroundMs?: number | undefined;
  /** Results of background hooks that ended since the session's last event. Their messages are added to this event. */
  readonly backgroundRows?: readonly HookRow[] | undefined;
  readonly onLoaded?: ((hooks: readonly ConfiguredHook[]) => void) | undefined;
  readonly deps?: HookSystemDeps | undefined;
}

const switchOffOthers = (system: HookSystem, eventName: HookEventName, only: readonly string[]): void => {
  if (only.length === 0) return;
  const registry = system.getRegistry();
  const hooks = registry.getConfiguredHooks().filter((hook) => hook.eventName === eventName);
  const names = hooks.map(({ name }) => name);
  const isMeant = ({ name, hookId }: { name: string; hookId: string }): boolean =>
    only.includes(name) || only.includes(hookId);
  const unknown = only.find((wish) => !hooks.some(({ name, hookId }) => name === wish || hookId === wish));
  if (unknown !== undefined) {
    const near = formatSuggestion(unknown, names);
    throw new UsageError(
      `no hook of ${eventName} is called ${JSON.stringify(unknown)}${near}`,
      names.length === 0 ? `none is configured for ${eventName}` : `its hooks: ${names.join(', ')}`,
    );
  }
  // Hooks are switched off by name, so hooks that share the name of a selected hook stay on.
  const meant = new Set(hooks.filter(isMeant).map(({ name }) => name));
  const others = hooks.filter(({ name }) => !meant.has(name));
  registry.leaveOut([...new Set(others.map(({ name }) => name))], LEFT_OUT_HINT);
};

const selectLaunchNotices = ({ code, outcome }: HookRow, looked: readonly Notice[]): readonly Notice[] => {
  if (code === 'spawn-failed') return looked;
  return outcome === 'silent' ? looked.filter((one) => one.code === 'unknown-name') : [];
};

const addLaunchWarnings = async (
  trace: HookExecutionTrace | undefined,
  system: HookSystem,
): Promise<HookExecutionTrace | undefined> => {
  if (trace?.rows.every(({ code, outcome }) => code !== 'spawn-failed' && outcome !== 'silent') !== false) return trace;
  const looked = new Map(
    (await system.explain(trace.eventName)).map(({ hookId, warnings }) => [hookId, warnings ?? []]),
  );
  const rows = trace.rows.map((row): HookRow => {
    const more = selectLaunchNotices(row, looked.get(row.hookId) ?? []);
    if (more.length === 0) return row;
    const message = row.code === undefined ? {} : { message: more[0]?.message };
    return { ...row, ...message, warnings: [...(row.warnings ?? []), ...more] };
  });
  return { ...trace, rows };
};

const toHookResult = ({ name, eventName, output = {}, durationMs = 0 }: HookRow): HookExecutionResult => {
  const hookConfig = { type: HookType.Runtime, name, action: () => undefined };
  return { hookConfig, eventName, success: true, output, outputFormat: 'json', duration: durationMs };
};

const createTrace = (correlationId: string, eventName: string, rows: readonly HookRow[]): HookExecutionTrace => ({
  type: MessageBusType.HOOK_EXECUTION_TRACE,
  correlationId,
  eventName,
  mode: 'none',
  startedAt: new Date().toISOString(),
  durationMs: 0,
  rows: [...rows],
});

export const fireEvent = async <E extends HookEventName>(
  config: Config,
  eventName: E,
  payload: PayloadOf<E>,
  {
    only,
    file,
    onUnrecorded,
    onDecision,
    timeoutMs,
    backgroundMs = 0,
    backgroundRows = [],
    onLoaded,
    deps,
  }: FireEventOptions,
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
    onLoaded?.(system.getRegistry().getConfiguredHooks());
    if (onDecision !== undefined) system.watchDecisions(onDecision);
    switchOffOthers(system, eventName, only);
    if (file !== undefined) {
      await recorded(async () => {
        const { record } = await import('../../sessions/index.ts');
        const onProblem: RecordOptions['onProblem'] = ({ code, message }) => {
          if (code !== 'message-shortened') onUnrecorded?.(message);
        };
        recording = record(bus, { file, onProblem });
      });
    }
    for (const row of backgroundRows) system.getEventHandler().hearLater(toHookResult(row));
    await requestHooks(bus, eventName, payload, { signal, timeoutMs });
    if (backgroundRows.length > 0) bus.publish(createTrace(bus.createCorrelationId(), eventName, backgroundRows));
    await system.settleCanaries();
    problems = system.getProblems().filter(({ severity }) => severity === 'error');
    leftRunning = deps?.background === 'left' ? [] : await system.settleBackground(backgroundMs);
    const [first, ...later] = messages.filter((message) => message.type === MessageBusType.HOOK_EXECUTION_TRACE);
    // Results of background hooks arrive in later traces.
    trace = await addLaunchWarnings(first && { ...first, rows: [first, ...later].flatMap(({ rows }) => rows) }, system);
  } finally {
    await system.dispose();
    await recorded(() => recording?.close());
  }
  const response = messages.find((message) => message.type === MessageBusType.HOOK_EXECUTION_RESPONSE);
  return { eventName, subject: trace?.subject, response, trace, leftRunning, problems };
};
