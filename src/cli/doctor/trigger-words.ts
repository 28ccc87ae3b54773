import {
  catalogue,
  type HookEventName,
  NotificationType,
  PreCompressTrigger,
  SessionEndReason,
  SessionStartSource,
} from '../../events/catalogue.ts';

/** All words that session-like events are fired with; which of them belong to an event says its record. */
const words: readonly string[] = [
  ...Object.values(SessionStartSource),
  ...Object.values(SessionEndReason),
  ...Object.values(PreCompressTrigger),
  ...Object.values(NotificationType),
];

/** The words an event that is not about tools can be fired with; none where that is open. */
export const triggerWordsOf = (eventName: HookEventName): readonly string[] => {
  const { read } = catalogue[eventName];
  const possible = words.filter((word) => {
    const payload = { source: word, reason: word, trigger: word, notification_type: word, message: '', details: {} };
    return read(payload).ok;
  });
  return [...new Set(possible)];
};
