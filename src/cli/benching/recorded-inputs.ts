/** Chooses the inputs for `bench`: from a recording, or samples. */
import { catalogue, type HookEventName, isHookEventName } from '../../events/index.ts';
import { defaultHookTranslator } from '../../models/index.ts';
import { getWorkingDir, type HostConfig, isRequestType, readEventName, readPayload } from '../../protocol/index.ts';
import { readSession } from '../../sessions/index.ts';
import { explainMatcher } from '../arguments/read-matcher.ts';
import { findKnownTools } from '../doctor/known-tools.ts';
import { createPayloadForMatcher } from '../scaffold/sample-payload.ts';
import type { ConfiguredEntry } from '../sources/read-configuration.ts';
import { findSessionFile, listRecordedSessions } from '../sources/sessions.ts';
import { UsageError } from '../usage-error.ts';

interface RecordedInput {
  readonly eventName: HookEventName;
  readonly payload: unknown;
}

type HookInputs =
  | { readonly from: 'recording' | 'sample'; readonly inputs: readonly object[] }
  | { readonly problem: string };

/** More inputs would repeat the side effects of hooks more often than users expect. */
const MAX_BENCH_INPUTS = 3;

export interface InputSources {
  readonly recorded: readonly RecordedInput[];
  readonly knownTools: readonly string[];
}

export const findInputSources = async (session: string | undefined, cwd: string): Promise<InputSources> => ({
  recorded: await readRecordedInputs(
    session === undefined ? listRecordedSessions(cwd)[0] : findSessionFile(cwd, session),
  ),
  knownTools: (await findKnownTools([], cwd)).names,
});

const readRecordedInputs = async (file: string | undefined): Promise<RecordedInput[]> => {
  const found: RecordedInput[] = [];
  if (file === undefined) return found;
  for await (const { message } of readSession(file)) {
    if (!isRequestType(message.type) || !('payload' in message)) continue;
    const eventName = readEventName(message);
    if (isHookEventName(eventName)) found.push({ eventName, payload: readPayload(message) });
  }
  return found;
};

const createInputFrom = <E extends HookEventName>(
  config: HostConfig,
  eventName: E,
  matcher: string | undefined,
  payload: unknown,
): { readonly input: object } | { readonly problem: string } => {
  const read = catalogue[eventName].read(payload);
  if (!read.ok) return { problem: read.message };
  const { subject } = catalogue[eventName];
  const about = subject === undefined ? {} : { [subject.from]: subject.of(read.payload) };
  const { matches = true } = explainMatcher(eventName, matcher, about);
  if (matches !== true) return { problem: 'its matcher does not take it' };
  return {
    input: {
      session_id: config.getSessionId(),
      transcript_path: config.getTranscriptPath?.() ?? '',
      cwd: getWorkingDir(config),
      hook_event_name: eventName,
      timestamp: new Date().toISOString(),
      ...catalogue[eventName].toFields(read.payload, defaultHookTranslator),
    },
  };
};

const createSampleInput = (config: HostConfig, { row }: ConfiguredEntry, known: readonly string[]): HookInputs => {
  const { eventName, matcher } = row;
  if (!isHookEventName(eventName)) return { problem: `${eventName} is no event of ours` };
  try {
    const sample: object = catalogue[eventName].sample;
    const payload = { ...sample, ...createPayloadForMatcher(eventName, matcher, { tool: undefined, known }) };
    const made = createInputFrom(config, eventName, matcher, payload);
    return 'problem' in made ? made : { from: 'sample', inputs: [made.input] };
  } catch (error) {
    if (error instanceof UsageError) return { problem: `${error.message}; record a session in which it runs` };
    throw error;
  }
};

export const selectInputs = (
  config: HostConfig,
  hook: ConfiguredEntry,
  { recorded, knownTools: known }: InputSources,
): HookInputs => {
  const { eventName, matcher } = hook.row;
  const fitting = recorded
    .filter((request) => request.eventName === eventName)
    .map((request) => createInputFrom(config, request.eventName, matcher, request.payload))
    .flatMap((made) => ('input' in made ? [made.input] : []))
    .slice(-MAX_BENCH_INPUTS);
  return fitting.length > 0 ? { from: 'recording', inputs: fitting } : createSampleInput(config, hook, known);
};
