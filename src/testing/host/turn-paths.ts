/** Coverage tests of sessions and turns: start, prompt, notification, compression and end. */
import type { HookEventName } from '../../events/index.ts';
import { readPayload } from '../../protocol/index.ts';
import type { CoveragePath, PathContext } from './driver.ts';
import { checkModelCalled, createModelProbe, MODEL_ANSWER, type ModelProbe } from './probes.ts';
import { containsText, formatTimes, inspectBriefly, sleep } from './walk.ts';

const SAMPLE_PROMPT = 'coverage: what shall I do?';
const HOOK_CONTEXT = 'coverage: context of a hook';
const DENY_REASON = 'coverage: a hook is not content';
const NOTIFICATION_TEXT = 'coverage: may I?';

/** Hooks answer this many milliseconds late, to find an agent that does not wait for its hooks. */
const HOOK_DELAY_MS = 10;

interface SessionEventPath {
  readonly name: string;
  readonly eventName: HookEventName;
  readonly needs: 'startSession' | 'notify' | 'compress' | 'endSession';
  readonly expectedField: readonly [field: string, value: string];
  readonly what: string;
  readonly act: (driver: PathContext['driver']) => unknown;
}

const createSessionEventPath = ({
  name,
  eventName,
  needs,
  expectedField: [field, value],
  what,
  act,
}: SessionEventPath): CoveragePath => ({
  name,
  needs: [needs],
  needsHook: false,
  expected: [eventName],
  run: async ({ walk, driver }) => {
    walk.hook(eventName, () => sleep(HOOK_DELAY_MS).then(() => undefined));
    await walk.expectDone(what, () => act(driver));
    const ended = walk.now();
    await walk.settle(() => walk.requests(eventName).length > 0);
    const request = walk.once(eventName, ', not once');
    if (request === undefined) return;
    const found = readPayload(request)[field];
    if (typeof found !== 'string' || found.toLowerCase() !== value.toLowerCase()) {
      walk.addProblem(`${eventName} was told ${field} ${inspectBriefly(found)}, not ${inspectBriefly(value)}`);
    }
    if (walk.timesOf(request).answered > ended) {
      walk.addProblem(`${what} was over before its ${eventName} hooks had answered; wait for them`);
    }
  },
});

const sendSamplePrompt = async (
  { walk, driver, translator }: PathContext,
  isComplete: () => boolean,
): Promise<ModelProbe> => {
  const probe = createModelProbe(walk, translator);
  await walk.expectDone('the turn', () => driver.sendPrompt?.(SAMPLE_PROMPT, probe.models));
  await walk.settle(isComplete);
  return probe;
};

const runPlainPrompt = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  const probe = await sendSamplePrompt(context, () => walk.requests('AfterAgent').length > 0);
  const before = walk.once('BeforeAgent', ' for one prompt');
  const after = walk.once('AfterAgent', ' for one prompt');
  const call = checkModelCalled(walk, probe);
  if (before !== undefined && !containsText(readPayload(before).prompt, SAMPLE_PROMPT)) {
    walk.addProblem(
      `BeforeAgent was told the prompt ${inspectBriefly(readPayload(before).prompt)}, not ${inspectBriefly(SAMPLE_PROMPT)}`,
    );
  }
  if (before !== undefined && call !== undefined && walk.timesOf(before).answered > call.begun) {
    walk.addProblem('the model was called before the BeforeAgent hooks had answered');
  }
  if (after === undefined) return;
  const { prompt_response, stop_hook_active } = readPayload(after);
  if (call !== undefined && !containsText(prompt_response, 'has answered')) {
    walk.addProblem(
      `AfterAgent was told the answer ${inspectBriefly(prompt_response)}, not ${inspectBriefly(MODEL_ANSWER)}`,
    );
  }
  if (stop_hook_active === true) walk.addProblem('AfterAgent was told that a hook had sent the agent back; none had');
};

const runPromptWithContext = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  walk.hook('BeforeAgent', () => ({ hookSpecificOutput: { additionalContext: HOOK_CONTEXT } }));
  const probe = await sendSamplePrompt(context, () => walk.requests('AfterAgent').length > 0);
  const call = checkModelCalled(walk, probe);
  if (call === undefined || probe.calls.some(({ request }) => containsText(request, HOOK_CONTEXT))) return;
  walk.addProblem('the model was not told what a BeforeAgent hook added to the prompt');
};

const runBlockedPrompt = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  walk.hook('BeforeAgent', () => ({ decision: 'deny', reason: DENY_REASON }));
  const probe = await sendSamplePrompt(context, () => walk.requests('BeforeAgent').length > 0);
  const asked = walk.requests('BeforeAgent').length;
  if (asked === 0) walk.addProblem('BeforeAgent never fired');
  if (asked > 1) walk.addProblem(`the prompt was sent ${formatTimes(asked)}: a blocked one must not be tried again`);
  if (probe.calls.length > 0) walk.addProblem('the model was called although a hook had blocked the prompt');
};

const runPromptSentBack = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  let isFirst = true;
  walk.hook('AfterAgent', () => {
    const answer = isFirst ? { decision: 'deny' as const, reason: DENY_REASON } : undefined;
    isFirst = false;
    return answer;
  });
  const probe = await sendSamplePrompt(context, () => walk.requests('AfterAgent').length > 1);
  const [first, second] = walk.requests('AfterAgent');
  if (first === undefined) {
    walk.addProblem('AfterAgent never fired');
    return;
  }
  if (!probe.calls.slice(1).some(({ request }) => containsText(request, DENY_REASON))) {
    walk.addProblem('the agent did not work on the reason for which an AfterAgent hook had sent it back');
    return;
  }
  if (second === undefined) walk.addProblem('AfterAgent did not fire for the answer to what it had asked for');
  else if (readPayload(second).stop_hook_active !== true) {
    walk.addProblem('AfterAgent was not told, by stop_hook_active, that it had sent the agent back');
  }
};

const promptNeeds = { needs: ['sendPrompt'], needsHook: false } as const;
const promptWithHookNeeds = { needs: ['sendPrompt'], needsHook: true } as const;
const turnEvents = ['BeforeAgent', 'AfterAgent'] as const;

export const sessionStartPath = createSessionEventPath({
  name: 'session start',
  eventName: 'SessionStart',
  needs: 'startSession',
  expectedField: ['source', 'startup'],
  what: 'the start',
  act: (driver) => driver.startSession?.('startup'),
});

export const turnPaths: readonly CoveragePath[] = [
  { name: 'prompt', ...promptNeeds, expected: turnEvents, run: runPlainPrompt },
  { name: 'prompt with context of a hook', ...promptWithHookNeeds, expected: turnEvents, run: runPromptWithContext },
  { name: 'blocked prompt', ...promptWithHookNeeds, expected: ['BeforeAgent'], run: runBlockedPrompt },
  {
    name: 'answer that is sent back',
    ...promptWithHookNeeds,
    expected: ['BeforeAgent', 'AfterAgent', 'AfterAgent'],
    run: runPromptSentBack,
  },
  createSessionEventPath({
    name: 'notification',
    eventName: 'Notification',
    needs: 'notify',
    expectedField: ['message', NOTIFICATION_TEXT],
    what: 'the notification',
    act: (driver) => driver.notify?.('ToolPermission', NOTIFICATION_TEXT),
  }),
  createSessionEventPath({
    name: 'compression',
    eventName: 'PreCompress',
    needs: 'compress',
    expectedField: ['trigger', 'manual'],
    what: 'the compression',
    act: (driver) => driver.compress?.('manual'),
  }),
  createSessionEventPath({
    name: 'session end',
    eventName: 'SessionEnd',
    needs: 'endSession',
    expectedField: ['reason', 'exit'],
    what: 'the end',
    act: (driver) => driver.endSession?.('exit'),
  }),
];
