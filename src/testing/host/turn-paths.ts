/** Coverage paths of sessions and turns: start, prompt, notification, compression and end. */
import type { HookEventName } from '../../events/index.ts';
import type { CoveragePath, PathContext } from './driver.ts';
import { MODEL_ANSWER, type ModelProbe, modelProbe } from './probes.ts';
import { briefly, mentions, payloadOf, sleep, times, type Walk } from './walk.ts';

const PROMPT = 'coverage: what shall I do?';
const CONTEXT = 'coverage: context of a hook';
const REASON = 'coverage: a hook is not content';
const MESSAGE = 'coverage: may I?';

/** Long enough to notice an agent that does not wait. */
const SLOW_MS = 10;

interface Moment {
  readonly name: string;
  readonly eventName: HookEventName;
  readonly needs: 'startSession' | 'notify' | 'compress' | 'endSession';
  /** A payload field and its expected value. */
  readonly told: readonly [field: string, value: string];
  readonly what: string;
  readonly act: (driver: PathContext['driver']) => unknown;
}

/** The event fires once with this field, and the agent waits for its hooks: an ended session would end them too. */
const momentPath = ({ name, eventName, needs, told: [field, value], what, act }: Moment): CoveragePath => ({
  name,
  needs: [needs],
  needsHook: false,
  expected: [eventName],
  go: async ({ walk, driver }) => {
    walk.hook(eventName, () => sleep(SLOW_MS).then(() => undefined));
    await walk.expectDone(what, () => act(driver));
    const ended = walk.now();
    await walk.settle(() => walk.requests(eventName).length > 0);
    const request = walk.once(eventName, ', not once');
    if (request === undefined) return;
    const told = payloadOf(request)[field];
    if (typeof told !== 'string' || told.toLowerCase() !== value.toLowerCase()) {
      walk.complain(`${eventName} was told ${field} ${briefly(told)}, not ${briefly(value)}`);
    }
    if (walk.timesOf(request).answered > ended) {
      walk.complain(`${what} was over before its ${eventName} hooks had answered; wait for them`);
    }
  },
});

const send = async ({ walk, driver, translator }: PathContext, isComplete: () => boolean): Promise<ModelProbe> => {
  const probe = modelProbe(walk, translator);
  const models = { model: probe.model, stream: probe.stream };
  await walk.expectDone('the turn', () => driver.sendPrompt?.(PROMPT, models));
  await walk.settle(isComplete);
  return probe;
};

const checkModelWasCalled = (walk: Walk, { calls }: ModelProbe) => {
  if (calls.length === 0) walk.complain('the model was not called; the agent has to call what the driver is given');
  return calls[0];
};

const prompt = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  const probe = await send(context, () => walk.requests('AfterAgent').length > 0);
  const before = walk.once('BeforeAgent', ' for one prompt');
  const after = walk.once('AfterAgent', ' for one prompt');
  const call = checkModelWasCalled(walk, probe);
  if (before !== undefined && !mentions(payloadOf(before).prompt, PROMPT)) {
    walk.complain(`BeforeAgent was told the prompt ${briefly(payloadOf(before).prompt)}, not ${briefly(PROMPT)}`);
  }
  if (before !== undefined && call !== undefined && walk.timesOf(before).answered > call.begun) {
    walk.complain('the model was called before the BeforeAgent hooks had answered');
  }
  if (after === undefined) return;
  const { prompt_response, stop_hook_active } = payloadOf(after);
  if (call !== undefined && !mentions(prompt_response, 'has answered')) {
    walk.complain(`AfterAgent was told the answer ${briefly(prompt_response)}, not ${briefly(MODEL_ANSWER)}`);
  }
  if (stop_hook_active === true) walk.complain('AfterAgent was told that a hook had sent the agent back; none had');
};

const promptWithContext = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  walk.hook('BeforeAgent', () => ({ hookSpecificOutput: { additionalContext: CONTEXT } }));
  const probe = await send(context, () => walk.requests('AfterAgent').length > 0);
  const call = checkModelWasCalled(walk, probe);
  if (call === undefined || probe.calls.some(({ request }) => mentions(request, CONTEXT))) return;
  walk.complain('the model was not told what a BeforeAgent hook added to the prompt');
};

const blockedPrompt = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  walk.hook('BeforeAgent', () => ({ decision: 'deny', reason: REASON }));
  const probe = await send(context, () => walk.requests('BeforeAgent').length > 0);
  const asked = walk.requests('BeforeAgent').length;
  if (asked === 0) walk.complain('BeforeAgent never fired');
  if (asked > 1) walk.complain(`the prompt was sent ${times(asked)}: a blocked one must not be tried again`);
  if (probe.calls.length > 0) walk.complain('the model was called although a hook had blocked the prompt');
};

const sentBack = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  let isFirst = true;
  walk.hook('AfterAgent', () => {
    const answer = isFirst ? { decision: 'deny' as const, reason: REASON } : undefined;
    isFirst = false;
    return answer;
  });
  const probe = await send(context, () => walk.requests('AfterAgent').length > 1);
  const [first, second] = walk.requests('AfterAgent');
  if (first === undefined) {
    walk.complain('AfterAgent never fired');
    return;
  }
  if (!probe.calls.slice(1).some(({ request }) => mentions(request, REASON))) {
    walk.complain('the agent did not work on the reason for which an AfterAgent hook had sent it back');
    return;
  }
  if (second === undefined) walk.complain('AfterAgent did not fire for the answer to what it had asked for');
  else if (payloadOf(second).stop_hook_active !== true) {
    walk.complain('AfterAgent was not told, by stop_hook_active, that it had sent the agent back');
  }
};

const sendPrompt = { needs: ['sendPrompt'], needsHook: false } as const;
const sendPromptWithHook = { needs: ['sendPrompt'], needsHook: true } as const;
const turn = ['BeforeAgent', 'AfterAgent'] as const;

export const startPath = momentPath({
  name: 'session start',
  eventName: 'SessionStart',
  needs: 'startSession',
  told: ['source', 'startup'],
  what: 'the start',
  act: (driver) => driver.startSession?.('startup'),
});

export const turnPaths: readonly CoveragePath[] = [
  { name: 'prompt', ...sendPrompt, expected: turn, go: prompt },
  { name: 'prompt with context of a hook', ...sendPromptWithHook, expected: turn, go: promptWithContext },
  { name: 'blocked prompt', ...sendPromptWithHook, expected: ['BeforeAgent'], go: blockedPrompt },
  {
    name: 'answer that is sent back',
    ...sendPromptWithHook,
    expected: ['BeforeAgent', 'AfterAgent', 'AfterAgent'],
    go: sentBack,
  },
  momentPath({
    name: 'notification',
    eventName: 'Notification',
    needs: 'notify',
    told: ['message', MESSAGE],
    what: 'the notification',
    act: (driver) => driver.notify?.('ToolPermission', MESSAGE),
  }),
  momentPath({
    name: 'compression',
    eventName: 'PreCompress',
    needs: 'compress',
    told: ['trigger', 'manual'],
    what: 'the compression',
    act: (driver) => driver.compress?.('manual'),
  }),
  momentPath({
    name: 'session end',
    eventName: 'SessionEnd',
    needs: 'endSession',
    told: ['reason', 'exit'],
    what: 'the end',
    act: (driver) => driver.endSession?.('exit'),
  }),
];
