/** Keeps messages of hooks for the next model request. */
import type { TriggerConfig } from '../config.ts';
import { createCutNotice, TextBudget } from '../merging/index.ts';
import { DEFAULT_MODEL_TEXT_BYTES, noticeText } from '../protocol/index.ts';
import { getDeps, type Host } from './fire-event.ts';
import { isNotBlank } from './tool-result.ts';

const waitingMessages = new WeakMap<TriggerConfig, string[]>();

/** Reached only if the host never sends a model request through hooks. */
const MAX_WAITING_MESSAGES = 100;

export const addWaitingMessage = ({ config, warn }: Host, message: string | undefined): void => {
  if (!isNotBlank(message)) return;
  const messages = waitingMessages.get(config) ?? [];
  // An event may fire for every chunk of a response, each with the same message.
  if (messages.includes(message)) return;
  waitingMessages.set(config, messages);
  const limit = getDeps(config).limits?.modelTextBytes ?? DEFAULT_MODEL_TEXT_BYTES;
  const room = new TextBudget(limit, messages);
  messages.push(room.take(message));
  const dropped = room.droppedSince();
  if (dropped > 0) warn(`A message of hooks for the next request: ${noticeText(createCutNotice(dropped, limit))}`);
  if (messages.length <= MAX_WAITING_MESSAGES) return;
  messages.shift();
  warn(`More than ${MAX_WAITING_MESSAGES} messages of hooks wait for a request to the model; the oldest was dropped`);
};

export const getWaitingMessages = ({ config }: Host): readonly string[] => waitingMessages.get(config) ?? [];

export const hasWaitingMessages = (host: Host): boolean => getWaitingMessages(host).length > 0;

export const forgetWaitingMessages = ({ config }: Host): void => {
  waitingMessages.delete(config);
};
