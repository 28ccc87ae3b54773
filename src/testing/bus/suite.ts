/** Messages and helpers that all bus tests share. */
import type { Bus } from '../../bus/index.ts';
import type { HookwrightError } from '../../errors.ts';
import { MessageBusType, type MessageOf } from '../../protocol/index.ts';
import type { expectVitest } from '../vitest.ts';

export interface BusSuite extends Pick<ReturnType<typeof expectVitest>, 'describe' | 'expect' | 'test' | 'vi'> {
  readonly name: string;
  readonly createBus: () => Bus | Promise<Bus>;
  readonly inline: boolean;
  readonly knowsListeners: boolean;
  readonly remote: boolean;
  /** Checks immediately on a bus that delivers inside `publish`, otherwise until `check` passes within a second. */
  readonly soon: (check: () => void) => Promise<void>;
}

export const collectErrors = (bus: Bus): HookwrightError[] => {
  const errors: HookwrightError[] = [];
  bus.on('error', (error) => errors.push(error));
  return errors;
};

export const collectNotes = (bus: Bus): string[] => {
  const notes: string[] = [];
  bus.subscribe(NOTE, ({ message }) => notes.push(message));
  return notes;
};

export const publishNotes = (bus: Bus, ...notes: string[]): void => {
  for (const note of notes) bus.publish(createSampleNote(note));
};

export const {
  HOOK_EXECUTION_REQUEST: REQUEST,
  HOOK_EXECUTION_RESPONSE: RESPONSE,
  HOOK_SYSTEM_MESSAGE: NOTE,
  HOOK_CONFIRMATION_RESPONSE: ANSWER,
} = MessageBusType;

export const createSampleRequest = (correlationId: string): MessageOf<typeof REQUEST> => ({
  type: REQUEST,
  correlationId,
  eventName: 'BeforeTool',
  payload: { tool_name: 'shell', tool_input: {} },
});

export const createSampleResponse = (correlationId: string): MessageOf<typeof RESPONSE> => ({
  type: RESPONSE,
  correlationId,
  eventName: 'BeforeTool',
  success: true,
  result: { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 },
});

export const createSampleRefusal = (
  correlationId: string,
  code: NonNullable<MessageOf<typeof RESPONSE>['error']>['code'],
): MessageOf<typeof RESPONSE> => ({
  ...createSampleResponse(correlationId),
  success: false,
  result: { success: false, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 },
  error: { code, message: `refused: ${code}` },
});

export const createSampleNote = (message: string): MessageOf<typeof NOTE> => ({
  type: NOTE,
  correlationId: 'note',
  eventName: 'BeforeTool',
  hookId: 'project:BeforeTool:guard',
  hookName: 'guard',
  message,
});

export const respondImmediately = (bus: Bus): (() => void) =>
  bus.subscribe(REQUEST, ({ correlationId }) => bus.publish(createSampleResponse(correlationId)));

function assertType<T>(_value: unknown): asserts _value is T {}

export const castUntyped = <T>(value: unknown): T => {
  assertType<T>(value);
  return value;
};

/** Waits, because Node reports unhandled rejections, and RxJS rethrows errors, in later turns of the event loop. */
export const waitForRejections = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

export const createThrower = (thrown: unknown) => (): never => {
  throw thrown;
};

export const createThrowingGetter = (field: string, rest: object): object =>
  Object.defineProperty({ ...rest }, field, { enumerable: true, get: createThrower(new Error('do not look')) });

export const createThenable = (then: unknown): object => Object.defineProperty({}, 'then', { value: then });

export const malformedMessages: readonly (readonly [title: string, message: unknown])[] = [
  ['null', null],
  ['nothing', undefined],
  ['a string', 'hook-started'],
  ['an array', [REQUEST]],
  ['a message without a type', { correlationId: 'a' }],
  ['a message of an unknown type', { type: 'HOOK_STARTED', correlationId: 'a' }],
  ['a type from a prototype', { type: '__proto__', correlationId: 'a' }],
  ['a request without an id', { type: REQUEST, eventName: 'BeforeTool', payload: {} }],
  ['an empty id', { type: REQUEST, correlationId: '' }],
  ['an id that is an object', { type: REQUEST, correlationId: {} }],
  ['an id of 257 characters', { type: REQUEST, correlationId: 'x'.repeat(257) }],
  ['an id of 1 MB', { type: REQUEST, correlationId: 'x'.repeat(2 ** 20) }],
  ['a type that throws when read', createThrowingGetter('type', { correlationId: 'a' })],
  ['an id that throws when read', createThrowingGetter('correlationId', { type: REQUEST })],
  ['an id that is a BigInt', { type: REQUEST, correlationId: 1n }],
];
