import type { HookEventName } from '../../events/index.ts';
import type { CoveragePath, PathContext } from './driver.ts';
import { type ModelProbe, modelProbe } from './probes.ts';
import { briefly, mentions, payloadOf, sleep, times, type Walk } from './walk.ts';

const PROMPT = 'coverage: what shall I do?';
const PIECES = ['coverage: the model ', 'has answered'];
const CONTEXT = 'coverage: context of a hook';
const REASON = 'coverage: a hook is not content';
const MESSAGE = 'coverage: may I?';

/** Longer than an agent takes that does not wait. */
const SLOW_MS = 10;

/**
 * A moment of a session: one event, with what it was told, and the agent waits for its hooks. A session that ends
 * without waiting ends the hooks with it.
 */
const moment =
  (
    eventName: HookEventName,
    field: string,
    value: string,
    what: string,
    act: (context: PathContext) => unknown,
  ): CoveragePath['go'] =>
  async (context) => {
    const { walk } = context;
    walk.hook(eventName, () => sleep(SLOW_MS).then(() => undefined));
    await walk.expectDone(what, () => act(context));
    const ended = walk.now();
    await walk.settle(() => walk.requests(eventName).length > 0);
    const [request, ...more] = walk.requests(eventName);
    if (request === undefined) {
      walk.complain(`${eventName} never fired`);
      return;
    }
    if (more.length > 0) walk.complain(`${eventName} fired ${times(more.length + 1)}, not once`);
    const told = payloadOf(request)[field];
    if (typeof told !== 'string' || told.toLowerCase() !== value.toLowerCase()) {
      walk.complain(`${eventName} was told ${field} ${briefly(told)}, not ${briefly(value)}`);
    }
    if (walk.timesOf(request).answered > ended) {
      walk.complain(`${what} was over before its ${eventName} hooks had answered; wait for them`);
    }
  };

const send = async ({ walk, driver, translator }: PathContext, isComplete: () => boolean): Promise<ModelProbe> => {
  const probe = modelProbe(walk, translator, PIECES);
  const models = { model: probe.model, stream: probe.stream };
  await walk.expectDone('the turn', () => driver.sendPrompt?.(PROMPT, models));
  await walk.settle(isComplete);
  return probe;
};

const checkOnce = (walk: Walk, eventName: HookEventName) => {
  const [request, ...more] = walk.requests(eventName);
  if (request === undefined) walk.complain(`${eventName} never fired`);
  if (more.length > 0) walk.complain(`${eventName} fired ${times(more.length + 1)} for one prompt`);
  return request;
};

const checkModelWasCalled = (walk: Walk, { calls }: ModelProbe) => {
  if (calls.length === 0) walk.complain('the model was not called; the agent has to call what the driver is given');
  return calls[0];
};

const prompt = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  const probe = await send(context, () => walk.requests('AfterAgent').length > 0);
  const before = checkOnce(walk, 'BeforeAgent');
  const after = checkOnce(walk, 'AfterAgent');
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
    walk.complain(`AfterAgent was told the answer ${briefly(prompt_response)}, not ${briefly(PIECES.join(''))}`);
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

export const startPath: CoveragePath = {
  name: 'session start',
  needs: ['startSession'],
  needsHook: false,
  expected: ['SessionStart'],
  go: moment('SessionStart', 'source', 'startup', 'the start', ({ driver }) => driver.startSession?.('startup')),
};

/** The end of the session comes last. */
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
  {
    name: 'notification',
    needs: ['notify'],
    needsHook: false,
    expected: ['Notification'],
    go: moment('Notification', 'message', MESSAGE, 'the notification', ({ driver }) =>
      driver.notify?.('ToolPermission', MESSAGE),
    ),
  },
  {
    name: 'compression',
    needs: ['compress'],
    needsHook: false,
    expected: ['PreCompress'],
    go: moment('PreCompress', 'trigger', 'manual', 'the compression', ({ driver }) => driver.compress?.('manual')),
  },
  {
    name: 'session end',
    needs: ['endSession'],
    needsHook: false,
    expected: ['SessionEnd'],
    go: moment('SessionEnd', 'reason', 'exit', 'the end', ({ driver }) => driver.endSession?.('exit')),
  },
];
