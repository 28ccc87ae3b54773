import type { BeforeCall } from './before-tool.ts';
import type { Heard } from './tool-call.ts';

/** How far a call came, and what hooks said on the way. */
export interface CourseOfCall<Output = unknown> extends Omit<BeforeCall, 'shown'> {
  /** There when the tool ran. */
  readonly ran?: RanTool<Output>;
}

export interface RanTool<Output> {
  readonly returned: Output;
  readonly after: Heard<'AfterTool'> | undefined;
  /** There when a hook wanted another tool called, its result to take the place of this one. */
  readonly tail?: TailCall;
}

export interface TailCall {
  readonly name: string;
  readonly course?: CourseOfCall;
  /** There when it came to nothing, so that the first result stands. */
  readonly whyNot?: string;
}
