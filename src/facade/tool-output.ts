/** The output of a tool in the form in which the host gave it. */
import type { OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import {
  type Args,
  applyAfterTool,
  type EventVerdict,
  type Host,
  isAgainst,
  keepForNextRequest,
  type ResultForm,
  type ToolContext,
  type ToolResult,
  textOfResult,
  updatedOutputOf,
} from '../triggers/index.ts';
import { expectName, expectObject } from './arguments.ts';

export interface ToolCall extends ToolContext {
  readonly tool: string;
  readonly input: Args;
}

export interface FinishedToolCall<Output = unknown> extends ToolCall {
  /** What the tool gave: a text, a result with `llmContent`, or anything else. */
  readonly output: Output;
}

export const checkToolCall = (method: string, { tool, input }: ToolCall): void => {
  expectName(method, 'tool', 'the name of the tool', tool);
  expectObject(method, 'input', 'the arguments of the tool as an object', input);
};

/** Tools answer with a text or with a result object; hooks always see the latter. */
const asToolResult = (output: unknown): ToolResult | undefined => {
  if (typeof output === 'string') return { llmContent: output };
  return isRecord(output) && 'llmContent' in output ? output : undefined;
};

/** Texts and results with `llmContent` have room for words of hooks; every output keeps its form. */
export const outputForm: ResultForm = {
  asResult: asToolResult,
  inForm: (returned, result) => (typeof returned === 'string' ? textOfResult(result) : result),
};

interface AnsweredTool {
  readonly host: Host;
  readonly output: OutputOf<'AfterTool'> | undefined;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

/**
 * The tool's output as the model should get it, in the form in which it came. To an output of a form we do not know,
 * nothing can be added; but a result that hooks withhold is withheld in any form.
 */
export const outputAfter = (given: unknown, { host, output: answer, messages, decision }: AnsweredTool): unknown => {
  if (answer === undefined) return given;
  const output = updatedOutputOf(outputForm, given, answer);
  const result = asToolResult(output);
  if (result === undefined && !isAgainst(decision)) {
    keepForNextRequest(host, answer.systemMessage);
    return output;
  }
  const applied = applyAfterTool(result ?? {}, { output: answer, messages, decision });
  return typeof output === 'string' ? applied.llmContent : applied;
};
