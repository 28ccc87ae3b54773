import { HookwrightError } from '../errors.ts';
import { onAbort } from '../kit/index.ts';
import { MAX_TIMEOUT_MS } from '../protocol/settings.ts';
import { afterSettling } from '../runners/settle.ts';

export interface TicketOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The life of one request: it runs until it is answered, unless its deadline passes, somebody cancels it or the engine
 * is disposed of. The first of these counts; `signal` tells the hooks.
 */
export class Ticket {
  readonly #controller: AbortController | undefined;
  readonly #outer: AbortSignal | undefined;
  #stopListening: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended: HookwrightError | undefined;
  #whenEnded: ((reason: HookwrightError) => void) | undefined;

  /** A ticket that is neither timed nor cancellable has no signal: making one costs more than most hooks. */
  constructor(options: TicketOptions = {}, alwaysCancellable = false) {
    const { timeoutMs, signal } = options;
    this.#outer = signal;
    if (alwaysCancellable || timeoutMs !== undefined || signal !== undefined) this.#controller = new AbortController();
    if (signal?.aborted) this.#cancelledOutside();
    else if (signal !== undefined) this.#stopListening = onAbort(signal, () => this.#cancelledOutside());
    if (timeoutMs !== undefined) this.limitTo(timeoutMs);
  }

  get signal(): AbortSignal | undefined {
    return this.#controller?.signal;
  }

  get ended(): HookwrightError | undefined {
    return this.#ended;
  }

  /** Sets the deadline, once: a deadline the requester chose is not replaced by a computed one. */
  limitTo(timeoutMs: number): void {
    if (this.#timer !== undefined || this.#ended !== undefined) return;
    const over = (): void =>
      this.end(
        new HookwrightError('deadline_exceeded', `No complete answer within ${timeoutMs} ms`, {
          details: { timeoutMs },
        }),
      );
    this.#timer = setTimeout(() => afterSettling(over), Math.min(Math.max(timeoutMs, 0), MAX_TIMEOUT_MS));
  }

  #cancelledOutside(): void {
    this.end(new HookwrightError('cancelled', 'The request was cancelled', { cause: this.#outer?.reason }));
  }

  /** Ends the request early. A second end changes nothing, nor does one after `close`. */
  end(reason: HookwrightError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#stopTimer();
    this.#controller?.abort(reason);
    this.#whenEnded?.(reason);
  }

  whenEnded(callback: (reason: HookwrightError) => void): void {
    if (this.#ended === undefined) this.#whenEnded = callback;
    else callback(this.#ended);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The request has been answered; nothing of it is left behind. */
  close(): void {
    this.#stopTimer();
    this.#whenEnded = undefined;
    this.#stopListening?.();
  }
}
