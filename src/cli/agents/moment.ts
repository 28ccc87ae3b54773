import { isHookEventName } from '../../events/index.ts';
import { suggestion } from '../../kit/index.ts';
import { UsageError } from '../usage-error.ts';
import type { Whose } from './whose-hooks.ts';

/** Refuses a name that is neither an event of the agent nor one of ours for which it has one. */
export const expectEventOf = ({ agent }: Whose, event: string | undefined): void => {
  if (event === undefined || agent.knows(event) || agent.events.some((name) => agent.momentOf(name) === event)) return;
  throw new UsageError(
    `${JSON.stringify(event)} is not an event of ${agent.title}${suggestion(event, agent.events)}`,
    `events: ${agent.events.join(', ')}`,
  );
};

/** Our event for what an agent calls so: only that can be fired here. */
export const momentFor = (whose: Whose, event: string): string => {
  expectEventOf(whose, event);
  const moment = whose.agent.momentOf(event) ?? event;
  if (isHookEventName(moment)) return moment;
  throw new UsageError(
    `hookwright has no event like ${event} of ${whose.agent.title}, so its hooks cannot be run here`,
    `hookwright explain ${event} says what the agent would do`,
  );
};
