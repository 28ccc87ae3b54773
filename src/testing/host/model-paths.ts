import type { HookEventName } from '../../events/index.ts';
import type { HookOutput, LLMRequest } from '../../protocol/index.ts';
import type { CoveragePath, ModelContext, PathContext } from './driver.ts';
import { type ModelProbe, modelProbe } from './probes.ts';
import { briefly, mentions, payloadOf, times, type Walk } from './walk.ts';

const QUESTION = 'coverage: what does the model say?';
const PIECES = ['coverage: the model ', 'has answered'];
const ANSWER = PIECES.join('');
const CHANGED = 'coverage: changed by a hook';
const SYNTHETIC = 'coverage: answered by a hook';
const REASON = 'coverage: a hook says no';

type Stable = Partial<LLMRequest>;

/** A request as hooks see it; nothing where the translator cannot read it, as for a request of another SDK. */
const stableOf = ({ translator }: PathContext, request: unknown): Stable => {
  if (typeof request !== 'object' || request === null) return {};
  try {
    return translator.toHookLLMRequest(request);
  } catch {
    return {};
  }
};

const textOfResponse = ({ translator }: PathContext, response: unknown): string => {
  if (typeof response !== 'object' || response === null) return '';
  try {
    const [candidate] = translator.toHookLLMResponse(response).candidates;
    return candidate?.content.parts.join('') ?? '';
  } catch {
    return '';
  }
};

/** The two ways to call a model differ in nothing else than how the answer comes. */
interface Way {
  readonly ability: 'callModel' | 'streamModel';
  readonly called: string;
}

const atOnce: Way = { ability: 'callModel', called: 'the model was called' };
const inPieces: Way = { ability: 'streamModel', called: 'a stream was opened' };

const ask = async (context: PathContext, way: Way, isComplete: (probe: ModelProbe) => boolean) => {
  const { walk, driver, translator } = context;
  const probe = modelProbe(walk, translator, PIECES);
  const models: ModelContext<object, object> = { model: probe.model, stream: probe.stream };
  const request = translator.fromHookLLMRequest({
    model: 'coverage',
    messages: [{ role: 'user', content: QUESTION }],
    config: { temperature: 0.5 },
    toolConfig: { mode: 'AUTO' },
  });
  const value = await walk.expectDone('the call', () => driver[way.ability]?.(request, models));
  await walk.settle(() => isComplete(probe));
  return { probe, value };
};

const hasFired = (walk: Walk, ...events: readonly HookEventName[]): boolean =>
  events.every((eventName) => walk.requests(eventName).length > 0);

const whole = ['BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;

const checkOnce = (walk: Walk, eventName: HookEventName, hint = 'once per call is right') => {
  const [request, ...more] = walk.requests(eventName);
  if (request === undefined) walk.complain(`${eventName} never fired`);
  if (more.length > 0) walk.complain(`${eventName} fired ${times(more.length + 1)}; ${hint}`);
  return request;
};

const checkCalled = (walk: Walk, { calls }: ModelProbe) => {
  if (calls.length === 0) walk.complain('the model was not called; the agent has to call what the driver is given');
  if (calls.length > 1) walk.complain(`the model was called ${times(calls.length)}`);
  return calls[0];
};

/** Tool selection, BeforeModel, the model, AfterModel: in this order, and each is waited for. */
const checkOrder = (walk: Walk, probe: ModelProbe): void => {
  const selection = checkOnce(walk, 'BeforeToolSelection');
  const before = checkOnce(walk, 'BeforeModel');
  const call = checkCalled(walk, probe);
  const after = checkOnce(walk, 'AfterModel', 'it belongs to the complete response');
  if (selection !== undefined && before !== undefined) {
    const isLate = walk.timesOf(selection).answered > walk.timesOf(before).asked;
    if (isLate) walk.complain('BeforeModel fired before the BeforeToolSelection hooks had answered');
  }
  if (call === undefined) return;
  if (before !== undefined && walk.timesOf(before).answered > call.begun) {
    walk.complain('the model was called before the BeforeModel hooks had answered');
  }
  if (after !== undefined && walk.timesOf(after).asked < call.ended) {
    walk.complain('AfterModel fired before the model had answered');
  }
};

const checkAfterIsTold = (context: PathContext): void => {
  const { walk } = context;
  const [after] = walk.requests('AfterModel');
  if (after === undefined) return;
  const { llm_request, llm_response } = payloadOf(after);
  if (!mentions(llm_request, QUESTION)) walk.complain('AfterModel was told of another request than BeforeModel');
  const text = textOfResponse(context, llm_response);
  if (text !== ANSWER)
    walk.complain(`AfterModel was told that the model said ${briefly(text)}, not ${briefly(ANSWER)}`);
};

const checkKept = (context: PathContext, value: unknown, text: string, what: string): void => {
  if (mentions(value, text)) return;
  context.walk.complain(`${what} is not what the agent keeps: ${briefly(textOfResponse(context, value) || value)}`);
};

const plain = (way: Way) => async (context: PathContext) => {
  const { walk } = context;
  const { probe, value } = await ask(context, way, () => hasFired(walk, ...whole));
  checkOrder(walk, probe);
  checkAfterIsTold(context);
  if (probe.calls.length > 0) checkKept(context, value, 'has answered', 'the response of the model');
};

const changedRequest = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  walk.hook('BeforeModel', () => ({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }));
  const { probe } = await ask(context, atOnce, () => hasFired(walk, 'BeforeModel', 'AfterModel'));
  const sent = checkCalled(walk, probe);
  if (sent === undefined) return;
  const { config } = stableOf(context, sent.request);
  if (config?.temperature === 0) return;
  walk.complain(`the model was sent temperature ${briefly(config?.temperature)}; a hook had changed it to 0`);
};

const narrowedTools = async (context: PathContext): Promise<void> => {
  const { walk } = context;
  walk.hook('BeforeToolSelection', () => ({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }));
  const { probe } = await ask(context, atOnce, () => hasFired(walk, 'BeforeToolSelection', 'AfterModel'));
  const sent = checkCalled(walk, probe);
  if (sent === undefined) return;
  const { toolConfig } = stableOf(context, sent.request);
  if (toolConfig?.mode === 'NONE') return;
  walk.complain(`the model was sent the tool mode ${briefly(toolConfig?.mode)}; a hook had chosen "NONE"`);
};

const answered = (text: string): HookOutput => ({
  hookSpecificOutput: { llm_response: { candidates: [{ content: { role: 'model', parts: [text] } }] } },
});

const changedResponse = (way: Way) => async (context: PathContext) => {
  const { walk } = context;
  walk.hook('AfterModel', () => answered(CHANGED));
  const { value } = await ask(context, way, () => hasFired(walk, 'AfterModel'));
  checkOnce(walk, 'AfterModel', 'it belongs to the complete response');
  checkKept(context, value, CHANGED, 'the response that an AfterModel hook changed');
};

/** However a hook intervened, the model is not called, and not tried again. */
const checkNotCalled = ({ walk }: PathContext, { calls }: ModelProbe, { called }: Way, why: string): void => {
  const asked = walk.requests('BeforeModel').length;
  if (asked === 0) walk.complain('BeforeModel never fired');
  if (asked > 1) walk.complain(`the call was made ${times(asked)}: a blocked call must not be tried again`);
  if (calls.length > 0) walk.complain(`${called} although ${why}`);
};

const blocked = (way: Way) => async (context: PathContext) => {
  const { walk } = context;
  walk.hook('BeforeModel', () => ({ decision: 'deny', reason: REASON }));
  const { probe } = await ask(context, way, () => hasFired(walk, 'BeforeModel'));
  checkNotCalled(context, probe, way, 'a hook had blocked the call');
};

const answeredByHook = (way: Way, verdict: HookOutput, why: string) => async (context: PathContext) => {
  const { walk } = context;
  walk.hook('BeforeModel', () => ({ ...verdict, ...answered(SYNTHETIC) }));
  const { probe, value } = await ask(context, way, () => hasFired(walk, 'BeforeModel'));
  checkNotCalled(context, probe, way, why);
  checkKept(context, value, SYNTHETIC, 'the response that a BeforeModel hook gave');
};

const denied: HookOutput = { decision: 'deny', reason: REASON };
const blockedAndAnswered = 'a hook had blocked the call and answered it';

const callModel = { needs: [atOnce.ability], needsHook: false } as const;
const callModelWithHook = { needs: [atOnce.ability], needsHook: true } as const;
const stream = { needs: [inPieces.ability], needsHook: false } as const;
const streamWithHook = { needs: [inPieces.ability], needsHook: true } as const;
const untilBlocked = ['BeforeToolSelection', 'BeforeModel'] as const;

export const modelPaths: readonly CoveragePath[] = [
  { name: 'plain model call', ...callModel, expected: whole, go: plain(atOnce) },
  { name: 'narrowed tools', ...callModelWithHook, expected: whole, go: narrowedTools },
  { name: 'changed model request', ...callModelWithHook, expected: whole, go: changedRequest },
  { name: 'changed model response', ...callModelWithHook, expected: whole, go: changedResponse(atOnce) },
  { name: 'blocked model call', ...callModelWithHook, expected: untilBlocked, go: blocked(atOnce) },
  {
    name: 'blocked model call with a synthetic response',
    ...callModelWithHook,
    expected: untilBlocked,
    go: answeredByHook(atOnce, denied, blockedAndAnswered),
  },
  {
    name: 'model call answered by a hook',
    ...callModelWithHook,
    expected: untilBlocked,
    go: answeredByHook(atOnce, {}, 'a hook had answered it'),
  },
  { name: 'streamed model call', ...stream, expected: whole, go: plain(inPieces) },
  { name: 'changed response of a stream', ...streamWithHook, expected: whole, go: changedResponse(inPieces) },
  { name: 'blocked stream', ...streamWithHook, expected: untilBlocked, go: blocked(inPieces) },
  {
    name: 'blocked stream with a synthetic response',
    ...streamWithHook,
    expected: untilBlocked,
    go: answeredByHook(inPieces, denied, blockedAndAnswered),
  },
];
