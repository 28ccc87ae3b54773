// Tool calls of the AI SDK, which the hooked model and the hooked tools share: the hooks of each call run once.
import type { Hooks } from '../../facade/index.ts';
import {
  checkByStandard,
  describeThrown,
  isRecord,
  isStandardSchema,
  type Members,
  parseJson,
} from '../../kit/index.ts';
import { isSameJson } from '../../models/index.ts';
import { type AdapterToolCall, BegunCall, BegunCalls, toArgs, toInput } from '../core/begun-calls.ts';
import { rememberStoppedCall } from '../core/stopped-calls.ts';
import { createPerEngine, NewestEntries } from '../core/wrapping.ts';

interface RegisteredTool {
  readonly inputSchema: unknown;
  readonly outputSchema: AdapterToolCall['outputSchema'];
  readonly runsHere: boolean;
  /** The application asks for approval anyway; hooks run when the call is made. */
  readonly asksItself: boolean;
}

interface RefusedOutput {
  readonly type: 'execution-denied' | 'error-text';
  readonly reason?: string;
  readonly value?: string;
}

const METADATA_KEY = 'hookwright';

const readHookwrightData = (metadata: unknown): Members | undefined => {
  const words = isRecord(metadata) ? metadata[METADATA_KEY] : undefined;
  return isRecord(words) ? words : undefined;
};

const addOwnData = (part: Members, words: Members): Members => ({
  ...part,
  providerMetadata: { ...(isRecord(part.providerMetadata) ? part.providerMetadata : {}), [METADATA_KEY]: words },
});

const removeOwnData = ({ [METADATA_KEY]: _words, ...others }: Members): Members => others;

/**
 * Replaces a denied call of a tool that runs outside this process, such as in a web page. Every version of the SDK
 * reports an input that is not JSON to the model as an error and does not run the call.
 */
const createRefusedPart = (part: Members, reason: string): Members =>
  addOwnData({ ...part, input: `Tool call blocked by hook: ${reason}` }, { denied: reason, input: part.input });

export class SharedCalls {
  readonly begun = new BegunCalls();
  readonly outputs = new NewestEntries<RefusedOutput>();
  readonly passed = new NewestEntries<true>();
  readonly #hooks: Hooks;
  readonly #tools = new Map<string, RegisteredTool>();

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  /**
   * Tools of several sets may have this name. If one of these tools lacks `execute`, the call may run outside this
   * process, where an error thrown here cannot stop it. A denied call is then replaced in the model's answer.
   */
  register(name: string, tool: RegisteredTool): void {
    const runsHere = tool.runsHere && this.#tools.get(name)?.runsHere !== false;
    this.#tools.set(name, { ...tool, runsHere });
  }

  decide(part: object, signal: AbortSignal | undefined): Promise<object> | undefined {
    const given: Members = { ...part };
    if (given.type !== 'tool-call' || given.providerExecuted === true) return undefined;
    const { toolName, toolCallId, input } = given;
    if (typeof toolName !== 'string' || typeof toolCallId !== 'string' || typeof input !== 'string') return undefined;
    const tool = this.#tools.get(toolName);
    if (tool === undefined || (tool.runsHere && tool.asksItself)) return undefined;
    if (!this.#hooks.system.wouldRun('BeforeTool', { toolName })) return undefined;
    return this.#decideCall(given, { name: toolName, id: toolCallId, input }, tool, signal);
  }

  async #decideCall(
    part: Members,
    { name, id, input }: { readonly name: string; readonly id: string; readonly input: string },
    { inputSchema, outputSchema, runsHere }: RegisteredTool,
    signal: AbortSignal | undefined,
  ): Promise<object> {
    const read = input.trim() === '' ? ({ ok: true, value: {} } as const) : parseJson(input);
    const parsed = read.ok ? await parseBySchema(inputSchema, read.value) : undefined;
    if (parsed === undefined || 'whyNot' in parsed) return part;
    const call = new BegunCall(
      this.#hooks,
      { name, id, input: toArgs(parsed.value), inputSchema: createInputCheck(inputSchema, parsed.value), outputSchema },
      signal,
    );
    if (runsHere) this.begun.keep(id, call);
    const clearance = await call.clearance;
    if (runsHere) return clearance === 'ask' ? addOwnData(part, { ask: call.question?.reason ?? '' }) : part;
    if (clearance === 'over') {
      const { blocked, stopped } = await call.finish(() => undefined);
      rememberStoppedCall(this.#hooks, id, stopped);
      return this.#refuse(part, id, blocked?.reason ?? '');
    }
    const { question } = call;
    const { input: args, original } = call;
    call.drop();
    if (clearance === 'ask') {
      const reason = `${question?.reason ?? ''}, and no person can be asked before the tool is called; give deps.confirm`;
      return this.#refuse(part, id, reason);
    }
    this.passed.keep(id, true);
    return isSameJson(args, original) ? part : { ...part, input: JSON.stringify(toInput(args, parsed.value)) };
  }

  #refuse(part: Members, id: string, reason: string): object {
    this.outputs.keep(id, { type: 'execution-denied', reason });
    return createRefusedPart(part, reason);
  }

  restoreDeniedCalls<Prompt extends readonly object[]>(prompt: Prompt): readonly object[] {
    if (this.outputs.isEmpty && !prompt.some((message) => readParts(message).some(hasHookwrightData))) return prompt;
    const denied = new Map<string, string>();
    for (const { toolCallId, providerOptions } of prompt.flatMap(readParts)) {
      const words = readHookwrightData(providerOptions);
      if (typeof words?.denied === 'string' && typeof toolCallId === 'string') denied.set(toolCallId, words.denied);
    }
    return prompt.map((message) => {
      const parts = readParts(message);
      if (parts.length === 0) return message;
      return { ...message, content: parts.map((part) => this.#restorePart(part, denied)) };
    });
  }

  #restorePart(part: Members, denied: ReadonlyMap<string, string>): Members {
    const { type, toolCallId, providerOptions } = part;
    if (type === 'tool-call' && isRecord(providerOptions) && hasHookwrightData(part)) {
      const { input } = readHookwrightData(providerOptions) ?? {};
      const read = typeof input === 'string' ? parseJson(input) : undefined;
      const own = removeOwnData(providerOptions);
      const plain = { ...part, providerOptions: Object.keys(own).length === 0 ? undefined : own };
      return read?.ok === true ? { ...plain, input: read.value } : plain;
    }
    if (type !== 'tool-result' || typeof toolCallId !== 'string') return part;
    const reason = denied.get(toolCallId);
    if (reason !== undefined) return { ...part, output: { type: 'execution-denied', reason } };
    const kept = this.outputs.get(toolCallId);
    return kept !== undefined && isErrorOf(part.output, kept) ? { ...part, output: kept } : part;
  }
}

/** Ids are unique within a conversation only, so the error text must match too. */
const isErrorOf = (output: unknown, { reason, value = reason ?? '' }: RefusedOutput): boolean =>
  isRecord(output) && output.type === 'error-text' && typeof output.value === 'string' && output.value.endsWith(value);

const readParts = (message: object): readonly Members[] => {
  const content: unknown = Reflect.get(message, 'content');
  return Array.isArray(content) ? content.filter(isRecord) : [];
};

const hasHookwrightData = ({ providerOptions }: Members): boolean => readHookwrightData(providerOptions) !== undefined;

export const getSharedCalls = createPerEngine((hooks) => new SharedCalls(hooks));

type ParsedInput = { readonly value: unknown } | { readonly whyNot: string };

const readValidationResult = (result: unknown): ParsedInput => {
  if (!isRecord(result) || !('success' in result)) return { whyNot: 'the schema of the tool gave no result' };
  return result.success === true ? { value: result.value } : { whyNot: describeThrown(result.error) };
};

const parseBySchema = async (schema: unknown, value: unknown): Promise<ParsedInput> => {
  if (isStandardSchema(schema)) {
    const result = await schema['~standard'].validate(value);
    if (isRecord(result) && !Array.isArray(result.issues) && 'value' in result) return { value: result.value };
    return { whyNot: (await checkByStandard(schema, value)).join('; ') };
  }
  if (typeof schema === 'function') return parseBySchema(await schema(), value);
  if (!isRecord(schema) || typeof schema.validate !== 'function') return { value };
  return readValidationResult(await schema.validate(value));
};

export const createInputCheck = (schema: unknown, original: unknown) => async (args: unknown) => {
  const parsed = await parseBySchema(schema, isRecord(args) ? toInput(args, original) : args);
  return 'whyNot' in parsed ? parsed.whyNot : undefined;
};

export const createOutputCheck = (tool: unknown): ((output: unknown) => Promise<string | undefined>) | undefined => {
  const schema = isRecord(tool) ? tool.outputSchema : undefined;
  if (schema === undefined) return undefined;
  return async (output) => {
    const parsed = await parseBySchema(schema, output);
    return 'whyNot' in parsed ? parsed.whyNot : undefined;
  };
};
