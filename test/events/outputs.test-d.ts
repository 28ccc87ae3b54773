import type { GenerateContentParameters, GenerateContentResponse } from '@google/genai';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  type BeforeToolSelectionHookOutput,
  createHookOutput,
  type HookTranslator,
} from '../../src/index.ts';

// Checked by the compiler and never run: outputs give what the translator of their engine makes.

interface Answer {
  readonly answer: string;
}
declare const own: HookTranslator<{ prompt: string }, Answer, { only: string[] }>;
declare const answer: Answer;

const before = new BeforeModelHookOutput<Answer>({}, own);
export const synthetic: Answer | undefined = before.getSyntheticResponse();
export const asked: { prompt: string } = before.applyLLMRequestModifications({ prompt: 'Hi' });
const after = new AfterModelHookOutput<Answer>({}, own);
export const changed: Answer | undefined = after.getModifiedResponse(answer);
export const made: Answer | undefined = after.getModifiedResponse();
// @ts-expect-error: not a response of this SDK
after.getModifiedResponse({ question: 'Why?' });
// @ts-expect-error: and what it makes is none of `@google/genai`
export const foreign: { candidates?: unknown } = before.getSyntheticResponse() ?? answer;
declare const selection: BeforeToolSelectionHookOutput;
export const only: string[] = selection.applyToolConfigModifications({ toolConfig: { only: ['ls'] } }).toolConfig.only;

// Who names no SDK reads that of the default translator.
declare const request: GenerateContentParameters;
declare const response: GenerateContentResponse;
const usual = createHookOutput('BeforeModel', {});
export const text: string | undefined = usual.getSyntheticResponse()?.candidates?.[0]?.content?.parts?.[0]?.text;
export const sent: GenerateContentParameters = usual.applyLLMRequestModifications(request);
export const kept: GenerateContentResponse | undefined = createHookOutput('AfterModel', {}).getModifiedResponse(
  response,
);
// @ts-expect-error: a response of another SDK
createHookOutput('AfterModel', {}).getModifiedResponse(answer);
