import type { HookOutput } from '../hooks/output.ts';
import type { FaultCode, HookExecutionResult } from './run.ts';

/** What a hook answered, and what that is worth. */
export interface HookOpinion {
  readonly output: HookOutput;
  /** False where `decision` is only a courtesy of plain text and not an opinion. */
  readonly hasOpinion: boolean;
  /** Text, a warning or what is left of an answer that cannot be read: it takes the place of nothing that an answer said. */
  readonly isPlain: boolean;
}

/**
 * How one hook ended, decided here and nowhere else. Of a hook that is left out there is no run and so no ending: its row
 * has the reason.
 */
export type HookEnding =
  | { readonly kind: 'answered'; readonly said: HookOpinion }
  /** No opinion: it said nothing, or printed an empty answer. */
  | { readonly kind: 'silent'; readonly said: HookOpinion | undefined }
  /** What it said all the same: before it failed, or by its `onFault`. */
  | { readonly kind: 'faulted'; readonly code: FaultCode; readonly said: HookOpinion | undefined }
  /** Started and not waited for. */
  | { readonly kind: 'background'; readonly said: undefined };

/** Plain text allows by courtesy to old callers, and hooks of some agents as a formula; a verdict of `onFault` is an opinion. */
export const hasOpinion = ({ output, outputFormat, grantsNothing }: HookExecutionResult): boolean =>
  output !== undefined && ((outputFormat !== 'text' && grantsNothing !== true) || output.decision !== 'allow');

export const isPlain = ({ outputFormat, code }: HookExecutionResult): boolean =>
  outputFormat !== 'json' || code === 'malformed-output';

const saidIn = (result: HookExecutionResult): HookOpinion | undefined =>
  result.output === undefined
    ? undefined
    : { output: result.output, hasOpinion: hasOpinion(result), isPlain: isPlain(result) };

export const endingOf = (result: HookExecutionResult): HookEnding => {
  const { code, background } = result;
  if (background === true) return { kind: 'background', said: undefined };
  const said = saidIn(result);
  if (code !== undefined) return { kind: 'faulted', code, said };
  return said === undefined || Object.keys(said.output).length === 0
    ? { kind: 'silent', said }
    : { kind: 'answered', said };
};
