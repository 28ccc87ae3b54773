import { type ErrorCode, HookwrightError } from '../errors.ts';
import { describeThrown } from '../kit/index.ts';

/** An error of ours as it is, anything else as one of ours. */
export const asError = (code: ErrorCode, thrown: unknown): HookwrightError =>
  HookwrightError.is(thrown) ? thrown : new HookwrightError(code, describeThrown(thrown), { cause: thrown });
