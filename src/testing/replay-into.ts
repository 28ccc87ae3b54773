/** `replayInto`: replays a recorded session into an engine, and compares the answers. */
import { type Bus, MessageBus } from '../bus/index.ts';
import { getBus, getHookSystem, type TriggerConfig } from '../config.ts';
import { createInvalidArgument } from '../errors.ts';
import type { Hooks } from '../facade/index.ts';
import { describeValue, isRecord } from '../kit/index.ts';
import { type AbilityEventResponse, type AnswerMessage, MessageBusType } from '../protocol/index.ts';
import {
  type EntryOfNoFile,
  type ReplayOptions,
  type ReplayPair,
  type ReplayReport,
  readSession,
  replay,
  type Session,
  sessionOf,
  toRecordedForm,
} from '../sessions/index.ts';
import { type CapturedMessages, captureTraffic, isCaptured, type Traffic } from './capture-traffic.ts';
import { readVerdict } from './matchers/describe.ts';
import { formatTable } from './text-table.ts';

export type Recorded = string | Session | readonly EntryOfNoFile[] | CapturedMessages;

/** Report of a replay, which compared recorded answers with the answers of the current hooks. */
export interface Replayed extends ReplayReport {
  /** Requests whose answer differs from the recorded one, or that have no recorded answer. */
  readonly changed: readonly ReplayPair[];
  readonly traffic: Traffic;
  toText(): string;
}

const isEntryList = (value: unknown): value is readonly EntryOfNoFile[] => Array.isArray(value);

/** Captured messages have no times, so they are placed one millisecond apart. */
const toEntries = ({ messages }: CapturedMessages): readonly EntryOfNoFile[] =>
  messages.map((message, at) => ({
    at,
    message: message.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? toRecordedForm(message) : message,
  }));

const toSession = (recorded: Recorded): Session => {
  if (typeof recorded === 'string') return readSession(recorded);
  if (isCaptured(recorded)) return sessionOf(toEntries(recorded));
  return isEntryList(recorded) ? sessionOf(recorded) : recorded;
};

const findBus = (engine: Hooks | TriggerConfig | Bus): Bus => {
  const given: unknown = engine;
  if (!isRecord(given))
    throw createInvalidArgument(`replayInto needs hooks, a config or a bus, got ${describeValue(given)}`);
  if ('stream' in engine) return engine;
  if ('beforeTool' in engine) return engine.bus;
  const system = getHookSystem(engine, new MessageBus());
  if (system === undefined) throw createInvalidArgument('replayInto: hooks are switched off in the given config');
  const bus = getBus(engine);
  if (bus === undefined)
    throw createInvalidArgument('replayInto: the hook system of the given config has no bus; give it one');
  return bus;
};

const formatSignals = ({ result }: AbilityEventResponse): string =>
  result.success ? result.hook_signals.map(({ code }) => code).join(', ') || 'no signal' : 'failed';

const formatVerdict = (response: AnswerMessage | undefined): string => {
  if (response === undefined) return 'no answer';
  if (response.error !== undefined) return response.error.code;
  return response.type === MessageBusType.ABILITY_EVENT_RESPONSE ? formatSignals(response) : readVerdict(response);
};

const describeProblems = (problems: ReplayReport['problems']): string => {
  const [first] = problems;
  return first === undefined
    ? ''
    : ` Lines that could not be used: ${problems.length}; line ${first.line}: ${first.message}`;
};

const formatReplayReport = ({ pairs, problems }: ReplayReport, changed: readonly ReplayPair[]): string => {
  const counts = `${pairs.length - changed.length} of ${pairs.length} requests are answered as they were.`;
  const summary = `Replay: ${counts}${describeProblems(problems)}`;
  if (changed.length === 0) return summary;
  const rows = changed.map(({ line, eventName, subject, recorded, replayed, differences }) => [
    ...[String(line), eventName, subject, formatVerdict(recorded), formatVerdict(replayed)],
    differences.join(', '),
  ]);
  return `${summary}\n\n${formatTable(['line', 'event', 'about', 'then', 'now', 'differs in'], rows)}`;
};

/**
 * Sends recorded requests to an engine one by one, runs its hooks, and compares the answers. Rejects as `replay` does,
 * and if there is no request to send, because then no answer has changed.
 */
export const replayInto = async (
  recorded: Recorded,
  engine: Hooks | TriggerConfig | Bus,
  options: Omit<ReplayOptions, 'mode'> = {},
): Promise<Replayed> => {
  const session = toSession(recorded);
  const bus = findBus(engine);
  const traffic = captureTraffic(bus);
  try {
    const report = await replay(session, bus, { ...options, mode: 'drive' });
    if (report.pairs.length === 0) {
      const why = describeProblems(report.problems);
      throw createInvalidArgument(`replayInto: no request of the recording was sent, so nothing was compared.${why}`);
    }
    const changed = report.pairs.filter(({ same }) => !same);
    return { ...report, changed, traffic, toText: () => formatReplayReport(report, changed) };
  } finally {
    traffic.stop();
  }
};
