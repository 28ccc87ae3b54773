/** Reads a tool's output and applies changes of hooks to it in its original form. */
import type { HookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import {
  type Args,
  addWaitingMessage,
  applyAfterTool,
  type DecidedAnswers,
  type Host,
  isBlockedOrParked,
  type ResultConverter,
  readResultText,
  readUpdatedOutput,
  type ToolContext,
  type ToolResult,
} from '../triggers/index.ts';
import { expectName, expectObject } from './arguments.ts';

export interface ToolCall extends ToolContext {
  readonly tool: string;
  readonly input: Args;
}

export interface FinishedToolCall<Output = unknown> extends ToolCall {
  /** A text, a result with `llmContent`, or any other value. */
  readonly output: Output;
}

export const checkToolCall = (method: string, { tool, input }: ToolCall): void => {
  expectName(method, 'tool', 'the name of the tool', tool);
  expectObject(method, 'input', 'the arguments of the tool as an object', input);
};

/** Hooks always see a result object, even if the tool returned a text. */
const toToolResult = (output: unknown): ToolResult | undefined => {
  if (typeof output === 'string') return { llmContent: output };
  return isRecord(output) && 'llmContent' in output ? output : undefined;
};

export const hostOutputConverter: ResultConverter = {
  asResult: toToolResult,
  inForm: (returned, result) => (typeof returned === 'string' ? readResultText(result) : result),
};

export interface CallAnswer<E extends HookEventName>
  extends Pick<DecidedAnswers<E>, 'output' | 'messages' | 'decision'> {
  readonly host: Host;
}

/** Texts of hooks cannot be added to an unknown form, but any output can be withheld. */
export const applyToOutput = (given: unknown, { host, output: answer, ...rest }: CallAnswer<'AfterTool'>): unknown => {
  if (answer === undefined) return given;
  const output = readUpdatedOutput(hostOutputConverter, given, answer);
  const result = toToolResult(output);
  if (result === undefined && !isBlockedOrParked(rest.decision)) {
    addWaitingMessage(host, answer.systemMessage);
    return output;
  }
  const applied = applyAfterTool(result ?? {}, { ...rest, output: answer });
  return typeof output === 'string' ? applied.llmContent : applied;
};
