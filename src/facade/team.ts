/** The `team` option: requests the verdict of hooks of other processes over a bus, as if they were one hook. */
import { type Bus, requestHooks } from '../bus/index.ts';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { catalogue, firedEventNames, type HookEventName, isHookEventName } from '../events/index.ts';
import { describeValue, expectKnown, formatSuggestion, isPositiveNumber, isRecord } from '../kit/index.ts';
import {
  AnswerWithWarnings,
  type HookOutput,
  isBlocking,
  notice,
  type OnFault,
  type OnLost,
  onLostWords,
} from '../protocol/index.ts';
import { type DefinedHook, toHook } from './define-hook.ts';

export interface TeamOptions {
  readonly bus: Bus;
  /** The verdict if no host answers. Default: `deny` for events that approve something, else `none`. */
  readonly onLost?: OnLost | undefined;
  /** Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Default: all events. */
  readonly events?: readonly HookEventName[] | undefined;
}

interface TeamSettings extends TeamOptions {
  readonly timeoutMs: number;
  readonly events: readonly HookEventName[];
}

const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;

/** The request times out this much earlier than the hook that sends it. */
const REQUEST_MARGIN_MS = 2_000;

const createTeamError = (message: string): HookwrightError => createInvalidArgument(`createHooks team: ${message}`);

const isBus = (value: unknown): value is Bus =>
  isRecord(value) && typeof value.publish === 'function' && typeof value.request === 'function';

const teamOptionNames: readonly (keyof TeamOptions)[] = ['bus', 'onLost', 'timeoutMs', 'events'];

export const readTeam = (given: Bus | TeamOptions, own: Bus): TeamSettings => {
  const options = isBus(given) ? { bus: given } : given;
  if (!isRecord(options) || !isBus(options.bus))
    throw createTeamError(`expected a bus, or {bus, …}; got ${describeValue(given)}`);
  if (!isBus(given)) expectKnown('createHooks team', given, teamOptionNames);
  const { bus, onLost, timeoutMs = DEFAULT_REQUEST_TIMEOUT_MS, events = firedEventNames } = options;
  if (bus === own) throw createTeamError('it is the bus of this engine, which would ask itself; give it another one');
  if (onLost !== undefined && !onLostWords.includes(onLost)) {
    throw createTeamError(`onLost: expected one of ${onLostWords.join(', ')}, got ${describeValue(onLost)}`);
  }
  if (!isPositiveNumber(timeoutMs)) {
    throw createTeamError(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
  if (!Array.isArray(events) || events.length === 0) {
    throw createTeamError(`events: expected a list of at least one event, got ${describeValue(events)}`);
  }
  const unknown = events.find((event) => !isHookEventName(event));
  if (unknown !== undefined)
    throw createTeamError(`${unknown} is not an event${formatSuggestion(unknown, firedEventNames)}`);
  return { bus, onLost, timeoutMs, events };
};

const onFaultByOnLost: Readonly<Record<Exclude<OnLost, 'retry'>, OnFault>> = {
  deny: 'deny',
  ask: 'ask',
  none: 'allow',
};

const chooseOnFault = (event: HookEventName, onLost: OnLost | undefined): OnFault =>
  onFaultByOnLost[onLost === undefined || onLost === 'retry' ? (catalogue[event].onLost ?? 'none') : onLost];

/** Other hosts have sessions and paths of their own, so the fields of this agent go into `agent`. */
const removeBaseFields = ({
  session_id,
  transcript_path,
  cwd,
  hook_event_name,
  timestamp,
  ...fields
}: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...fields,
  agent: { session_id, transcript_path, cwd, hook_event_name, timestamp },
});

/** `false` for the substitute verdict when no host could be reached, and for `ask` where `onFault` is as strict. */
const isHooksVerdict = (output: HookOutput | undefined, onFault: OnFault): boolean =>
  output !== undefined &&
  output.hookSpecificOutput?.onFault !== true &&
  (isBlocking(output.decision) || output.continue === false || (output.decision === 'ask' && onFault === 'allow'));

/** Asks the hooks of other processes on the bus (the team) by one hook per event, with a row, a timeout and faults. */
export const createTeamHooks = ({ bus, onLost, timeoutMs, events }: TeamSettings): DefinedHook[] =>
  events.map((event) => {
    const onFault = chooseOnFault(event, onLost);
    return toHook({
      event,
      name: 'team',
      timeout: timeoutMs + REQUEST_MARGIN_MS,
      onFault,
      run: async (input: object, { signal }: { readonly signal: AbortSignal }) => {
        const payload: object = removeBaseFields({ ...input });
        const read = catalogue[event].read(payload);
        if (!read.ok) throw new HookwrightError('validation_failure', read.message);
        const wish = onLost ?? 'event';
        const result = await requestHooks(bus, event, read.payload, {
          timeoutMs,
          signal,
          ...(wish === 'event' ? {} : { onLost: wish }),
        });
        const { success, errors, finalOutput } = result;
        const [error] = errors;
        const isUnheard = !success && HookwrightError.is(error) && error.code !== 'hook_failed';
        if (isUnheard && !isHooksVerdict(finalOutput, onFault))
          throw new Error(`the team was not heard: ${error.message} (${error.code})`);
        const answer = finalOutput === undefined ? undefined : { ...finalOutput };
        if (errors.length === 0) return answer;
        return new AnswerWithWarnings(
          answer,
          errors.map(({ message }) => notice('team-fault', message)),
        );
      },
    });
  });
