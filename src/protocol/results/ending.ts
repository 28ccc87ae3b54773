// How a run of a hook ended: answered, silent, faulted or in the background.

import type { FaultCode } from '../fault-and-notice-codes.ts';
import type { HookOutput } from '../hooks/output.ts';
import type { HookExecutionResult } from './run.ts';

export interface HookOpinion {
  readonly output: HookOutput;
  /** `false` for plain text, which allows only for compatibility. */
  readonly hasOpinion: boolean;
  /** True for text, a warning or part of unreadable JSON, which must not override a field of a real answer. */
  readonly isPlain: boolean;
}

export type HookEnding =
  | { readonly kind: 'answered'; readonly said: HookOpinion }
  | { readonly kind: 'silent'; readonly said: HookOpinion | undefined }
  /** `said` is the answer printed before the fault, or the verdict of `onFault`. */
  | { readonly kind: 'faulted'; readonly code: FaultCode; readonly said: HookOpinion | undefined }
  | { readonly kind: 'background'; readonly said: undefined };

/**
 * An `allow` from plain text, or an `allow` that some agents assume, is no opinion. A verdict of `onFault` is an
 * opinion.
 */
export const hasOpinion = ({ output, outputFormat, grantsNothing }: HookExecutionResult): boolean =>
  output !== undefined && ((outputFormat !== 'text' && grantsNothing !== true) || output.decision !== 'allow');

export const isPlainText = ({ outputFormat, code }: HookExecutionResult): boolean =>
  outputFormat !== 'json' || code === 'malformed-output';

const readOpinion = (result: HookExecutionResult): HookOpinion | undefined =>
  result.output === undefined
    ? undefined
    : { output: result.output, hasOpinion: hasOpinion(result), isPlain: isPlainText(result) };

export const toHookEnding = (result: HookExecutionResult): HookEnding => {
  const { code, background } = result;
  if (background === true) return { kind: 'background', said: undefined };
  const said = readOpinion(result);
  if (code !== undefined) return { kind: 'faulted', code, said };
  return said === undefined || Object.keys(said.output).length === 0
    ? { kind: 'silent', said }
    : { kind: 'answered', said };
};
