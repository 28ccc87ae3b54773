/** `run --as-hook`: answers an agent that started hookwright as its hook. */
import { appendFileSync } from 'node:fs';
import {
  type HostedCall,
  listFilesThatApproveNothing,
  readHostedCall,
  type WrittenAnswer,
} from '../../../agents/agents.ts';
import { catalogue, type HookEventName, isHookEventName } from '../../../events/index.ts';
import type { BackgroundMode, OnDecision } from '../../../handlers/index.ts';
import { HookSystem } from '../../../hook-system.ts';
import { describeThrown, escapeUnprintable, textOf } from '../../../kit/index.ts';
import { findHomeDirectory } from '../../../kit/node.ts';
import { type HookOutput, type HookRow, listConditionTexts, readCallPattern } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import { describeMissingGuards } from '../../../required-guards.ts';
import type { Journal } from '../../../sessions/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import type { AgentFlagValues } from '../../agents/agent-flags.ts';
import { expectEvent } from '../../arguments/events.ts';
import { readJsonObject } from '../../arguments/payload.ts';
import { ExitCode } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import type { AnsweredEvent } from '../../rendering/fired-lines.ts';
import { findVerdict } from '../../rendering/verdict-text.ts';
import { fireEvent } from '../../sources/fire-event.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { createSessionFile } from '../../sources/sessions.ts';
import { writeShape } from '../../sources/stdin-shapes.ts';
import { UsageError } from '../../usage-error.ts';
import {
  canStartCopy,
  countTurnEnd,
  findProjectOfSession,
  readCopyInput,
  rememberUnshownLines,
  type SessionKey,
  selectSettingsDirectory,
  startCopy,
  storeBackgroundRows,
  takeBackgroundRows,
} from './agent-session.ts';
import {
  answerWithNotice,
  formatFailedCanaryLines,
  formatLostGuardLines,
  formatSkippedHookLines,
  formatUnapprovedLines,
  listFailedHookNotices,
  listHomeDirectoryWarnings,
  listLostGuardNotices,
  listLostHomeNotices,
  listMissedGuardNotices,
  listUnapprovedNotices,
  listUnsupportedNotices,
  withFailureWarnings,
} from './as-hook-notices.ts';
import type { MissedTexts } from './missed-texts.ts';
import { answerStartCheck, readStartCheck } from './start-check.ts';

const ownFields: ReadonlySet<string> = new Set([
  'session_id',
  'transcript_path',
  'cwd',
  'hook_event_name',
  'timestamp',
]);

const selectEvent = (event: string | undefined, input: Readonly<Record<string, unknown>>): string => {
  const name = event ?? input.hook_event_name;
  if (typeof name === 'string') return name;
  throw new UsageError('the input has no hook_event_name', 'name the event: hookwright run BeforeTool --as-hook');
};

const hasContent = (output: HookOutput | undefined): output is HookOutput =>
  output !== undefined && Object.keys(output).length > 0;

/** With the exit code 0, an agent would read a lost denial as consent. */
const writeOut = (
  { stdout, stderr, exitCode }: WrittenAnswer,
  context: Context,
  { isGate }: Pick<HostedCall, 'isGate'>,
): ExitCode => {
  const isEmpty = stdout === undefined || Object.keys(stdout).length === 0;
  const ifLost = isEmpty ? undefined : isGate ? ExitCode.Block : ExitCode.Internal;
  if (stdout !== undefined) context.write(`${escapeUnprintable(JSON.stringify(stdout))}\n`, ifLost);
  if (stderr !== undefined) context.note(stderr.split('\n'));
  return exitCode === 2 ? ExitCode.Block : ExitCode.Ok;
};

const isRefused = ({ trace }: AnsweredEvent): boolean =>
  trace?.rows.some(
    ({ outcome, eventName, output }) =>
      outcome === 'answered' && ['deny', 'stop'].includes(findVerdict(eventName, output).verdict),
  ) === true;

/** Some agents' hooks allow every call. If only such hooks allow, the agent must still prompt the user. */
const withoutBlanketAllow = async (
  output: HookOutput | undefined,
  { trace }: AnsweredEvent,
  { agent }: HostedCall,
  { cwd, env }: Context,
): Promise<HookOutput | undefined> => {
  if (output?.decision !== 'allow' || trace === undefined) return output;
  const polite = await listFilesThatApproveNothing({ cwd, home: findHomeDirectory(), env });
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

/** The hooks that a call concerns: `any` hook, and a `guard`. */
const findConcernedHooks = async (
  config: LoadedConfig,
  moment: string,
  toolName: unknown,
): Promise<{ readonly any: boolean; readonly guard: boolean }> => {
  const system = new HookSystem(config, undefined, config.getDeps());
  await system.initialize();
  const guards = new Set(
    system
      .getRegistry()
      .getConfiguredHooks()
      .flatMap(({ hookId, config: hook, lost }) => ((hook ?? lost)?.onFault === 'deny' ? [hookId] : [])),
  );
  const about = typeof toolName === 'string' ? { toolName } : {};
  const rows = isHookEventName(moment) ? await system.explain(moment, about) : [];
  await system.dispose();
  const concerned = rows.filter(({ reason }) => reason !== 'matcher-mismatch' && reason !== 'disabled');
  return { any: concerned.length > 0, guard: concerned.some(({ hookId }) => guards.has(hookId)) };
};

const hasGuard = async (config: LoadedConfig, moment: string, toolName: unknown): Promise<boolean> =>
  (await findConcernedHooks(config, moment, toolName)).guard;

const listMissingGuards = async (config: LoadedConfig): Promise<readonly string[]> => {
  const required = config.getRequired();
  if (required.length === 0) return [];
  const system = new HookSystem(config, undefined, config.getDeps());
  await system.initialize();
  const missing = await describeMissingGuards(system, required, () => system.checkNewCanaries());
  await system.dispose();
  return missing;
};

/** A hook may start the agent's command line again. With this variable, that does not fire the same event again. */
const MARK_VARIABLE = 'HOOKWRIGHT_AS_HOOK';

const REPEATED = `${MARK_VARIABLE} says that a hook of this event started hookwright again`;

/** The settings of a project may set the variable, too, so it ends no hook without a word. */
const answerRepeated = async (call: HostedCall, config: LoadedConfig, context: Context): Promise<ExitCode> => {
  const concerned = await findConcernedHooks(config, call.moment ?? '', call.payload.tool_name);
  if (concerned.guard) return writeOut(call.answerFailedGuard(`a guard could not run: ${REPEATED}`), context, call);
  const text = `hookwright: no hook ran: ${REPEATED}`;
  if (concerned.any) context.note([text]);
  const notices = concerned.any ? [{ user: text, model: text }] : [];
  return writeOut(await answerWithNotice(call, undefined, true, notices), context, call);
};

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

/** The agent waits, so the journal is loaded with the first decision, and written after the answer. */
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

/** The agent itself runs the hooks of its own files, so they are excluded. */
const excludeAgentHooks = ({ agent }: HostedCall) => ({ askedBy: agent });

const handleBackgroundHooks = (eventName: HookEventName, session: SessionKey, isLeft: boolean) => {
  const { supports, endsSession = false } = catalogue[eventName];
  const takes = supports.some((field) => field === 'additionalContext');
  const words = !isLeft && (takes || endsSession) ? takeBackgroundRows(session) : [];
  const background: BackgroundMode = isLeft ? 'alone' : canStartCopy() ? 'left' : 'here';
  return {
    background,
    options: { words: takes ? words : [], backgroundMs: isLeft ? COPY_LIMIT_MS : BACKGROUND_MS },
    notes: [...words.flatMap(listLaterFailures), ...(endsSession ? words.flatMap(listUnreported) : [])],
    after: async (
      { trace }: AnsweredEvent,
      input: Readonly<Record<string, unknown>>,
      context: Context,
    ): Promise<string[]> => {
      const rows = trace?.rows ?? [];
      const waiting = rows.filter(({ outcome }) => outcome === 'background');
      if (isLeft)
        await storeBackgroundRows(
          session,
          rows.filter((row) => row.background === true),
        );
      if (isLeft || background !== 'left' || waiting.length === 0) return [];
      try {
        await startCopy(input, context);
        return [];
      } catch (error) {
        const names = waiting.map(({ name }) => name).join(', ');
        return [`hooks in the background were not started: ${names}: ${describeThrown(error)}`];
      }
    },
  };
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

const findMissed = async (
  hooks: readonly ConfiguredHook[],
  agent: HostedCall | undefined,
  context: Context,
): Promise<MissedTexts> => {
  const names = (agent?.tools ?? []).map(({ name }) => name);
  const inForce = hooks.filter(({ barriers }) => barriers.length === 0);
  const isDoubtful = ({ matcher = '', config = {} }: ConfiguredHook): boolean => {
    const parts = matcher.split('|').filter((part) => !['', '*'].includes(part.trim()));
    const isOpen = (tool: string | undefined): boolean =>
      tool !== undefined && names.includes(tool) && (parts.length === 0 || parts.includes(tool));
    const conditions = listConditionTexts(config.if ?? []).map((text) => readCallPattern(text)?.tool);
    return !conditions.every(isOpen) || parts.some((part) => !names.some((name) => name.includes(part)));
  };
  if (!inForce.some(isDoubtful)) return { guards: [], others: [] };
  return (await import('./missed-texts.ts')).findMissedTexts(inForce, agent, context);
};

const answerAgent = async (
  call: HostedCall,
  { agent: named, hook: only, record }: AsHookFlagValues,
  context: Context,
  { input, isLeft }: ReadInput,
): Promise<ExitCode> => {
  const { moment, payload } = call;
  const mark = `${call.agent} ${call.event} ${call.sessionId ?? ''}`;
  if (moment === undefined || !isHookEventName(moment)) return writeOut(call.answerWithoutDecision(), context, call);
  const outer = context.env[MARK_VARIABLE]?.split('\n') ?? [];
  const here = { ...context, cwd: await findProjectOfSession(call, context) };
  const { sessionId, transcriptPath, cwd: eventDir = context.cwd } = call;
  const session = { sessionId, transcriptPath, eventDir };
  const { config } = await loadSettings(here, undefined, { ...session, ...excludeAgentHooks(call) });
  if (outer.includes(mark)) return answerRepeated(call, config, context);
  const unasked = async (why: string): Promise<ExitCode> =>
    (await hasGuard(config, moment, payload.tool_name))
      ? writeOut(call.answerFailedGuard(`a guard could not run: ${why}`), context, call)
      : writeOut(call.answerWithoutDecision(), context, call);
  const missing = call.isGate ? await listMissingGuards(config) : [];
  if (missing.length > 0) return writeOut(call.answerFailedGuard(missing.join('; ')), context, call);
  const turn = isLeft
    ? undefined
    : countTurnEnd({ agent: call.agent, sessionId }, moment, { ...call.members, ...payload }, only);
  const counted = { ...payload, ...turn?.fields };
  const whole = catalogue[moment].read({ ...call.members, ...counted });
  // Unknown fields of the agent must not keep its hooks from running.
  const read = whole.ok ? whole : catalogue[moment].read(counted);
  if (!read.ok) return unasked(`the input does not fit ${moment}: ${read.message}`);
  const troubles: string[] = [];
  const onUnrecorded = (why: string): number => troubles.push(why);
  const file = record && !isLeft ? selectRecording(call, here, onUnrecorded) : undefined;
  const journal = isLeft ? undefined : createJournal(config, (why) => troubles.push(why));
  const { background, options, notes, after } = handleBackgroundHooks(moment, { agent: call.agent, sessionId }, isLeft);
  const deps = { variables: { [MARK_VARIABLE]: [...outer, mark].join('\n') }, background };
  const hooks: ConfiguredHook[] = [];
  const fired = await fireEvent(
    config,
    moment,
    read.payload,
    { only, file, onUnrecorded, onDecision: journal?.add, onLoaded: (all) => hooks.push(...all), ...options, deps },
    here,
  );
  const unstarted = await after(fired, input, context);
  if (isLeft) return ExitCode.Ok;
  const { error } = fired.response ?? {};
  const output = withFailureWarnings(fired.response?.output, fired);
  const isDenied = findVerdict(moment, output).verdict === 'deny';
  await turn?.ended(isDenied && isRefused(fired));
  const unpassed = writeVariables(call, output, context);
  const missed = await findMissed(hooks, named === undefined ? undefined : call, here);
  const code =
    error === undefined
      ? writeOut(
          await answerWithNotice(call, await withoutBlanketAllow(output, fired, call, here), !isRefused(fired), [
            ...listLostHomeNotices(),
            ...(isDenied ? [] : listLostGuardNotices(config, here.cwd)),
            ...(isDenied ? [] : listMissedGuardNotices(missed)),
            ...listUnapprovedNotices(config),
            ...listUnsupportedNotices(fired, call),
            ...listFailedHookNotices(fired),
          ]),
          context,
          call,
        )
      : await unasked(`${error.code}: ${error.message}`);
  await journal?.close();
  if (error !== undefined) return code;
  // Agents read the stderr of a blocked call as its reason.
  if (code === ExitCode.Ok)
    context.note([
      ...listHomeDirectoryWarnings(context),
      ...formatLostGuardLines(config, here.cwd),
      ...(await rememberUnshownLines({ agent: call.agent, sessionId }, [
        ...formatSkippedHookLines(config, here.cwd),
        ...missed.others,
      ])),
      ...formatUnapprovedLines(fired),
      ...(catalogue[moment].beginsSession === true ? formatFailedCanaryLines(fired, here.cwd) : []),
      ...listEndedHooks(fired),
      ...notes,
      ...unstarted,
      ...unpassed,
      ...troubles.map((why) => `not recorded: ${why}`),
    ]);
  return code;
};

const BACKGROUND_MS = 5_000;

const COPY_LIMIT_MS = 600_000;

const listEndedHooks = ({ leftRunning = [] }: AnsweredEvent): readonly string[] =>
  leftRunning.map((hook) => `Hook "${hook}" still ran in the background after ${BACKGROUND_MS} ms and was ended`);

export interface AsHookFlagValues extends AgentFlagValues {
  readonly event: string | undefined;
  readonly hook: readonly string[];
  readonly record: boolean;
}

const isOurs = (given: AsHookFlagValues): boolean => given.agent === undefined;

interface ReadInput {
  readonly input: Readonly<Record<string, unknown>>;
  readonly isLeft: boolean;
}

const readCall = async (given: AsHookFlagValues, context: Context) => {
  const { agent, event, 'agent-version': version } = given;
  try {
    const document = await readJsonObject('stdin', '-', context);
    const left = readCopyInput(document);
    const input = left ?? document;
    return {
      input,
      isLeft: left !== undefined,
      ...(await readHostedCall(input, { dialect: agent, event, version, env: context.env })),
    };
  } catch (error) {
    if (isOurs(given) || !(error instanceof UsageError)) throw error;
    return {
      input: {},
      isLeft: false,
      ...(await readHostedCall({}, { dialect: agent, event, version, env: context.env })),
      why: error.message,
    };
  }
};

export const runAsHook = async (
  given: AsHookFlagValues,
  { broken: _toldNowhere, ...context }: Context,
): Promise<ExitCode> => {
  const read = await readCall(given, context);
  const check = readStartCheck(read.input);
  if (check !== undefined) return answerStartCheck(check, 'call' in read ? read.call : undefined, context);
  if ('call' in read) {
    if (!('why' in read)) return answerAgent(read.call, given, context, read);
    const { call, why } = read;
    const cwd = await findProjectOfSession(call, context);
    const { config } = await loadSettings({ ...context, cwd }, undefined, excludeAgentHooks(call));
    const isGuarded = await hasGuard(config, call.moment ?? '', undefined);
    return writeOut(
      isGuarded ? call.answerFailedGuard(`a guard could not run: ${why}`) : call.answerWithoutDecision(),
      context,
      call,
    );
  }
  if (!isOurs(given))
    throw new UsageError(read.unknown, 'name the event: hookwright run <event> --as-hook --agent <name>');
  return answerInOwnProtocol(given, read, context);
};

const answerInOwnProtocol = async (
  { event, hook: only }: AsHookFlagValues,
  { input, isLeft }: ReadInput,
  context: Context,
): Promise<ExitCode> => {
  const eventName = expectEvent(selectEvent(event, input));
  const fields = Object.fromEntries(Object.entries(input).filter(([key]) => !ownFields.has(key)));
  const words = { agent: 'hookwright', sessionId: textOf(input.session_id) };
  const turn = isLeft ? undefined : countTurnEnd(words, eventName, fields, only);
  const read = catalogue[eventName].read({ ...fields, ...turn?.fields });
  if (!read.ok) throw new UsageError(`the input does not fit ${eventName}: ${read.message}`);
  const session = {
    sessionId: words.sessionId,
    transcriptPath: textOf(input.transcript_path),
    eventDir: textOf(input.cwd),
  };
  const { HOOKWRIGHT_PROJECT_DIR: project } = context.env;
  const cwd = selectSettingsDirectory([project], session.eventDir ?? context.cwd, context.cwd);
  const { config } = await loadSettings({ ...context, cwd }, undefined, session);
  const { background, options, notes, after } = handleBackgroundHooks(eventName, words, isLeft);
  const troubles: string[] = [];
  const journal = isLeft ? undefined : createJournal(config, (why) => troubles.push(why));
  const hooks: ConfiguredHook[] = [];
  const onLoaded = (all: readonly ConfiguredHook[]): number => hooks.push(...all);
  const given = { only, onDecision: journal?.add, onLoaded, ...options, deps: { background } };
  const fired = await fireEvent(config, eventName, read.payload, given, context);
  const unstarted = await after(fired, input, context);
  if (isLeft) return ExitCode.Ok;
  const missed = await findMissed(hooks, undefined, { ...context, cwd });
  const { response } = fired;
  if (response?.error !== undefined) context.note([`${response.error.code}: ${response.error.message}`]);
  const { verdict, reason } = findVerdict(eventName, response?.output);
  await turn?.ended(verdict === 'deny');
  const output = withFailureWarnings(response?.output, fired);
  if (hasContent(output)) context.write(`${escapeUnprintable(JSON.stringify(output))}\n`, ExitCode.Block);
  await journal?.close();
  if (verdict !== 'deny') {
    context.note([
      ...listHomeDirectoryWarnings(context),
      ...formatLostGuardLines(config, cwd),
      ...(await rememberUnshownLines(words, [
        ...formatSkippedHookLines(config, cwd),
        ...missed.guards,
        ...missed.others,
      ])),
      ...formatUnapprovedLines(fired),
      ...listEndedHooks(fired),
      ...notes,
      ...unstarted,
      ...troubles,
    ]);
    return ExitCode.Ok;
  }
  context.note([reason ?? 'blocked by a hook']);
  return ExitCode.Block;
};
