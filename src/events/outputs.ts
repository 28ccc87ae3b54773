// The classes of merged answers, with methods for the caller of an event.
import { copyMethod, isRecord } from '../kit/index.ts';
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

/** The tools of a model request that a hook may restrict. */
export interface ToolSelection<Tools = unknown, ToolConfig extends object = ModelToolConfig> {
  toolConfig?: ToolConfig | undefined;
  tools?: Tools | undefined;
}

/**
 * A merged answer. All fields of hooks' answers are members. Methods that do not apply to the event return `undefined`
 * or false.
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
    // A hook's field must not replace a method of the same name.
    for (const key in data) if (!(key in this)) this[key] = data[key];
  }

  /** Copies the answer for listeners on the bus, so that their copies have its class too. */
  [copyMethod](copyOf: (member: unknown) => unknown): DefaultHookOutput {
    const data = Object.fromEntries(Object.entries(this).map(([key, member]) => [key, copyOf(member)]));
    const copy: unknown = Reflect.construct(this.constructor, [data, this.#translator]);
    return copy instanceof DefaultHookOutput ? copy : this;
  }

  protected get translator(): AnyHookTranslator {
    return this.#translator;
  }

  /** True only for `block` and `deny`. */
  isBlockingDecision(): boolean {
    return isBlocking(this.decision);
  }

  isAskDecision(): boolean {
    return verdictOf(this.decision) === 'ask';
  }

  /** True only if `continue` is exactly false. */
  shouldStopExecution(): boolean {
    return this.continue === false;
  }

  /** The stop reason, or else the reason, or else a fixed text. */
  getEffectiveReason(): string {
    return this.stopReason || this.reason || NO_REASON;
  }

  /** If an answer both blocks and stops, `reason` is that of the block. */
  getBlockingError(): { blocked: boolean; reason: string } {
    return this.isBlockingDecision()
      ? { blocked: true, reason: this.reason || this.stopReason || NO_REASON }
      : { blocked: false, reason: '' };
  }

  /** Angle brackets are escaped, so that the context cannot pose as markup of the prompt. */
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

  /** Returns the request to send. It is the same object if no hook changed it. */
  applyLLMRequestModifications<Request extends object>(request: Request): Request {
    return request;
  }

  /** Changes the mode and the allowed tool names. The list of tools stays. */
  applyToolConfigModifications<Selection extends ToolSelection<unknown, object>>(selection: Selection): Selection {
    return selection;
  }
}

class ToolCallHookOutput extends DefaultHookOutput {
  /** Arguments that replace the tool's arguments of the same name. */
  getModifiedToolInput(): Record<string, unknown> | undefined {
    const input = this.hookSpecificOutput?.tool_input;
    return isRecord(input) ? input : undefined;
  }
}

export class BeforeToolHookOutput extends ToolCallHookOutput {}

export class PermissionRequestHookOutput extends ToolCallHookOutput {
  /**
   * Changes of permissions that approving hooks want from now on, in Claude Code's format. The host decides whether to
   * keep them.
   */
  getUpdatedPermissions(): readonly Record<string, unknown>[] {
    const updates = this.hookSpecificOutput?.updatedPermissions;
    if (verdictOf(this.decision) !== 'allow' || !Array.isArray(updates)) return [];
    return updates.filter((update) => isRecord(update));
  }

  /** Whether the agent should also end its turn. */
  shouldInterrupt(): boolean {
    return this.isBlockingDecision() && this.hookSpecificOutput?.interrupt === true;
  }
}

/** A text replaces only the part of a result that the model reads. */
export const applyResponseUpdate = (shown: unknown, updated: unknown): unknown =>
  typeof updated === 'string' && isRecord(shown) && 'llmContent' in shown ? { llmContent: updated } : updated;

export class AfterToolHookOutput extends DefaultHookOutput {
  /** A replacement for the tool's result, as `tool_response` or as a text. */
  getUpdatedOutput(): unknown {
    return this.hookSpecificOutput?.updatedOutput;
  }
}

export class BeforeAgentHookOutput extends DefaultHookOutput {}

export class AfterAgentHookOutput extends DefaultHookOutput {}

export class SessionStartHookOutput extends DefaultHookOutput {
  /** Variables that hooks set for the agent's commands in this session. */
  getEnvironment(): Readonly<Record<string, string>> {
    const environment = this.hookSpecificOutput?.environment;
    if (!isRecord(environment)) return {};
    const texts = Object.entries(environment).filter(
      (member): member is [string, string] => typeof member[1] === 'string',
    );
    return Object.fromEntries(texts);
  }

  /** Shell lines to run before each command of the agent. They include the variables of `getEnvironment`. */
  getEnvironmentScript(): string | undefined {
    const script = this.hookSpecificOutput?.environmentScript;
    return typeof script === 'string' && script.trim() !== '' ? script : undefined;
  }
}

/** @typeParam Response - a response in the translator's SDK. */
export class BeforeModelHookOutput<Response extends object = ModelResponse> extends DefaultHookOutput {
  /** A response to use instead of calling the model. */
  getSyntheticResponse(): Response | undefined;
  getSyntheticResponse(): object | undefined {
    const response = toStableResponse(this.hookSpecificOutput?.llm_response);
    return response === undefined ? undefined : this.translator.fromHookLLMResponse(response);
  }

  override applyLLMRequestModifications<Request extends object>(request: Request): Request {
    const changes = this.hookSpecificOutput?.llm_request;
    if (!isRecord(changes)) return request;
    const stable = this.translator.toHookLLMRequest(request);
    return this.translator.fromHookLLMRequest(patchModelRequest(stable, changes), request);
  }
}

type ModelRequestChanges = NonNullable<HookSpecificOutput['llm_request']>;

const readTextOfPart = (part: unknown): string[] => {
  if (typeof part === 'string') return [part];
  return isRecord(part) && typeof part.text === 'string' ? [part.text] : [];
};

const toStableCandidates = (candidate: unknown): LLMResponse['candidates'] => {
  const content = isRecord(candidate) ? candidate.content : undefined;
  if (!isRecord(candidate) || !isRecord(content) || !Array.isArray(content.parts)) return [];
  return [{ ...candidate, content: { role: 'model', parts: content.parts.flatMap(readTextOfPart) } }];
};

/** Reads a hook's response, whose parts may be texts or `{text}`. `undefined` if its candidates have no text. */
export const toStableResponse = (answer: unknown): LLMResponse | undefined => {
  if (!isRecord(answer)) return undefined;
  const given = Array.isArray(answer.candidates) ? answer.candidates : [];
  const candidates = given.flatMap(toStableCandidates);
  const saysNothing = given.length > 0 && candidates.length === 0 && typeof answer.text !== 'string';
  return saysNothing ? undefined : { ...answer, candidates };
};

export const mergeIntoShownResponse = (shown: LLMResponse, answer: LLMResponse): LLMResponse => {
  const written = answer.candidates.flatMap(({ content }) => content.parts).join('');
  const text = answer.text ?? written;
  const candidates: LLMResponse['candidates'] =
    answer.candidates.length > 0 ? answer.candidates : [{ content: { role: 'model', parts: [text] } }];
  return { ...shown, ...answer, text, candidates };
};

/** Messages and model are replaced, and options of `config` are merged. */
export const patchModelRequest = (request: LLMRequest, changes: ModelRequestChanges): LLMRequest => ({
  ...request,
  ...changes,
  model: changes.model ?? request.model,
  messages: changes.messages ?? request.messages,
  config: changes.config === undefined ? request.config : { ...request.config, ...changes.config },
});

/** @typeParam Response - a response in the translator's SDK. */
export class AfterModelHookOutput<Response extends object = ModelResponse> extends DefaultHookOutput {
  /** Pass the original response to keep its type and its parts that are no text. */
  getModifiedResponse(): Response | undefined;
  getModifiedResponse<Original extends Response | LLMResponse>(original: Original): Original | undefined;
  getModifiedResponse(original?: object): object | undefined {
    const response = toStableResponse(this.hookSpecificOutput?.llm_response);
    return response === undefined ? undefined : this.translator.fromHookLLMResponse(response, original);
  }
}

export const patchToolConfig = (shown: HookToolConfig | undefined, changes: HookToolConfig): HookToolConfig => {
  // Allowed names are valid only with the mode for which they were given.
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
