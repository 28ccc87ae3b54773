// Classifies the result of one hook: answered, silent, faulted or background.
import type { HookOutput } from '../hooks/output.ts';
import type { FaultCode, HookExecutionResult } from './run.ts';

/** The answer of a hook, and whether it counts as an opinion. */
export interface HookOpinion {
  readonly output: HookOutput;
  /** False if the answer is plain text, whose `decision` is no opinion. */
  readonly hasOpinion: boolean;
  /** Text, a warning or part of an unreadable answer: it overrides no field of a real answer. */
  readonly isPlain: boolean;
}

/** How one hook ended. A skipped hook has no run and so no ending; its row has the reason. */
export type HookEnding =
  | { readonly kind: 'answered'; readonly said: HookOpinion }
  /** The hook printed nothing or an empty answer, so it has no opinion. */
  | { readonly kind: 'silent'; readonly said: HookOpinion | undefined }
  /** `said` is its answer before it failed, or that of its `onFault`. */
  | { readonly kind: 'faulted'; readonly code: FaultCode; readonly said: HookOpinion | undefined }
  /** Started and not waited for. */
  | { readonly kind: 'background'; readonly said: undefined };

/**
 * Whether an answer is an opinion. Plain text allows for compatibility, and hooks of some agents allow by default; a
 * verdict of `onFault` is an opinion.
 */
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
