import type { CourseOfCall, RanTool } from './around-tool.ts';
import { attempt, type Host } from './fire.ts';
import { rewriteNote } from './tool-call.ts';
import { applyAfterTool, systemText, type ToolResult, tell, textsOf, withStopOf } from './tool-result.ts';
import { decisionOf } from './verdict.ts';

/** In which form a host gets what came of a call. */
export interface OutputForm {
  readonly host: Host;
  /** What a tool gave as a result that has room for words of hooks; `undefined` if its form has none. */
  readonly asResult: (returned: unknown) => ToolResult | undefined;
  /** The result in the form of what the tool gave. */
  readonly inForm: (returned: unknown, result: ToolResult) => unknown;
  /** What else stands in the result of a call. */
  readonly marked?: ((result: ToolResult, course: CourseOfCall) => ToolResult) | undefined;
}

export interface CallOutput {
  readonly output: unknown;
  /** Whether the output has what hooks said to the model. */
  readonly carries: boolean;
}

export type CourseThatRan = CourseOfCall & { readonly ran: RanTool<unknown> };

export const hasRun = (course: CourseOfCall): course is CourseThatRan => course.ran !== undefined;

/**
 * What the model gets of a call whose tool ran: the result, then what hooks said before and after it. The result of a tool
 * that a hook wanted called next stands in its place, with the words of both.
 */
export const outputOf = (form: OutputForm, course: CourseThatRan): CallOutput => {
  const { original, input, before, ran } = course;
  const { returned, after, tail } = ran;
  const { host, asResult, inForm, marked = (result: ToolResult) => result } = form;
  const note = rewriteNote(original, input);
  const told = [...(note === undefined ? [] : [systemText(note)]), ...textsOf(before?.output)];
  const applied = (result: ToolResult): ToolResult =>
    after?.output === undefined ? tell(result, told) : applyAfterTool(result, { ...after, output: after.output }, told);
  const madeOf = (given: unknown, change: (result: ToolResult) => ToolResult): CallOutput => {
    const result = asResult(given);
    const made = result === undefined ? undefined : attempt(host, 'What hooks said', undefined, () => change(result));
    if (made === undefined) return { output: given, carries: false };
    return { output: made === result ? given : inForm(given, made), carries: true };
  };

  const next = tail?.course;
  if (next !== undefined && hasRun(next)) {
    const later = outputOf(form, next);
    const both = madeOf(later.output, applied);
    return { ...both, carries: both.carries && later.carries };
  }
  return madeOf(returned, (result) => {
    const own = marked(applied(result), course);
    if (tail?.whyNot === undefined) return own;
    const message = `A hook asked for the tool ${tail.name}, which ${tail.whyNot}`;
    host.warn(message);
    const stopped = decisionOf(next?.before?.output).stopReason;
    return withStopOf(stopped === undefined ? {} : { stopped: { reason: stopped } }, tell(own, [systemText(message)]));
  });
};
