/** `hookwright run`: fires an event with the configured hooks, and shows the result. */
import { catalogue, type HookEventName, type PayloadOf } from '../../../events/index.ts';
import { readSession } from '../../../sessions/index.ts';
import { isBlockedOrParked } from '../../../triggers/index.ts';
import {
  formatSelectedAgent,
  loadSettingsOfAgent,
  selectAgent,
  toAgentData,
  toHookEvent,
} from '../../agents/select-agent.ts';
import { expectHookEvent } from '../../arguments/events.ts';
import { completePayload, type PayloadFlagValues } from '../../arguments/payload.ts';
import type { CommandMain } from '../../command.ts';
import type { Context } from '../../context.ts';
import { formatFiredEvent } from '../../rendering/fired-lines.ts';
import { formatProblemsNote } from '../../rendering/problem-lines.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { findVerdict } from '../../rendering/verdict-text.ts';
import { fireEvent } from '../../sources/fire-event.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { formatSettingsAbove } from '../../sources/read-configuration.ts';
import { findRequest } from '../../sources/recorded-requests.ts';
import { createSessionFile, findSessionFile } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import { runAsHook } from './as-hook.ts';
import type { runSpec } from './spec.ts';

export const run: CommandMain<typeof runSpec> = async (options, context) => {
  const { event, tool, input, from, session, hook, record, 'as-hook': asHook } = options;
  if (asHook) return runAsHook(options, context);
  if (event === undefined && from === undefined) {
    throw new UsageError('run needs an event, or --from with a recorded request', 'hookwright run --help');
  }
  if (from !== undefined && (event ?? tool ?? input) !== undefined) {
    throw new UsageError('--from takes event and payload from the recording; leave out the event, --tool and --input');
  }
  const selected = from === undefined ? await selectAgent(options, event, context) : undefined;
  const named = selected === undefined ? (event ?? '') : toHookEvent(selected, event ?? '');
  const { eventName, payload, remarks } =
    from === undefined
      ? await readGivenEvent(named, { tool, input }, context)
      : await readRecordedEvent(from, session, context);
  const { config, problems } = await (selected === undefined
    ? loadSettings(context)
    : loadSettingsOfAgent(selected, context));
  const file = record ? createSessionFile(context.cwd, new Date()) : undefined;
  context.progress(`${eventName}: hooks are running`);
  const unrecorded: string[] = [];
  const onUnrecorded = (why: string): unknown => unrecorded.push(why);
  const wish = { only: hook, file, onUnrecorded, backgroundMs: 60_000 };
  const fired = await fireEvent(config, eventName, payload, wish, context);
  const isRecorded = file !== undefined && unrecorded.length === 0;
  const allProblems = [...problems, ...unrecorded.map((message) => ({ severity: 'error', message }) as const)];
  context.note(formatProblemsNote(allProblems, context));
  const { response, trace } = fired;
  const decision = findVerdict(eventName, response?.output);
  const notes: Text = [
    ...(trace?.rows.length === 0 ? formatSettingsAbove(context.cwd) : []),
    ...remarks.map((remark) => [createSpan('dim', remark)]),
    ...(isRecorded ? [[createSpan('dim', `recorded to ${shortenPath(file, context.cwd)}`)]] : []),
  ];
  return {
    findings: response?.error !== undefined || isBlockedOrParked(decision),
    interrupted: context.signal.aborted && response?.error?.code === 'cancelled',
    data: {
      agent: selected && toAgentData(selected),
      eventName,
      payload,
      verdict: decision.verdict,
      response,
      trace,
      session: isRecorded ? file : undefined,
    },
    problems: allProblems,
    text: () => [
      ...(selected === undefined ? [] : formatSelectedAgent(selected, context)),
      ...formatFiredEvent({ ...fired, payload, isUnread: context.hasUnreadable() }, context),
      ...(notes.length === 0 ? [] : ['', ...notes]),
    ],
  };
};

interface EventToFire {
  readonly eventName: HookEventName;
  readonly payload: PayloadOf<HookEventName>;
  readonly remarks: readonly string[];
}

const readGivenEvent = async (event: string, options: PayloadFlagValues, context: Context): Promise<EventToFire> => {
  const eventName = expectHookEvent(event);
  const { payload, filled } = await completePayload(eventName, options, context);
  const remarks = filled.length === 0 ? [] : [`Placeholder values used for: ${filled.join(', ')}`];
  return { eventName, payload, remarks };
};

const readRecordedEvent = async (from: string, wish: string | undefined, { cwd }: Context): Promise<EventToFire> => {
  const session = readSession(findSessionFile(cwd, wish));
  const found = await findRequest(session, { request: from }, cwd);
  const eventName = expectHookEvent(found.eventName);
  const read = catalogue[eventName].read(found.payload);
  if (!read.ok) throw new UsageError(`the recorded request does not fit ${eventName}: ${read.message}`);
  const remarks = [`taken from ${shortenPath(session.file, cwd)}:${found.line}; secrets in it were replaced by marks`];
  return { eventName, payload: read.payload, remarks };
};
