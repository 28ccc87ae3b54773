/** Builds the output of a tool call for the model, with the texts of hooks. */
import { applyResponseUpdate, type OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import type { JudgedCall } from './before-tool.ts';
import { type Host, tryOrWarn } from './fire-event.ts';
import { toPlainJson } from './plain-json.ts';
import { type DecidedAnswers, describeRewrittenInput, type ResultConverter } from './tool-call.ts';
import {
  appendTextsToResult,
  applyAfterTool,
  formatSystemText,
  listModelTexts,
  type ToolResult,
  toToolResponse,
  withResponse,
  withStopReason,
} from './tool-result.ts';
import { toEventVerdict } from './verdict.ts';

export interface ToolCallProgress<Output = unknown> extends Omit<JudgedCall, 'shown'> {
  readonly ran?: RanTool<Output>;
}

export interface RanTool<Output> {
  readonly returned: Output;
  readonly after: DecidedAnswers<'AfterTool'> | undefined;
  readonly tail?: TailCall;
}

export interface TailCall {
  readonly name: string;
  readonly progress?: ToolCallProgress;
  /** Why the requested tool failed or did not run; the model then gets the result of the previous tool. */
  readonly whyNot?: string;
}

export interface OutputConverter extends ResultConverter {
  readonly host: Host;
  readonly withMarks?: ((result: ToolResult, progress: ToolCallProgress) => ToolResult) | undefined;
}

export const toOutputForHooks = ({ asResult }: ResultConverter, returned: unknown): unknown => {
  const result = asResult(returned);
  return result === undefined ? (toPlainJson(returned) ?? null) : toToolResponse(result);
};

export const readUpdatedOutput = (
  { asResult, inForm }: ResultConverter,
  returned: unknown,
  output: OutputOf<'AfterTool'> | undefined,
): unknown => {
  const updated = output?.getUpdatedOutput();
  if (updated === undefined) return returned;
  const result = asResult(returned);
  if (result === undefined) return updated;
  const response = applyResponseUpdate(toToolResponse(result), updated);
  return inForm(returned, withResponse(result, isRecord(response) ? response : { llmContent: response }));
};

export interface CallOutput {
  readonly output: unknown;
  /** Whether the output contains the texts of hooks. */
  readonly hasTexts: boolean;
}

export type FinishedToolCallProgress = ToolCallProgress & { readonly ran: RanTool<unknown> };

export const hasToolRun = (progress: ToolCallProgress): progress is FinishedToolCallProgress =>
  progress.ran !== undefined;

export const createCallOutput = (form: OutputConverter, progress: FinishedToolCallProgress): CallOutput => {
  const { original, input, before, ran } = progress;
  const { after, tail } = ran;
  const returned = readUpdatedOutput(form, ran.returned, after?.output);
  const { host, asResult, inForm, withMarks = (result: ToolResult) => result } = form;
  const note = describeRewrittenInput(original, input);
  const texts = [...(note === undefined ? [] : [formatSystemText(note)]), ...listModelTexts(before?.output)];
  const applyTexts = (result: ToolResult): ToolResult =>
    after?.output === undefined
      ? appendTextsToResult(result, texts)
      : applyAfterTool(result, { ...after, output: after.output }, texts);
  const change = (given: unknown, changeResult: (result: ToolResult) => ToolResult): CallOutput => {
    const result = asResult(given);
    const made =
      result === undefined ? undefined : tryOrWarn(host, 'What hooks said', undefined, () => changeResult(result));
    if (made === undefined) return { output: given, hasTexts: false };
    return { output: made === result ? given : inForm(given, made), hasTexts: true };
  };

  const next = tail?.progress;
  if (next !== undefined && hasToolRun(next)) {
    const later = createCallOutput(form, next);
    const both = change(later.output, applyTexts);
    return { ...both, hasTexts: both.hasTexts && later.hasTexts };
  }
  return change(returned, (result) => {
    const own = withMarks(applyTexts(result), progress);
    if (tail?.whyNot === undefined) return own;
    const message = `A hook asked for the tool ${tail.name}, which ${tail.whyNot}`;
    host.warn(message);
    const stopped = toEventVerdict(next?.before?.output).stopReason;
    const explained = appendTextsToResult(own, [formatSystemText(message)]);
    return stopped === undefined ? explained : withStopReason(explained, stopped);
  });
};
