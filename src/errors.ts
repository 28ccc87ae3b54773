// The errors that this library throws, with the closed list of their codes.
export const errorCodes = [
  'invalid_request',
  'duplicate_request',
  'unsupported_event',
  'validation_failure',
  'deadline_exceeded',
  'cancelled',
  'disposed',
  'overloaded',
  'no_handler',
  'host_lost',
  'internal_error',
  'duplicate_response',
  'handler_exists',
  'listener_failed',
  'transport_failed',
  'invalid_message',
  'invalid_argument',
  'invalid_config',
  'not_initialized',
  'not_supported',
  'hook_failed',
  'blocked',
  'token_refused',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

const errorMarker = Symbol.for('hookwright.error');

export interface HookwrightErrorOptions {
  /** Facts for programs, such as expected and actual values. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Every error that this library throws, rejects with or puts into a result. Test for it with `HookwrightError.is`. */
export class HookwrightError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: HookwrightErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'HookwrightError';
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, errorMarker, { value: true });
  }

  /** Also recognizes errors of another copy of the package, which `instanceof` does not. */
  static is(value: unknown): value is HookwrightError {
    try {
      return typeof value === 'object' && value !== null && errorMarker in value;
    } catch {
      return false;
    }
  }
}

export class HookSystemNotInitializedError extends HookwrightError {
  constructor(accessor: string) {
    super(
      'not_initialized',
      `HookSystem not initialized: ${accessor} was called before initialize(). Await hookSystem.initialize() first.`,
      { details: { accessor } },
    );
    this.name = 'HookSystemNotInitializedError';
  }
}

export class HookRegistryNotInitializedError extends HookwrightError {
  constructor(accessor: string) {
    super(
      'not_initialized',
      `HookRegistry not initialized: ${accessor} was called before initialize(). Await registry.initialize() first.`,
      { details: { accessor } },
    );
    this.name = 'HookRegistryNotInitializedError';
  }
}

export const createInvalidArgument = (message: string): HookwrightError =>
  new HookwrightError('invalid_argument', message);
