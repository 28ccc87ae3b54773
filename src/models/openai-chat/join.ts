import { isRecord } from '../../kit/index.ts';
import { isFiniteNumber, listOf } from '../json-tools.ts';
import type { ChatChunk, ChatResponse } from './sdk-types.ts';

type Members = Record<string, unknown>;

const added = (before: unknown, piece: unknown): unknown =>
  typeof piece === 'string' ? `${typeof before === 'string' ? before : ''}${piece}` : before;

/** Lists come in pieces with an `index` each. */
const joinAt = (items: Members[], pieces: unknown, join: (item: Members, piece: Members) => void): void => {
  for (const piece of listOf(pieces).filter(isRecord)) {
    const index = isFiniteNumber(piece.index) ? piece.index : 0;
    let item = items.find((one) => one.index === index);
    if (item === undefined) {
      item = { index };
      items.push(item);
    }
    join(item, piece);
  }
};

const joinCall = (call: Members, { function: said, ...piece }: Members): void => {
  Object.assign(call, piece);
  if (!isRecord(said)) return;
  const before = isRecord(call.function) ? call.function : {};
  call.function = { ...before, ...said, arguments: added(before.arguments, said.arguments) ?? '' };
};

/** What is text grows, what is anything else takes the place of what was there. */
const joinDelta = (message: Members, { tool_calls, ...delta }: Members, calls: Members[]): void => {
  for (const [key, value] of Object.entries(delta)) {
    if (key !== 'role' && typeof value === 'string') message[key] = added(message[key], value);
    else if (value != null || !(key in message)) message[key] = value;
  }
  joinAt(calls, tool_calls, joinCall);
};

/** The response that the pieces of a stream come to, as the API would have sent it at once. */
export const joinChunks = (chunks: Iterable<ChatChunk>): ChatResponse => {
  const whole: Members = {};
  const choices: Members[] = [];
  const callsOf = new Map<Members, Members[]>();
  for (const chunk of chunks) {
    const { choices: pieces, ...rest } = chunk;
    for (const [key, value] of Object.entries(rest)) if (value != null) whole[key] = value;
    joinAt(choices, pieces, (choice, { delta, ...piece }) => {
      const message = isRecord(choice.message) ? choice.message : { role: 'assistant', content: null };
      const calls = callsOf.get(choice) ?? [];
      callsOf.set(choice, calls);
      for (const [key, value] of Object.entries(piece)) if (value != null || !(key in choice)) choice[key] = value;
      if (isRecord(delta)) joinDelta(message, delta, calls);
      choice.message = message;
    });
  }
  for (const [choice, calls] of callsOf) {
    if (calls.length > 0 && isRecord(choice.message)) choice.message.tool_calls = calls.map(withoutIndex);
  }
  return { ...whole, object: 'chat.completion', choices };
};

const withoutIndex = ({ index, ...call }: Members): Members => call;
