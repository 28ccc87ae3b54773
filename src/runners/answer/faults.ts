// Creates the results and errors of hooks that failed or were cancelled.
import { HookwrightError } from '../../errors.ts';
import { printable } from '../../kit/index.ts';
import {
  type AgentHook,
  type FaultCode,
  getHookKey,
  type HookConfig,
  type HookExecutionResult,
  notice,
  shortenHookName,
} from '../../protocol/index.ts';

export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  readonly cause?: unknown;
}

class HookFaultError extends HookwrightError {
  readonly #words: string;

  constructor(hook: HookConfig, code: FaultCode, message: string, cause: { readonly cause?: unknown }) {
    const words = printable(message, 'lines');
    super('hook_failed', `${printable(`Hook "${shortenHookName(getHookKey(hook))}": `, 'lines')}${words}`, {
      details: { fault: code, hook: getHookKey(hook) },
      ...cause,
    });
    this.#words = words;
  }

  get words(): string {
    return this.#words;
  }
}

export const createFaultError = (
  hook: HookConfig,
  code: FaultCode,
  message: string,
  cause?: unknown,
): HookwrightError => new HookFaultError(hook, code, message, cause === undefined ? {} : { cause });

export const createFaultResult = (
  hook: HookConfig,
  eventName: string,
  { code, message, cause }: Fault,
  duration = 0,
): HookExecutionResult => ({
  hookConfig: hook,
  eventName,
  success: false,
  code,
  error: createFaultError(hook, code, message, cause),
  duration,
});

export const getFaultText = ({ error, fieldProblems, warnings, output, code }: HookExecutionResult): string => {
  if (error !== undefined) return error instanceof HookFaultError ? error.words : error.message;
  const malformed = fieldProblems
    ?.filter(({ fate }) => fate === 'malformed')
    .map(({ field, note }) => `${field}: ${note}`);
  if (malformed !== undefined && malformed.length > 0) return malformed.join('; ');
  const why = warnings?.find((warning) => warning.code === code);
  return why?.message ?? output?.systemMessage ?? String(code);
};

export const createAbortFault = (signal: AbortSignal): { code: 'deadline' | 'cancelled'; message: string } => {
  const reason: unknown = signal.reason;
  if (!HookwrightError.is(reason) || reason.code !== 'deadline_exceeded') {
    return { code: 'cancelled', message: 'the request was cancelled' };
  }
  const isBudget = reason.details?.budgetMs !== undefined;
  return { code: 'deadline', message: isBudget ? reason.message : 'the deadline of the request passed' };
};

export const createNotMatchedResult = (
  hookConfig: HookConfig,
  eventName: string,
  dialect: AgentHook,
): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  duration: 0,
  warnings: [
    notice(
      'dialect',
      `${dialect.title}: its matcher or condition does not match this ${dialect.event}; it was not started`,
    ),
  ],
});
