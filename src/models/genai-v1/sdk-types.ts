/**
 * Types of `@google/genai`, by structure: the library needs no SDK at run time or compile time.
 * `test/models/genai.test-d.ts` checks them against the real packages, 1.x and 2.x: every real type is assignable to
 * ours, and no real key is missing. Members that are only passed on have the type `object`.
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

/** Type of `systemInstruction`. */
export type ContentUnion = Content | PartUnion | readonly PartUnion[];

/** Type of `contents`: one or many contents, or the bare parts of one user turn. */
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

/** Declarations and callable tools; hooks do not see them. */
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
  /** Used by some agents in place of `config.toolConfig`; read only if that is empty. */
  readonly toolConfig?: ToolConfig;
  /** Used by some agents in place of `config.tools`; hooks do not see it. */
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

/** Of the SDK's getters only `text` is listed: plain objects may have it as an own member. */
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
 * A request created without a base; the SDK's parameter type accepts it. Values for which the SDK has an enum (the mode
 * of `toolConfig`, `mediaResolution`) and unknown keys of a hook may be present but are not in this type: with them the
 * SDK's type would not accept it.
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
 * A response created without a base: plain JSON of the SDK's shape. `text` works as the SDK's getter and is not
 * enumerable, so that `Object.assign(new GenerateContentResponse(), response)` works.
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
