import { AsyncSubject, type Observable } from 'rxjs';
import { HookwrightError } from '../errors.ts';
import { onAbort } from '../kit/index.ts';
import { MAX_TIMEOUT_MS } from '../protocol/index.ts';
import { afterSettling } from '../runners/index.ts';
import type { FireOptions } from './family.ts';

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
  #ended$: AsyncSubject<HookwrightError> | undefined;

  /** A ticket that is neither timed nor cancellable has no signal: making one costs more than most hooks. */
  constructor(options: FireOptions, alwaysCancellable: boolean) {
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
    this.#tell(reason);
  }

  /** Gives why the request was ended early, when it is; otherwise it says nothing. */
  get ended$(): Observable<HookwrightError> {
    if (this.#ended$ === undefined) {
      this.#ended$ = new AsyncSubject();
      if (this.#ended !== undefined) this.#tell(this.#ended);
    }
    return this.#ended$;
  }

  #tell(reason: HookwrightError): void {
    this.#ended$?.next(reason);
    this.#ended$?.complete();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The request has been answered; nothing of it is left behind. */
  close(): void {
    this.#stopTimer();
    this.#stopListening?.();
  }
}
