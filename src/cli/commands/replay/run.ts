import { expectEvents } from '../../arguments/events.ts';
import type { Run } from '../../command.ts';
import { chooseSession } from '../../sources/choose-session.ts';
import { UsageError } from '../../usage-error.ts';
import type { replaySpec } from './spec.ts';

const paceOf = (given: string | undefined): 'instant' | 'recorded' | number => {
  if (given === undefined || given === 'instant') return 'instant';
  if (given === 'recorded') return 'recorded';
  const pace = Number(given);
  if (Number.isFinite(pace) && pace > 0) return pace;
  throw new UsageError(`--pace must be instant, recorded or a number over 0, found ${JSON.stringify(given)}`);
};

const listed = <Name extends string>(names: readonly Name[]): readonly Name[] | undefined =>
  names.length === 0 ? undefined : names;

export const run: Run<typeof replaySpec> = async (given, context) => {
  const { drive, pace, event: events, tool: tools, hook: hooks, full } = given;
  const chosen = await chooseSession('replay', given, context);
  const session = chosen.open();
  const options = {
    pace: paceOf(pace),
    events: listed(expectEvents(events)),
    tools: listed(tools),
    hooks: listed(hooks),
  };
  if (drive) return (await import('./drive.ts')).drive(session, options, context);
  return (await import('./observe.ts')).observe(chosen.name, session, { ...options, full }, context);
};
