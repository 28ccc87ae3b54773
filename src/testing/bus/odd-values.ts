import { REQUEST } from './sample-messages.ts';

export const getterThatThrows = (field: string, rest: object): object =>
  Object.defineProperty({ ...rest }, field, {
    enumerable: true,
    get: () => {
      throw new Error('do not look');
    },
  });

export const aThenable = (then: unknown): object => Object.defineProperty({}, 'then', { value: then });

export const malformed: readonly (readonly [title: string, message: unknown])[] = [
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
  ['a type that throws when read', getterThatThrows('type', { correlationId: 'a' })],
  ['an id that throws when read', getterThatThrows('correlationId', { type: REQUEST })],
  ['an id that is a BigInt', { type: REQUEST, correlationId: 1n }],
];
