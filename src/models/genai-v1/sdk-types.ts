/**
 * Types of `@google/genai`, written down so that the library needs no SDK at run time or compile time.
 * `test/models/genai.test-d.ts` checks them against the real packages. Members that are only passed on have the type
 * `object`.
 */

export interface SdkPart {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: object;
  readonly fileData?: object;
  readonly functionCall?: object;
  readonly functionResponse?: object;
  readonly executableCode?: object;
  readonly codeExecutionResult?: object;
  readonly toolCall?: object;
  readonly toolResponse?: object;
  readonly audioTranscription?: object;
  readonly videoMetadata?: object;
  readonly mediaResolution?: object;
  readonly mediaProcessing?: unknown;
  readonly speechMetadata?: object;
  readonly partMetadata?: object;
}

export type PartUnion = SdkPart | string;

export interface Content {
  readonly role?: string;
  readonly parts?: readonly SdkPart[];
}

export type ContentUnion = Content | PartUnion | readonly PartUnion[];

export type ContentListUnion = Content | readonly Content[] | PartUnion | readonly PartUnion[];

export interface FunctionCallingConfig {
  readonly mode?: string | undefined;
  readonly allowedFunctionNames?: readonly string[] | undefined;
  readonly streamFunctionCallArguments?: boolean;
}

export interface ToolConfig {
  readonly functionCallingConfig?: FunctionCallingConfig;
  readonly retrievalConfig?: object;
  readonly includeServerSideToolInvocations?: boolean;
}

export type ToolListUnion = readonly object[];

export interface GenerateContentConfig {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly candidateCount?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly seed?: number;
  readonly responseLogprobs?: boolean;
  readonly logprobs?: number;
  readonly responseMimeType?: string;
  readonly responseModalities?: readonly string[];
  readonly mediaResolution?: string;
  readonly audioTimestamp?: boolean;

  readonly systemInstruction?: ContentUnion;
  readonly safetySettings?: readonly object[];
  readonly tools?: ToolListUnion;
  readonly toolConfig?: ToolConfig;
  readonly abortSignal?: object;
  readonly httpOptions?: object;
  readonly cachedContent?: string;
  readonly automaticFunctionCalling?: object;
  readonly automaticContinuation?: boolean;
  readonly continuationToken?: string;
  readonly modelArmorConfig?: object;
  readonly routingConfig?: object;
  readonly modelSelectionConfig?: object;
  readonly generationOutputConfig?: object;
  readonly store?: boolean;

  readonly responseSchema?: unknown;
  readonly responseJsonSchema?: unknown;
  readonly labels?: object;
  readonly speechConfig?: unknown;
  readonly thinkingConfig?: object;
  readonly imageConfig?: object;
  readonly audioTranscriptionConfig?: object;
  readonly enableEnhancedCivicAnswers?: boolean;
  readonly serviceTier?: string;
}

export interface GenerateContentParameters {
  readonly model: string;
  readonly contents: ContentListUnion;
  readonly config?: GenerateContentConfig;
  readonly toolConfig?: ToolConfig;
  readonly tools?: ToolListUnion;
}

export interface SafetyRating {
  readonly category?: string;
  readonly probability?: string;
  readonly blocked?: boolean;
  readonly probabilityScore?: number;
  readonly severity?: string;
  readonly severityScore?: number;
  readonly overwrittenThreshold?: string;
}

export interface SdkCandidate {
  readonly content?: Content;
  readonly finishReason?: string;
  readonly finishMessage?: string;
  readonly index?: number;
  readonly safetyRatings?: readonly SafetyRating[];
  readonly tokenCount?: number;
  readonly avgLogprobs?: number;
  readonly logprobsResult?: object;
  readonly citationMetadata?: object;
  readonly groundingMetadata?: object;
  readonly urlContextMetadata?: object;
  readonly continuationToken?: string;
}

export interface UsageMetadata {
  readonly promptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly totalTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly initialPromptTokenCount?: number;
  readonly cacheTokensDetails?: readonly object[];
  readonly candidatesTokensDetails?: readonly object[];
  readonly promptTokensDetails?: readonly object[];
  readonly toolUsePromptTokensDetails?: readonly object[];
  readonly trafficType?: string;
}

/** The SDK's class has more getters. Only `text` is listed, because plain objects may have it as a member. */
export interface GenerateContentResponse {
  readonly candidates?: readonly SdkCandidate[];
  readonly usageMetadata?: UsageMetadata;
  readonly promptFeedback?: object;
  readonly automaticFunctionCallingHistory?: readonly Content[];
  readonly sdkHttpResponse?: object;
  readonly modelVersion?: string;
  readonly modelStatus?: object;
  readonly responseId?: string;
  readonly createTime?: string;
  readonly text?: string | undefined;
}

export type TextContent = {
  role: 'user' | 'model';
  parts: { text: string }[];
};

/**
 * A request created from a hook's request alone; the SDK's parameter type accepts it. Members whose type is an enum in
 * the SDK are left out of this type, because the SDK's type would refuse their strings.
 */
export interface TextRequest {
  model: string;
  contents: TextContent[];
  config?: {
    temperature?: number;
    topP?: number;
    topK?: number;
    candidateCount?: number;
    maxOutputTokens?: number;
    stopSequences?: string[];
    presencePenalty?: number;
    frequencyPenalty?: number;
    seed?: number;
    responseLogprobs?: boolean;
    logprobs?: number;
    responseMimeType?: string;
    responseModalities?: string[];
    audioTimestamp?: boolean;
  };
}

/**
 * A response created from a hook's response alone. `text` is not enumerable, like the SDK's getter, so that
 * `Object.assign(new GenerateContentResponse(), response)` works.
 */
export interface TextResponse {
  candidates: {
    content: { role: 'model'; parts: { text: string }[] };
    finishReason?: string;
    index?: number;
    safetyRatings?: { category: string; probability: string }[];
  }[];
  usageMetadata?: { promptTokenCount?: number; candidatesTokenCount?: number; totalTokenCount?: number };
  readonly text: string | undefined;
}
