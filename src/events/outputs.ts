import { isRecord, ownCopy } from '../kit/index.ts';
import {
  type AnyHookTranslator,
  defaultHookTranslator,
  type ModelResponse,
  type ModelToolConfig,
} from '../models/index.ts';
import {
  type HookDecision,
  type HookOutput,
  type HookSpecificOutput,
  type HookToolConfig,
  isBlocking,
  type LLMRequest,
  type LLMResponse,
  verdictOf,
} from '../protocol/index.ts';

const NO_REASON = 'No reason provided';

const escapeMarkup = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What a tool selection hook may change, and what travels along with it. */
export interface ToolSelection<Tools = unknown, ToolConfig extends object = ModelToolConfig> {
  toolConfig?: ToolConfig | undefined;
  tools?: Tools | undefined;
}

/**
 * A merged answer with the questions callers ask of it. Every field a hook returned is here as it came, unknown ones
 * too; methods of events that have nothing to say answer "nothing".
 */
export class DefaultHookOutput implements HookOutput {
  declare continue?: boolean;
  declare stopReason?: string;
  declare suppressOutput?: boolean;
  declare systemMessage?: string;
  declare decision?: HookDecision;
  declare reason?: string;
  declare hookSpecificOutput?: HookSpecificOutput;
  [key: string]: unknown;

  readonly #translator: AnyHookTranslator;

  constructor(data: HookOutput = {}, translator: AnyHookTranslator = defaultHookTranslator) {
    this.#translator = translator;
    // A hook may call a field like one of our methods; its field must not take the method's place.
    for (const key in data) if (!(key in this)) this[key] = data[key];
  }

  /** A copy for readers outside the engine. */
  [ownCopy](copyOf: (member: unknown) => unknown): DefaultHookOutput {
    const data = Object.fromEntries(Object.entries(this).map(([key, member]) => [key, copyOf(member)]));
    const copy: unknown = Reflect.construct(this.constructor, [data, this.#translator]);
    return copy instanceof DefaultHookOutput ? copy : this;
  }

  protected get translator(): AnyHookTranslator {
    return this.#translator;
  }

  /** True for `block` and `deny`, and for nothing else. */
  isBlockingDecision(): boolean {
    return isBlocking(this.decision);
  }

  isAskDecision(): boolean {
    return verdictOf(this.decision) === 'ask';
  }

  /** True only when `continue` is exactly false. */
  shouldStopExecution(): boolean {
    return this.continue === false;
  }

  /** Always a text: the stop reason, else the reason, else a fixed one. */
  getEffectiveReason(): string {
    return this.stopReason || this.reason || NO_REASON;
  }

  /** Whether the action is blocked and what to say. When one answer blocks and stops, the block speaks here. */
  getBlockingError(): { blocked: boolean; reason: string } {
    return this.isBlockingDecision()
      ? { blocked: true, reason: this.reason || this.stopReason || NO_REASON }
      : { blocked: false, reason: '' };
  }

  /** Context for the model, angle brackets escaped so that it cannot pose as markup of the prompt. */
  getAdditionalContext(): string | undefined {
    const context = this.hookSpecificOutput?.additionalContext;
    return typeof context === 'string' ? escapeMarkup(context) : undefined;
  }

  shouldClearContext(): boolean {
    return this.hookSpecificOutput?.clearContext === true;
  }

  getTailToolCallRequest(): { name: string; args: Record<string, unknown> } | undefined {
    return this.hookSpecificOutput?.tailToolCallRequest;
  }

  /** The request to send. With nothing to apply it is the very object that came in. */
  applyLLMRequestModifications<Request extends object>(request: Request): Request {
    return request;
  }

  /** Mode and allowed names only; the tools themselves are handed back as they came. */
  applyToolConfigModifications<Selection extends ToolSelection<unknown, object>>(selection: Selection): Selection {
    return selection;
  }
}

/** Of a moment at which hooks may change the arguments of a tool call. */
class ToolCallHookOutput extends DefaultHookOutput {
  /** Arguments that replace those of the same name in the call, or nothing. */
  getModifiedToolInput(): Record<string, unknown> | undefined {
    const input = this.hookSpecificOutput?.tool_input;
    return isRecord(input) ? input : undefined;
  }
}

export class BeforeToolHookOutput extends ToolCallHookOutput {}

export class PermissionRequestHookOutput extends ToolCallHookOutput {
  /** Rules and modes that the hooks which approve want from now on, in the words of Claude Code. The host keeps them, or not. */
  getUpdatedPermissions(): readonly Record<string, unknown>[] {
    const updates = this.hookSpecificOutput?.updatedPermissions;
    if (verdictOf(this.decision) !== 'allow' || !Array.isArray(updates)) return [];
    return updates.filter((update) => isRecord(update));
  }

  /** Whether the agent is to stop its turn, besides not running the tool. */
  shouldInterrupt(): boolean {
    return this.isBlockingDecision() && this.hookSpecificOutput?.interrupt === true;
  }
}

/** The result that hooks see after an answer that changes it: a text takes the place of what the model reads. */
export const updatedResponse = (shown: unknown, updated: unknown): unknown =>
  typeof updated === 'string' && isRecord(shown) && 'llmContent' in shown ? { llmContent: updated } : updated;

export class AfterToolHookOutput extends DefaultHookOutput {
  /** Another result in place of the tool's, in the form of `tool_response` or as a text; `undefined` if no hook changes it. */
  getUpdatedOutput(): unknown {
    return this.hookSpecificOutput?.updatedOutput;
  }
}

export class BeforeAgentHookOutput extends DefaultHookOutput {}

export class AfterAgentHookOutput extends DefaultHookOutput {}

export class SessionStartHookOutput extends DefaultHookOutput {
  /** Variables that hooks set for what the agent runs in this session. */
  getEnvironment(): Readonly<Record<string, string>> {
    const environment = this.hookSpecificOutput?.environment;
    if (!isRecord(environment)) return {};
    const texts = Object.entries(environment).filter(
      (member): member is [string, string] => typeof member[1] === 'string',
    );
    return Object.fromEntries(texts);
  }

  /** Lines for a shell that hooks want to have run before each command of the agent; the variables stand in it as well. */
  getEnvironmentScript(): string | undefined {
    const script = this.hookSpecificOutput?.environmentScript;
    return typeof script === 'string' && script.trim() !== '' ? script : undefined;
  }
}

/** @typeParam Response - what the engine's translator makes of a stable response. */
export class BeforeModelHookOutput<Response extends object = ModelResponse> extends DefaultHookOutput {
  /** An answer that makes the model call unnecessary. */
  getSyntheticResponse(): Response | undefined;
  getSyntheticResponse(): object | undefined {
    const response = stableResponse(this.hookSpecificOutput?.llm_response);
    return response === undefined ? undefined : this.translator.fromHookLLMResponse(response);
  }

  override applyLLMRequestModifications<Request extends object>(request: Request): Request {
    const changes = this.hookSpecificOutput?.llm_request;
    if (!isRecord(changes)) return request;
    const stable = this.translator.toHookLLMRequest(request);
    return this.translator.fromHookLLMRequest(patchRequest(stable, changes), request);
  }
}

type RequestChanges = NonNullable<HookSpecificOutput['llm_request']>;

const textOfAnsweredPart = (part: unknown): string[] => {
  if (typeof part === 'string') return [part];
  return isRecord(part) && typeof part.text === 'string' ? [part.text] : [];
};

const answeredCandidate = (candidate: unknown): LLMResponse['candidates'] => {
  const content = isRecord(candidate) ? candidate.content : undefined;
  if (!isRecord(candidate) || !isRecord(content) || !Array.isArray(content.parts)) return [];
  return [{ ...candidate, content: { role: 'model', parts: content.parts.flatMap(textOfAnsweredPart) } }];
};

/**
 * Hooks may write a part as a text or, as the SDK does, as `{text}`; both are read, other parts they cannot make. A
 * response whose candidates have no content says nothing.
 */
export const stableResponse = (answer: unknown): LLMResponse | undefined => {
  if (!isRecord(answer)) return undefined;
  const given = Array.isArray(answer.candidates) ? answer.candidates : [];
  const candidates = given.flatMap(answeredCandidate);
  const saysNothing = given.length > 0 && candidates.length === 0 && typeof answer.text !== 'string';
  return saysNothing ? undefined : { ...answer, candidates };
};

/** The response that the next hook of a sequence reads after one that was put in its place. */
export const shownResponse = (shown: LLMResponse, answer: LLMResponse): LLMResponse => {
  const written = answer.candidates.flatMap(({ content }) => content.parts).join('');
  const text = answer.text ?? written;
  const candidates: LLMResponse['candidates'] =
    answer.candidates.length > 0 ? answer.candidates : [{ content: { role: 'model', parts: [text] } }];
  return { ...shown, ...answer, text, candidates };
};

/** A hook's request changes the members it names; options are changed one by one. */
export const patchRequest = (request: LLMRequest, changes: RequestChanges): LLMRequest => ({
  ...request,
  ...changes,
  model: changes.model ?? request.model,
  messages: changes.messages ?? request.messages,
  config: changes.config === undefined ? request.config : { ...request.config, ...changes.config },
});

/** @typeParam Response - what the engine's translator makes of a stable response. */
export class AfterModelHookOutput<Response extends object = ModelResponse> extends DefaultHookOutput {
  /** The changed response; given the original, its non-text parts and its type are kept. */
  getModifiedResponse(): Response | undefined;
  getModifiedResponse<Original extends Response | LLMResponse>(original: Original): Original | undefined;
  getModifiedResponse(original?: object): object | undefined {
    const response = stableResponse(this.hookSpecificOutput?.llm_response);
    return response === undefined ? undefined : this.translator.fromHookLLMResponse(response, original);
  }
}

/** A hook's choice of tools on top of the one it was shown. */
export const patchToolConfig = (shown: HookToolConfig | undefined, changes: HookToolConfig): HookToolConfig => {
  // Names mean something only with the mode they were given for.
  const { allowedFunctionNames: _names, ...mode } = shown ?? {};
  const kept = changes.mode === undefined || changes.mode === shown?.mode ? shown : mode;
  return { ...kept, ...changes };
};

export class BeforeToolSelectionHookOutput extends DefaultHookOutput {
  override applyToolConfigModifications<Selection extends ToolSelection<unknown, object>>(
    selection: Selection,
  ): Selection {
    const changes = this.hookSpecificOutput?.toolConfig;
    if (!isRecord(changes) || Object.keys(changes).length === 0) return selection;
    const before = selection.toolConfig;
    const wanted = patchToolConfig(this.translator.toHookToolConfig(before), changes);
    const toolConfig = this.translator.fromHookToolConfig(wanted, before);
    return toolConfig === before ? selection : { ...selection, tools: selection.tools ?? [], toolConfig };
  }
}
