import type * as v1 from '@google/genai';
import type * as v2 from '@google/genai-2';
import type * as ours from '../../src/models/genai-v1/sdk-types.ts';
import type { HookTranslator } from '../../src/models/index.ts';
import { defaultHookTranslator as translator } from '../../src/models/index.ts';
import type { HookToolConfig, LLMRequest, LLMResponse } from '../../src/protocol/index.ts';

// Checked by the compiler and never run. A line that stops compiling means that an SDK release changed what we rely on.

declare const hookRequest: LLMRequest;
declare const hookResponse: LLMResponse;
declare const hookToolConfig: HookToolConfig;

declare const request1: v1.GenerateContentParameters;
declare const request2: v2.GenerateContentParameters;
declare const response1: v1.GenerateContentResponse;
declare const response2: v2.GenerateContentResponse;
declare const toolConfig1: v1.ToolConfig;
declare const toolConfig2: v2.ToolConfig;

// What the SDK has goes in.
export const stable = [
  translator.toHookLLMRequest(request1),
  translator.toHookLLMRequest(request2),
  translator.toHookLLMRequest(hookRequest),
] satisfies LLMRequest[];
export const stableResponses = [
  translator.toHookLLMResponse(response1),
  translator.toHookLLMResponse(response2),
  translator.toHookLLMResponse(hookResponse),
] satisfies LLMResponse[];
export const stableToolConfigs = [
  translator.toHookToolConfig(toolConfig1),
  translator.toHookToolConfig(toolConfig2),
  translator.toHookToolConfig(hookToolConfig),
] satisfies HookToolConfig[];

// @ts-expect-error: a request is an object, not its text
translator.toHookLLMRequest('Why is the sky blue?');
// @ts-expect-error: `contents` is required
translator.toHookLLMRequest({ model: 'gemini' });
// @ts-expect-error: the tool configuration of a request whose config has none may be undefined
export const sure: HookToolConfig = translator.toHookToolConfig(request1.config?.toolConfig);
export const unsure: HookToolConfig | undefined = translator.toHookToolConfig(request1.config?.toolConfig);

// What a caller gave comes back with the caller's type.
export const request1Back: v1.GenerateContentParameters = translator.fromHookLLMRequest(hookRequest, request1);
export const request2Back: v2.GenerateContentParameters = translator.fromHookLLMRequest(hookRequest, request2);
export const response1Back: v1.GenerateContentResponse = translator.fromHookLLMResponse(hookResponse, response1);
export const response2Back: v2.GenerateContentResponse = translator.fromHookLLMResponse(hookResponse, response2);
export const toolConfig1Back: v1.ToolConfig = translator.fromHookToolConfig(hookToolConfig, toolConfig1);
export const toolConfig2Back: v2.ToolConfig = translator.fromHookToolConfig(hookToolConfig, toolConfig2);

// A request made from nothing is one the SDK takes.
export const made1: v1.GenerateContentParameters = translator.fromHookLLMRequest(hookRequest);
export const made2: v2.GenerateContentParameters = translator.fromHookLLMRequest(hookRequest);
// @ts-expect-error: a response made from nothing is plain JSON and not an instance of the SDK's class
export const plain: v1.GenerateContentResponse = translator.fromHookLLMResponse(hookResponse);
export const instance: v1.GenerateContentResponse = translator.fromHookLLMResponse(hookResponse, response1);
// @ts-expect-error: without a base nobody can know that the caller's own members are there
export const missing = translator.fromHookLLMRequest(hookRequest).tools;
declare const maybe: v1.GenerateContentParameters | undefined;
export const either: v1.GenerateContentParameters = translator.fromHookLLMRequest(hookRequest, maybe);

// The default translator is one of many.
export const replaceable: HookTranslator = translator;
export const other = (own: HookTranslator<{ prompt: string }, { answer: string }, { tools: string }>) =>
  own.toHookLLMRequest({ prompt: 'Hi' }) satisfies LLMRequest;
// @ts-expect-error: one for another SDK cannot take its place
export const wrong = (own: HookTranslator<{ prompt: string }>): HookTranslator => own;

/** Compiles only for `never`: the keys of the real type that ours does not name. */
type NamesAll<Missing extends never> = Missing;
type Missing<Real, Ours> = Exclude<keyof Real, keyof Ours>;
/** Getters of the response class; what they answer is read from the parts. */
type Getters = 'data' | 'functionCalls' | 'executableCode' | 'codeExecutionResult' | 'initialPromptTokenCount';

export type Part1 = NamesAll<Missing<v1.Part, ours.SdkPart>>;
export type Part2 = NamesAll<Missing<v2.Part, ours.SdkPart>>;
export type Content1 = NamesAll<Missing<v1.Content, ours.Content>>;
export type Content2 = NamesAll<Missing<v2.Content, ours.Content>>;
export type Config1 = NamesAll<Missing<v1.GenerateContentConfig, ours.GenerateContentConfig>>;
export type Config2 = NamesAll<Missing<v2.GenerateContentConfig, ours.GenerateContentConfig>>;
export type Request1 = NamesAll<Missing<v1.GenerateContentParameters, ours.GenerateContentParameters>>;
export type Request2 = NamesAll<Missing<v2.GenerateContentParameters, ours.GenerateContentParameters>>;
export type ToolConfig1 = NamesAll<Missing<v1.ToolConfig, ours.ToolConfig>>;
export type ToolConfig2 = NamesAll<Missing<v2.ToolConfig, ours.ToolConfig>>;
export type Calling1 = NamesAll<Missing<v1.FunctionCallingConfig, ours.FunctionCallingConfig>>;
export type Calling2 = NamesAll<Missing<v2.FunctionCallingConfig, ours.FunctionCallingConfig>>;
export type Candidate1 = NamesAll<Missing<v1.Candidate, ours.SdkCandidate>>;
export type Candidate2 = NamesAll<Missing<v2.Candidate, ours.SdkCandidate>>;
export type Rating1 = NamesAll<Missing<v1.SafetyRating, ours.SafetyRating>>;
export type Rating2 = NamesAll<Missing<v2.SafetyRating, ours.SafetyRating>>;
export type Response1 = NamesAll<Exclude<Missing<v1.GenerateContentResponse, ours.GenerateContentResponse>, Getters>>;
export type Response2 = NamesAll<Exclude<Missing<v2.GenerateContentResponse, ours.GenerateContentResponse>, Getters>>;
export type Usage1 = NamesAll<Missing<v1.GenerateContentResponseUsageMetadata, ours.UsageMetadata>>;
export type Usage2 = NamesAll<Missing<v2.GenerateContentResponseUsageMetadata, ours.UsageMetadata>>;
// @ts-expect-error: a key that ours does not name is found
export type Found = NamesAll<Missing<v1.Part & { hologram?: string }, ours.SdkPart>>;

// Each form of the unions, as the SDK names them.
export const contents1 = (given: v1.ContentListUnion): ours.ContentListUnion => given;
export const contents2 = (given: v2.ContentListUnion): ours.ContentListUnion => given;
export const tools1 = (given: v1.ToolListUnion): ours.ToolListUnion => given;
export const tools2 = (given: v2.ToolListUnion): ours.ToolListUnion => given;
