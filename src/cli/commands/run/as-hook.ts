/** `run --as-hook`: answers an agent that started hookwright as its hook. */
import { appendFileSync } from 'node:fs';
import {
  engineMembers,
  type HostedCall,
  listFilesThatApproveNothing,
  readHostedCall,
  type WrittenAnswer,
} from '../../../agents/cli-api.ts';
import { catalogue, type HookEventName, isHookEventName, type PayloadOf } from '../../../events/index.ts';
import type { BackgroundMode, OnDecision } from '../../../handlers/index.ts';
import { HookSystem } from '../../../hook-system.ts';
import { describeThrown, escapeUnprintable, omitUndefined, textOf } from '../../../kit/index.ts';
import { type HookOutput, type HookRow, listConditionTexts, readCallPattern } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import { describeMissingGuards } from '../../../required-guards.ts';
import type { Journal } from '../../../sessions/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import type { AgentFlagValues } from '../../agents/agent-flags.ts';
import { expectHookEvent } from '../../arguments/events.ts';
import { readJsonObject } from '../../arguments/payload.ts';
import { ExitCode } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import type { AnsweredEvent } from '../../rendering/fired-lines.ts';
import { findVerdict } from '../../rendering/verdict-text.ts';
import { type FireEventOptions, fireEvent } from '../../sources/fire-event.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { createSessionFile } from '../../sources/sessions.ts';
import { writeShape } from '../../sources/stdin-shapes.ts';
import { UsageError } from '../../usage-error.ts';
import {
  canStartCopy,
  countTurnEnd,
  findProjectOfSession,
  readCopyInput,
  type SessionKey,
  selectSettingsDirectory,
  startCopy,
  storeBackgroundRows,
  takeBackgroundRows,
} from './agent-session.ts';
import {
  answerWithNotice,
  formatFailedCanaryLines,
  formatNotes,
  listNotices,
  withFailureWarnings,
} from './as-hook-notices.ts';
import type { MissedCallWarnings } from './missed-call-warnings.ts';
import { answerStartCheck, readStartCheck } from './start-check.ts';

const hasMembers = (value: object | undefined): boolean => Object.keys(value ?? {}).length > 0;

/** If an answer cannot be written, the exit code must not be 0, because the agent would then let the call go on. */
const writeAnswer = (
  { stdout, stderr, exitCode }: WrittenAnswer,
  context: Context,
  { isGate }: Pick<HostedCall, 'isGate'>,
): ExitCode => {
  const ifLost = isGate ? ExitCode.Block : ExitCode.Internal;
  if (stdout !== undefined)
    context.write(`${escapeUnprintable(JSON.stringify(stdout))}\n`, hasMembers(stdout) ? ifLost : undefined);
  if (stderr !== undefined) context.note(stderr.split('\n'));
  return exitCode === 2 ? ExitCode.Block : ExitCode.Ok;
};

const isRefused = ({ trace }: AnsweredEvent): boolean =>
  trace?.rows.some(
    ({ outcome, eventName, output }) =>
      outcome === 'answered' && ['deny', 'stop'].includes(findVerdict(eventName, output).verdict),
  ) === true;

/** In some agents' hook files `allow` means "no objection". If only such hooks allow, the agent still asks the user. */
const withoutBlanketAllow = async (
  output: HookOutput | undefined,
  { trace }: AnsweredEvent,
  { agent }: HostedCall,
  context: Context,
): Promise<HookOutput | undefined> => {
  if (output?.decision !== 'allow' || trace === undefined) return output;
  const polite = await listFilesThatApproveNothing(context);
  const isApproved = trace.rows.some(
    ({ output: said, fields, dialect = agent, source: { file } }) =>
      said?.decision === 'allow' &&
      fields?.decision !== undefined &&
      dialect === agent &&
      !(file !== undefined && polite.includes(file)),
  );
  if (isApproved) return output;
  const { decision: _courtesy, reason: _why, ...rest } = output;
  return rest;
};

const withHookSystem = async <T>(config: LoadedConfig, read: (system: HookSystem) => Promise<T>): Promise<T> => {
  const system = new HookSystem(config, undefined, config.getDeps());
  await system.initialize();
  const found = await read(system);
  await system.dispose();
  return found;
};

/** Whether any hook and any guard applies to the call. Without a tool name, the hooks of all tools apply. */
const findConcernedHooks = (
  config: LoadedConfig,
  { moment = '' }: HostedCall,
  toolName: unknown,
): Promise<{ readonly any: boolean; readonly guard: boolean }> =>
  withHookSystem(config, async (system) => {
    const hooks = system.getRegistry().getConfiguredHooks();
    const guards = hooks.filter(({ config: hook, lost }) => (hook ?? lost)?.onFault === 'deny');
    const ids = new Set(guards.map(({ hookId }) => hookId));
    const about = typeof toolName === 'string' ? { toolName } : {};
    const rows = isHookEventName(moment) ? await system.explain(moment, about) : [];
    const concerned = rows.filter(({ reason }) => reason !== 'matcher-mismatch' && reason !== 'disabled');
    return { any: concerned.length > 0, guard: concerned.some(({ hookId }) => ids.has(hookId)) };
  });

/** Answers a call for which no hook could run. If a guard applies to it, it is refused, otherwise the user is told. */
const answerWithoutHooks = async (
  call: HostedCall,
  config: LoadedConfig,
  toolName: unknown,
  why: string,
  context: Context,
): Promise<ExitCode> => {
  const { any, guard } = await findConcernedHooks(config, call, toolName);
  if (guard && call.isGate) return writeAnswer(call.answerFailedGuard(`a guard could not run: ${why}`), context, call);
  const user = `hookwright: no hook ran: ${why}`;
  if (any) context.note(user.split('\n'));
  // The reason may quote the input, which must give the model no instructions.
  const model = 'hookwright: no hook of this event ran. Tell the user to look at it: hookwright doctor';
  return writeAnswer(await answerWithNotice(call, undefined, true, any ? [{ user, model }] : []), context, call);
};

const listMissingGuards = async (config: LoadedConfig): Promise<readonly string[]> => {
  const required = config.getRequired();
  if (required.length === 0) return [];
  return withHookSystem(config, (system) => describeMissingGuards(system, required, () => system.checkNewCanaries()));
};

/** Names the events whose hooks are running, because a hook that starts the agent could fire its own event forever. */
const RUNNING_EVENTS_VARIABLE = 'HOOKWRIGHT_AS_HOOK';

const REPEATED_REASON = `${RUNNING_EVENTS_VARIABLE} says that a hook of this event started hookwright again`;

const selectRecording = (
  call: HostedCall,
  context: Context,
  onUnrecorded: (why: string) => void,
): string | undefined => {
  try {
    const file = createSessionFile(context.cwd, new Date());
    writeShape(file, call);
    return file;
  } catch (error) {
    onUnrecorded(describeThrown(error));
    return undefined;
  }
};

/** The agent waits for the answer, so the journal is loaded with the first decision, and written after the answer. */
const createJournal = (config: LoadedConfig, onTrouble: (why: string) => void) => {
  const place = config.getJournal();
  if (place === undefined) return undefined;
  let opened: Promise<Journal> | undefined;
  const open = async (): Promise<Journal> => {
    const { openJournal } = await import('../../../sessions/index.ts');
    return openJournal(place, onTrouble);
  };
  const add: OnDecision = (messages) => {
    opened ??= open();
    void opened.then((journal) => journal.add(messages));
  };
  return { add, close: async () => (await opened)?.close() };
};

interface AsHookFiring extends Pick<FireEventOptions, 'only' | 'file' | 'onUnrecorded'> {
  readonly session: SessionKey;
  readonly read: StdinInput;
  readonly troubles: string[];
  readonly variables?: Readonly<Record<string, string>>;
}

const BACKGROUND_LIMIT_MS = 5_000;

const COPY_LIMIT_MS = 600_000;

/** Fires the event. A copy of this process, which runs after the agent has its answer, runs only background hooks. */
const fireAsHook = async <E extends HookEventName>(
  config: LoadedConfig,
  eventName: E,
  payload: PayloadOf<E>,
  { session, read: { input, isCopy }, troubles, variables, ...options }: AsHookFiring,
  context: Context,
) => {
  const { supports, endsSession = false } = catalogue[eventName];
  const takesContext = supports.some((field) => field === 'additionalContext');
  const backgroundRows = !isCopy && (takesContext || endsSession) ? takeBackgroundRows(session) : [];
  const background: BackgroundMode = isCopy ? 'alone' : canStartCopy() ? 'left' : 'here';
  const journal = isCopy ? undefined : createJournal(config, (why) => troubles.push(why));
  const hooks: ConfiguredHook[] = [];
  const fired = await fireEvent(
    config,
    eventName,
    payload,
    {
      ...options,
      backgroundRows: takesContext ? backgroundRows : [],
      backgroundMs: isCopy ? COPY_LIMIT_MS : BACKGROUND_LIMIT_MS,
      onDecision: journal?.add,
      onLoaded: (all) => hooks.push(...all),
      deps: { background, ...omitUndefined({ variables }) },
    },
    context,
  );
  const rows = fired.trace?.rows ?? [];
  const inBackground = rows.filter((row) => row.background === true);
  if (isCopy) await storeBackgroundRows(session, inBackground);
  const waiting = rows.filter(({ outcome }) => outcome === 'background');
  return {
    fired,
    hooks,
    journal,
    notes: [
      ...(fired.leftRunning ?? []).map(
        (hook) => `Hook "${hook}" still ran in the background after ${BACKGROUND_LIMIT_MS} ms and was ended`,
      ),
      ...backgroundRows.flatMap(listLaterFailures),
      ...(endsSession ? backgroundRows.flatMap(listUnreported) : []),
      ...(background === 'left' && waiting.length > 0 ? await startBackgroundHooks(waiting, input, context) : []),
    ],
  };
};

const startBackgroundHooks = async (
  waiting: readonly HookRow[],
  input: StdinInput['input'],
  context: Context,
): Promise<string[]> => {
  try {
    await startCopy(input, context);
    return [];
  } catch (error) {
    const names = waiting.map(({ name }) => name).join(', ');
    return [`hooks in the background were not started: ${names}: ${describeThrown(error)}`];
  }
};

const listLaterFailures = ({ name, code, message }: HookRow): readonly string[] =>
  code === undefined ? [] : [`Hook "${name}" failed in the background: ${message ?? code}`];

const listUnreported = ({ name, output }: HookRow): readonly string[] => {
  const said = output?.systemMessage ?? output?.hookSpecificOutput?.additionalContext;
  return said === undefined
    ? []
    : [`Hook "${name}" spoke in the background, and the session ended first: ${textOf(said) ?? ''}`];
};

const writeVariables = (call: HostedCall, output: HookOutput | undefined, { env }: Context): readonly string[] => {
  const found = call.writeVariables(output);
  if (found === undefined) return [];
  const { variable, lines } = found;
  const file = env[variable];
  if (file === undefined) return [`variables of hooks do not reach ${call.title}: it sets no ${variable}`];
  try {
    appendFileSync(file, lines);
    return [];
  } catch (error) {
    return [`variables of hooks do not reach ${call.title}: ${describeThrown(error)}`];
  }
};

const checkMissedCalls = async (
  hooks: readonly ConfiguredHook[],
  agent: HostedCall | undefined,
  context: Context,
): Promise<MissedCallWarnings> => {
  const names = (agent?.tools ?? []).map(({ name }) => name);
  const inForce = hooks.filter(({ skipReasons }) => skipReasons.length === 0);
  const isDoubtful = ({ matcher = '', config = {} }: ConfiguredHook): boolean => {
    const parts = matcher.split('|').filter((part) => !['', '*'].includes(part.trim()));
    const isOpen = (tool: string | undefined): boolean =>
      tool !== undefined && names.includes(tool) && (parts.length === 0 || parts.includes(tool));
    const conditions = listConditionTexts(config.if ?? []).map((text) => readCallPattern(text)?.tool);
    return !conditions.every(isOpen) || parts.some((part) => !names.some((name) => name.includes(part)));
  };
  if (!inForce.some(isDoubtful)) return { guards: [], others: [] };
  return (await import('./missed-call-warnings.ts')).findMissedCallWarnings(inForce, agent, context);
};

const answerAgent = async (
  call: HostedCall,
  { agent: named, hook: only, record }: AsHookFlagValues,
  context: Context,
  input: StdinInput,
): Promise<ExitCode> => {
  const { moment, payload, sessionId, transcriptPath, cwd: eventDir = context.cwd } = call;
  if (moment === undefined || !isHookEventName(moment)) return writeAnswer(call.answerWithoutDecision(), context, call);
  const here = { ...context, cwd: await findProjectOfSession(call, context) };
  // The agent itself runs the hooks of its own files, so they are left out.
  const session = { sessionId, transcriptPath, eventDir, askedBy: call.agent };
  const { config } = await loadSettings(here, undefined, session);
  const mark = `${call.agent} ${call.event} ${sessionId ?? ''}`;
  const outer = context.env[RUNNING_EVENTS_VARIABLE]?.split('\n') ?? [];
  // A project could set the variable itself, so the user hears of skipped hooks, and guards refuse.
  if (outer.includes(mark)) return answerWithoutHooks(call, config, payload.tool_name, REPEATED_REASON, context);
  const missing = call.isGate ? await listMissingGuards(config) : [];
  if (missing.length > 0) return writeAnswer(call.answerFailedGuard(missing.join('; ')), context, call);
  const turn = input.isCopy ? undefined : countTurnEnd(call, moment, { ...call.members, ...payload }, only);
  const counted = { ...payload, ...turn?.fields };
  const whole = catalogue[moment].read({ ...call.members, ...counted });
  // Unknown fields of the agent must not keep its hooks from running.
  const read = whole.ok ? whole : catalogue[moment].read(counted);
  const answerUnrun = (why: string) => answerWithoutHooks(call, config, payload.tool_name, why, context);
  if (!read.ok) return answerUnrun(`the input does not fit ${moment}: ${read.message}`);
  const troubles: string[] = [];
  const onUnrecorded = (why: string): number => troubles.push(why);
  const file = record && !input.isCopy ? selectRecording(call, here, onUnrecorded) : undefined;
  const variables = { [RUNNING_EVENTS_VARIABLE]: [...outer, mark].join('\n') };
  const { fired, hooks, journal, notes } = await fireAsHook(
    config,
    moment,
    read.payload,
    { session: call, read: input, troubles, variables, only, file, onUnrecorded },
    context,
  );
  if (input.isCopy) return ExitCode.Ok;
  const { error } = fired.response ?? {};
  const output = withFailureWarnings(fired.response?.output, fired);
  const isDenied = findVerdict(moment, output).verdict === 'deny';
  await turn?.ended(isDenied && isRefused(fired));
  const unpassed = writeVariables(call, output, context);
  const missed = await checkMissedCalls(hooks, named === undefined ? undefined : call, here);
  if (error !== undefined) {
    const code = await answerUnrun(`${error.code}: ${error.message}`);
    await journal?.close();
    return code;
  }
  const notices = listNotices(call, fired, config, { missed, isDenied, cwd: here.cwd });
  const shown = await withoutBlanketAllow(output, fired, call, here);
  const code = writeAnswer(await answerWithNotice(call, shown, !isRefused(fired), notices), context, call);
  await journal?.close();
  // Agents show the stderr of a blocked call as the reason, so it must not contain other notes.
  if (code === ExitCode.Ok)
    context.note([
      ...(await formatNotes(call, fired, config, missed.others, here)),
      ...(catalogue[moment].beginsSession === true ? formatFailedCanaryLines(fired, here.cwd) : []),
      ...notes,
      ...unpassed,
      ...troubles.map((why) => `not recorded: ${why}`),
    ]);
  return code;
};

export interface AsHookFlagValues extends AgentFlagValues {
  readonly event: string | undefined;
  readonly hook: readonly string[];
  readonly record: boolean;
}

interface StdinInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly isCopy: boolean;
}

const readCall = async (given: AsHookFlagValues, context: Context) => {
  const { agent: dialect, event, 'agent-version': version } = given;
  const options = { dialect, event, version, env: context.env };
  try {
    const document = await readJsonObject('stdin', '-', context);
    const left = readCopyInput(document);
    const input = left ?? document;
    return { input, isCopy: left !== undefined, ...(await readHostedCall(input, options)) };
  } catch (error) {
    if (dialect === undefined || !(error instanceof UsageError)) throw error;
    return { input: {}, isCopy: false, ...(await readHostedCall({}, options)), why: error.message };
  }
};

export const runAsHook = async (
  given: AsHookFlagValues,
  { reportUnreadable: _neverShown, ...context }: Context,
): Promise<ExitCode> => {
  const read = await readCall(given, context);
  const check = readStartCheck(read.input);
  if (check !== undefined) return answerStartCheck(check, 'call' in read ? read.call : undefined, context);
  if ('call' in read) {
    const { call } = read;
    if (!('why' in read)) return answerAgent(call, given, context, read);
    const cwd = await findProjectOfSession(call, context);
    const { config } = await loadSettings({ ...context, cwd }, undefined, { askedBy: call.agent });
    return answerWithoutHooks(call, config, undefined, read.why, context);
  }
  if (given.agent !== undefined)
    throw new UsageError(read.unknown, 'name the event: hookwright run <event> --as-hook --agent <name>');
  return answerInOwnProtocol(given, read, context);
};

const answerInOwnProtocol = async (
  { event, hook: only }: AsHookFlagValues,
  read: StdinInput,
  context: Context,
): Promise<ExitCode> => {
  const { input, isCopy } = read;
  const name = event ?? input.hook_event_name;
  if (typeof name !== 'string')
    throw new UsageError('the input has no hook_event_name', 'name the event: hookwright run BeforeTool --as-hook');
  const eventName = expectHookEvent(name);
  const fields = Object.fromEntries(Object.entries(input).filter(([key]) => !engineMembers.has(key)));
  const session = { agent: 'hookwright', sessionId: textOf(input.session_id) };
  const turn = isCopy ? undefined : countTurnEnd(session, eventName, fields, only);
  const payload = catalogue[eventName].read({ ...fields, ...turn?.fields });
  if (!payload.ok) throw new UsageError(`the input does not fit ${eventName}: ${payload.message}`);
  const { HOOKWRIGHT_PROJECT_DIR: project } = context.env;
  const { sessionId } = session;
  const [transcriptPath, eventDir] = [textOf(input.transcript_path), textOf(input.cwd)];
  const cwd = selectSettingsDirectory([project], eventDir ?? context.cwd, context.cwd);
  const { config } = await loadSettings({ ...context, cwd }, undefined, { sessionId, transcriptPath, eventDir });
  const troubles: string[] = [];
  const { fired, hooks, journal, notes } = await fireAsHook(
    config,
    eventName,
    payload.payload,
    { session, read, troubles, only },
    context,
  );
  if (isCopy) return ExitCode.Ok;
  const missed = await checkMissedCalls(hooks, undefined, { ...context, cwd });
  const { response } = fired;
  if (response?.error !== undefined) context.note([`${response.error.code}: ${response.error.message}`]);
  const { verdict, reason } = findVerdict(eventName, response?.output);
  await turn?.ended(verdict === 'deny');
  const output = withFailureWarnings(response?.output, fired);
  if (hasMembers(output)) context.write(`${escapeUnprintable(JSON.stringify(output))}\n`, ExitCode.Block);
  await journal?.close();
  if (verdict === 'deny') {
    context.note([reason ?? 'blocked by a hook']);
    return ExitCode.Block;
  }
  const lines = [...missed.guards, ...missed.others];
  context.note([...(await formatNotes(session, fired, config, lines, { ...context, cwd })), ...notes, ...troubles]);
  return ExitCode.Ok;
};
