/** Builds the output of a tool call for the model, with the texts of hooks. */
import { applyResponseUpdate, type OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import type { BeforeCall } from './before-tool.ts';
import { type Host, tryOrWarn } from './fire-event.ts';
import { toPlainJson } from './plain-json.ts';
import { type DecidedAnswers, describeRewrittenInput, type ResultForm } from './tool-call.ts';
import {
  addStop,
  appendTextsToResult,
  applyAfterTool,
  formatSystemText,
  listModelTexts,
  type ToolResult,
  toToolResponse,
  withResponse,
} from './tool-result.ts';
import { toEventVerdict } from './verdict.ts';

export interface ToolCallProgress<Output = unknown> extends Omit<BeforeCall, 'shown'> {
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

export interface OutputForm extends ResultForm {
  readonly host: Host;
  readonly marked?: ((result: ToolResult, progress: ToolCallProgress) => ToolResult) | undefined;
}

export const toHookOutput = ({ asResult }: ResultForm, returned: unknown): unknown => {
  const result = asResult(returned);
  return result === undefined ? (toPlainJson(returned) ?? null) : toToolResponse(result);
};

export const readUpdatedOutput = (
  { asResult, inForm }: ResultForm,
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
  readonly carries: boolean;
}

export type FinishedToolCallProgress = ToolCallProgress & { readonly ran: RanTool<unknown> };

export const hasToolRun = (progress: ToolCallProgress): progress is FinishedToolCallProgress =>
  progress.ran !== undefined;

export const createCallOutput = (form: OutputForm, progress: FinishedToolCallProgress): CallOutput => {
  const { original, input, before, ran } = progress;
  const { after, tail } = ran;
  const returned = readUpdatedOutput(form, ran.returned, after?.output);
  const { host, asResult, inForm, marked = (result: ToolResult) => result } = form;
  const note = describeRewrittenInput(original, input);
  const told = [...(note === undefined ? [] : [formatSystemText(note)]), ...listModelTexts(before?.output)];
  const applied = (result: ToolResult): ToolResult =>
    after?.output === undefined
      ? appendTextsToResult(result, told)
      : applyAfterTool(result, { ...after, output: after.output }, told);
  const madeOf = (given: unknown, change: (result: ToolResult) => ToolResult): CallOutput => {
    const result = asResult(given);
    const made = result === undefined ? undefined : tryOrWarn(host, 'What hooks said', undefined, () => change(result));
    if (made === undefined) return { output: given, carries: false };
    return { output: made === result ? given : inForm(given, made), carries: true };
  };

  const next = tail?.progress;
  if (next !== undefined && hasToolRun(next)) {
    const later = createCallOutput(form, next);
    const both = madeOf(later.output, applied);
    return { ...both, carries: both.carries && later.carries };
  }
  return madeOf(returned, (result) => {
    const own = marked(applied(result), progress);
    if (tail?.whyNot === undefined) return own;
    const message = `A hook asked for the tool ${tail.name}, which ${tail.whyNot}`;
    host.warn(message);
    const stopped = toEventVerdict(next?.before?.output).stopReason;
    return addStop(
      stopped === undefined ? {} : { stopped: { reason: stopped } },
      appendTextsToResult(own, [formatSystemText(message)]),
    );
  });
};
