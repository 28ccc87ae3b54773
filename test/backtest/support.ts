import {
  Config,
  type ConfigOptions,
  type HookConfig,
  type HookDefinition,
  type HookExecutionRequest,
  type HookMessage,
  MessageBus,
} from '../../src/index.ts';
import type { RecordedEntry } from '../../src/sessions/backtest/index.ts';

export const group = (hooks: HookDefinition['hooks'], more: Partial<HookDefinition> = {}): HookDefinition => ({
  hooks,
  ...more,
});

/** A function hook that gives this answer, or whatever the function makes of the input. */
export const answering = (
  name: string,
  answer: unknown | ((input: { tool_input: Record<string, unknown> }) => unknown),
  more: HookConfig = {},
): HookConfig => ({
  type: 'runtime',
  name,
  action: (input: never) => (typeof answer === 'function' ? answer(input) : answer),
  ...more,
});

export const denying = (name: string, reason = `${name} says no`): HookConfig =>
  answering(name, { decision: 'deny', reason });

export const setting = (name: string, tool_input: Record<string, unknown>): HookConfig =>
  answering(name, { hookSpecificOutput: { tool_input } });

export const throwing = (name: string, more: HookConfig = {}): HookConfig =>
  answering(
    name,
    () => {
      throw new Error('out of order');
    },
    more,
  );

/** Hooks of the project for BeforeTool, unless told otherwise. */
export const configOf = (definitions: readonly HookDefinition[], more: ConfigOptions = {}): Config =>
  new Config({ enableHooks: true, hooks: { BeforeTool: definitions }, ...more });

type Asked = Pick<HookExecutionRequest, 'eventName' | 'payload' | 'timeoutMs'>;

export const call = (tool_name: string, tool_input: Record<string, unknown> = { command: 'ls' }): Asked => ({
  eventName: 'BeforeTool',
  payload: { tool_name, tool_input },
});

/** What crosses a process boundary or a file. */
const asJson = (message: HookMessage): HookMessage => JSON.parse(JSON.stringify(message));

/** A session in memory: everything that went over the bus while these requests were asked, one after another. */
export const record = async (
  options: ConfigOptions,
  asked: readonly Asked[],
): Promise<{ entries: RecordedEntry[]; answered: HookMessage[] }> => {
  const bus = new MessageBus();
  const entries: RecordedEntry[] = [];
  const answered: HookMessage[] = [];
  const subscription = bus.stream().subscribe((message) => {
    entries.push({ line: entries.length + 2, message: asJson(message) });
  });
  const config = new Config({ enableHooks: true, ...options, bus });
  for (const [index, one] of asked.entries()) {
    const request = { type: 'hook-execution-request', correlationId: `request-${index}`, ...one } as const;
    answered.push(await bus.request(request, 'hook-execution-response', 10_000));
  }
  subscription.unsubscribe();
  await config.getHookSystem()?.dispose();
  return { entries, answered };
};

export const recordCalls = async (
  definitions: readonly HookDefinition[],
  asked: readonly Asked[] = [call('run_shell')],
): Promise<RecordedEntry[]> => (await record({ hooks: { BeforeTool: definitions } }, asked)).entries;

export const asking = (name: string): HookConfig =>
  answering(name, { decision: 'ask', reason: `${name} wants to know` });

export const speaking = (name: string, additionalContext: string): HookConfig =>
  answering(name, { hookSpecificOutput: { additionalContext } });
