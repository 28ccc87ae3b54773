/** Coverage tests of model calls: plain, changed, blocked and answered by a hook, with and without streaming. */
import type { HookEventName } from '../../events/index.ts';
import { attempt } from '../../kit/index.ts';
import { type HookOutput, type LLMRequest, readPayload } from '../../protocol/index.ts';
import type { CoveragePath, PathContext } from './driver.ts';
import { checkModelCalled, createModelProbe, MODEL_ANSWER, type ModelProbe, type ObservedModelCall } from './probes.ts';
import { containsText, formatTimes, inspectBriefly, type Walk } from './walk.ts';

const SAMPLE_QUESTION = 'coverage: what does the model say?';
const CHANGED_TEXT = 'coverage: changed by a hook';
const SYNTHETIC_TEXT = 'coverage: answered by a hook';
const DENY_REASON = 'coverage: a hook says no';

interface ModelCallKind {
  readonly ability: 'callModel' | 'streamModel';
  readonly called: string;
}

const directCall: ModelCallKind = { ability: 'callModel', called: 'the model was called' };
const streamedCall: ModelCallKind = { ability: 'streamModel', called: 'a stream was opened' };

interface ModelScenario {
  readonly expected: readonly HookEventName[];
  readonly hook?: readonly [HookEventName, HookOutput];
  readonly check: (call: DrivenCall) => void;
}

interface DrivenCall extends PathContext {
  readonly kind: ModelCallKind;
  readonly probe: ModelProbe;
  readonly value: unknown;
}

const createModelPath = (
  name: string,
  kind: ModelCallKind,
  { expected, hook, check }: ModelScenario,
): CoveragePath => ({
  name,
  needs: [kind.ability],
  needsHook: hook !== undefined,
  expected,
  run: async (context) => {
    const { walk, driver, translator } = context;
    if (hook !== undefined) walk.hook(hook[0], () => hook[1]);
    const probe = createModelProbe(walk, translator);
    const request = translator.fromHookLLMRequest({
      model: 'coverage',
      messages: [{ role: 'user', content: SAMPLE_QUESTION }],
      config: { temperature: 0.5 },
      toolConfig: { mode: 'AUTO' },
    });
    const value = await walk.expectDone('the call', () => driver[kind.ability]?.(request, probe.models));
    await walk.settle(() => walk.hasFired(...expected));
    check({ ...context, kind, probe, value });
  },
});

const readIfObject = <T>(value: unknown, read: (value: object) => T): T | undefined =>
  typeof value === 'object' && value !== null ? attempt(() => read(value)) : undefined;

const toStableRequest = ({ translator }: PathContext, request: unknown): Partial<LLMRequest> =>
  readIfObject(request, (value) => translator.toHookLLMRequest(value)) ?? {};

const readResponseText = ({ translator }: PathContext, response: unknown): string =>
  readIfObject(response, (value) => translator.toHookLLMResponse(value).candidates[0]?.content.parts.join('')) ?? '';

const expectOneAfterModel = (walk: Walk) => walk.once('AfterModel', '; it belongs to the complete response');

const checkCalledOnce = ({ walk, probe }: DrivenCall): ObservedModelCall | undefined => {
  const count = probe.calls.length;
  if (count > 1) walk.addProblem(`the model was called ${formatTimes(count)}`);
  return checkModelCalled(walk, probe);
};

const checkEventOrder = (driven: DrivenCall): void => {
  const { walk } = driven;
  const selection = walk.once('BeforeToolSelection', '; once per call is right');
  const before = walk.once('BeforeModel', '; once per call is right');
  const call = checkCalledOnce(driven);
  const after = expectOneAfterModel(walk);
  if (selection !== undefined && before !== undefined) {
    const isLate = walk.timesOf(selection).answered > walk.timesOf(before).asked;
    if (isLate) walk.addProblem('BeforeModel fired before the BeforeToolSelection hooks had answered');
  }
  if (call === undefined) return;
  if (before !== undefined && walk.timesOf(before).answered > call.begun) {
    walk.addProblem('the model was called before the BeforeModel hooks had answered');
  }
  if (after !== undefined && walk.timesOf(after).asked < call.ended) {
    walk.addProblem('AfterModel fired before the model had answered');
  }
};

const checkAfterModelPayload = (call: DrivenCall): void => {
  const { walk } = call;
  const [after] = walk.requests('AfterModel');
  if (after === undefined) return;
  const { llm_request, llm_response } = readPayload(after);
  if (!containsText(llm_request, SAMPLE_QUESTION))
    walk.addProblem('AfterModel was told of another request than BeforeModel');
  const text = readResponseText(call, llm_response);
  if (text !== MODEL_ANSWER)
    walk.addProblem(
      `AfterModel was told that the model said ${inspectBriefly(text)}, not ${inspectBriefly(MODEL_ANSWER)}`,
    );
};

const checkResponseKept = (call: DrivenCall, text: string, what: string): void => {
  const { walk, value } = call;
  if (containsText(value, text)) return;
  walk.addProblem(`${what} is not what the agent keeps: ${inspectBriefly(readResponseText(call, value) || value)}`);
};

const checkNotCalled = ({ walk, probe: { calls }, kind: { called } }: DrivenCall, why: string): void => {
  const asked = walk.requests('BeforeModel').length;
  if (asked === 0) walk.addProblem('BeforeModel never fired');
  if (asked > 1) walk.addProblem(`the call was made ${formatTimes(asked)}: a blocked call must not be tried again`);
  if (calls.length > 0) walk.addProblem(`${called} although ${why}`);
};

const modelEvents = ['BeforeToolSelection', 'BeforeModel', 'AfterModel'] as const;
const blockedCallEvents = ['BeforeToolSelection', 'BeforeModel'] as const;
const denyOutput: HookOutput = { decision: 'deny', reason: DENY_REASON };

const createAnswerOutput = (text: string): HookOutput => ({
  hookSpecificOutput: { llm_response: { candidates: [{ content: { role: 'model', parts: [text] } }] } },
});

const plainScenario: ModelScenario = {
  expected: modelEvents,
  check: (call) => {
    checkEventOrder(call);
    checkAfterModelPayload(call);
    if (call.probe.calls.length > 0) checkResponseKept(call, 'has answered', 'the response of the model');
  },
};

const narrowedToolsScenario: ModelScenario = {
  expected: modelEvents,
  hook: ['BeforeToolSelection', { hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }],
  check: (call) => {
    const sent = checkCalledOnce(call);
    const mode = toStableRequest(call, sent?.request).toolConfig?.mode;
    if (sent === undefined || mode === 'NONE') return;
    call.walk.addProblem(`the model was sent the tool mode ${inspectBriefly(mode)}; a hook had chosen "NONE"`);
  },
};

const changedRequestScenario: ModelScenario = {
  expected: modelEvents,
  hook: ['BeforeModel', { hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }],
  check: (call) => {
    const sent = checkCalledOnce(call);
    const temperature = toStableRequest(call, sent?.request).config?.temperature;
    if (sent === undefined || temperature === 0) return;
    call.walk.addProblem(`the model was sent temperature ${inspectBriefly(temperature)}; a hook had changed it to 0`);
  },
};

const changedResponseScenario: ModelScenario = {
  expected: modelEvents,
  hook: ['AfterModel', createAnswerOutput(CHANGED_TEXT)],
  check: (call) => {
    expectOneAfterModel(call.walk);
    checkResponseKept(call, CHANGED_TEXT, 'the response that an AfterModel hook changed');
  },
};

const blockedScenario: ModelScenario = {
  expected: blockedCallEvents,
  hook: ['BeforeModel', denyOutput],
  check: (call) => checkNotCalled(call, 'a hook had blocked the call'),
};

const createAnsweredScenario = (verdict: HookOutput, why: string): ModelScenario => ({
  expected: blockedCallEvents,
  hook: ['BeforeModel', { ...verdict, ...createAnswerOutput(SYNTHETIC_TEXT) }],
  check: (call) => {
    checkNotCalled(call, why);
    checkResponseKept(call, SYNTHETIC_TEXT, 'the response that a BeforeModel hook gave');
  },
});

const answeredScenario = createAnsweredScenario({}, 'a hook had answered it');
const blockedAndAnsweredScenario = createAnsweredScenario(denyOutput, 'a hook had blocked the call and answered it');

export const modelPaths: readonly CoveragePath[] = [
  createModelPath('plain model call', directCall, plainScenario),
  createModelPath('narrowed tools', directCall, narrowedToolsScenario),
  createModelPath('changed model request', directCall, changedRequestScenario),
  createModelPath('changed model response', directCall, changedResponseScenario),
  createModelPath('blocked model call', directCall, blockedScenario),
  createModelPath('blocked model call with a synthetic response', directCall, blockedAndAnsweredScenario),
  createModelPath('model call answered by a hook', directCall, answeredScenario),
  createModelPath('streamed model call', streamedCall, plainScenario),
  createModelPath('changed response of a stream', streamedCall, changedResponseScenario),
  createModelPath('blocked stream', streamedCall, blockedScenario),
  createModelPath('blocked stream with a synthetic response', streamedCall, blockedAndAnsweredScenario),
];
