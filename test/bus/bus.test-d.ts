/** Checked by tsc and never run: every promise of the types has its mistake beside it. */
import type { Observable } from 'rxjs';
import {
  type Bus,
  confirmOverBus,
  type HookMessage,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../../src/bus/index.ts';
import type { BeforeToolHookOutput, DefaultHookOutput } from '../../src/events/index.ts';

const bus: Bus = new MessageBus({ idGenerator: () => 'id' });
const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, HOOK_STARTED } = MessageBusType;

export const publishing = (): void => {
  bus.publish({ type: HOOK_EXECUTION_REQUEST, correlationId: 'a', eventName: 'BeforeTool', payload: {} });
  bus.publish({ type: 'hook-execution-cancel', correlationId: 'a' });
  // @ts-expect-error a request has an event
  bus.publish({ type: HOOK_EXECUTION_REQUEST, correlationId: 'a', payload: {} });
  // @ts-expect-error an id is a string
  bus.publish({ type: 'hook-execution-cancel', correlationId: 7 });
  // @ts-expect-error no message has this type
  bus.publish({ type: 'hook-execution-question', correlationId: 'a' });
  // @ts-expect-error a cancel carries nothing more
  bus.publish({ type: 'hook-execution-cancel', correlationId: 'a', eventName: 'BeforeTool' });
};

export const subscribing = (): void => {
  const end: () => void = bus.subscribe(HOOK_STARTED, ({ position, total }) => position / total, {
    signal: new AbortController().signal,
  });
  end();
  bus.subscribe(HOOK_EXECUTION_REQUEST, async ({ eventName }) => eventName);
  // @ts-expect-error a request carries no result
  bus.subscribe(HOOK_EXECUTION_REQUEST, ({ result }) => result);
  // @ts-expect-error the listener is for another message
  bus.subscribe(HOOK_EXECUTION_REQUEST, (message: { type: typeof HOOK_STARTED }) => message);
  // @ts-expect-error no message has this type
  bus.subscribe('hook-execution-question', () => {});
  // @ts-expect-error messages are read-only
  bus.subscribe(HOOK_STARTED, (message) => (message.position = 1));
  bus.on('error', ({ code }) => code === 'listener_failed');
  // @ts-expect-error there is one event, and it is error
  bus.on('warning', () => {});
  // @ts-expect-error the code is from a closed list
  bus.on('error', ({ code }) => code === 'listener_broke');
};

export const streaming = (): void => {
  const all: Observable<HookMessage> = bus.stream();
  bus.stream(HOOK_STARTED).subscribe(({ hookName }) => hookName);
  all.subscribe((message) => (message.type === HOOK_STARTED ? message.hookName : message.correlationId));
  // @ts-expect-error not every message has a hook
  all.subscribe((message) => message.hookName);
};

export const requesting = async (message: HookMessage): Promise<void> => {
  const response = await bus.request(message, HOOK_EXECUTION_RESPONSE, 1_000, new AbortController().signal);
  response.result.errors.at(0)?.message;
  // @ts-expect-error a response has no hook
  response.hookName;
  await bus.request(message, HOOK_STARTED, { timeoutMs: 5, accepts: ({ position }) => position === 1 });
  // @ts-expect-error the signal belongs into the options when there are options
  await bus.request(message, HOOK_STARTED, { timeoutMs: 5 }, new AbortController().signal);
};

export const asking = async (): Promise<void> => {
  const before = await requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: {}, unknown: 'is fine' });
  const output: BeforeToolHookOutput | undefined = before.finalOutput;
  output?.getModifiedToolInput();
  const end = await requestHooks(bus, 'SessionEnd', { reason: 'exit' }, { timeoutMs: 5 });
  const plain: DefaultHookOutput | undefined = end.finalOutput;
  // @ts-expect-error nothing to modify at the end of a session
  plain?.getModifiedToolInput();
  // @ts-expect-error no such event
  await requestHooks(bus, 'BeforeLunch', {});
  // @ts-expect-error a tool has a name
  await requestHooks(bus, 'BeforeTool', { tool_input: {} });
  // @ts-expect-error a name is text
  await requestHooks(bus, 'BeforeTool', { tool_name: 7, tool_input: {} });
  // @ts-expect-error a session ends for known reasons
  await requestHooks(bus, 'SessionEnd', { reason: 'bored' });
};

export const confirming = async (): Promise<boolean> => {
  const confirm = confirmOverBus(bus, { timeoutMs: 5, fallback: 'allow' });
  // @ts-expect-error a fallback is allow or deny
  confirmOverBus(bus, { fallback: true });
  // @ts-expect-error a question has a reason
  await confirm({ eventName: 'BeforeTool' });
  return confirm({ eventName: 'BeforeTool', reason: 'sure?' }, { signal: new AbortController().signal });
};
