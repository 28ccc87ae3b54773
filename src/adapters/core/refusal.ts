import { HookwrightError } from '../../errors.ts';
import type { HookEventName } from '../../events/index.ts';
import type { HookVerdict } from '../../facade/index.ts';

/** What an SDK is told when hooks keep something from happening that it has no words for: it reports it as any error. */
export const refused = (eventName: HookEventName, what: string, reason: string): HookwrightError =>
  new HookwrightError('blocked', `${what} blocked by hook: ${reason}`, { details: { eventName, reason } });

/** @throws HookwrightError `blocked` when hooks are against it. */
export const expectAllowed = (
  eventName: HookEventName,
  what: string,
  { verdict, reason, stopReason }: HookVerdict,
): void => {
  if (verdict !== 'deny' && verdict !== 'stop') return;
  throw refused(eventName, what, reason ?? stopReason ?? 'no reason given');
};
