import { type HookExecutionResult, hookKey, type Logger } from '../../protocol/index.ts';
import { callSafely, type HookEvents } from './observers.ts';

type Listener = NonNullable<HookEvents['onFeedback']>;

/** Tells a person that hooks failed. An event that fires once per chunk of one model request tells it once. */
export class Feedback {
  readonly #listener: Listener;
  readonly #logger: Logger | undefined;
  readonly #toldAbout = new WeakMap<object, Set<string>>();

  constructor(listener: Listener, logger: Logger | undefined) {
    this.#listener = listener;
    this.#logger = logger;
  }

  about(eventName: string, payload: object, results: readonly HookExecutionResult[]): void {
    const failed = results.filter((result) => result.code !== undefined);
    if (failed.length === 0) return;
    const names = failed.map(({ hookConfig, code }) => `"${hookKey(hookConfig)}" (${code})`).join(', ');
    const message = `${eventName}: ${failed.length === 1 ? 'a hook' : `${failed.length} hooks`} failed: ${names}`;
    if (this.#isKnown(payload, message)) return;
    callSafely(this.#logger, 'onFeedback', () => this.#listener({ severity: 'warning', message }));
  }

  #isKnown(payload: object, message: string): boolean {
    const request = 'llm_request' in payload ? payload.llm_request : undefined;
    if (typeof request !== 'object' || request === null) return false;
    const told = this.#toldAbout.get(request) ?? new Set();
    this.#toldAbout.set(request, told);
    if (told.has(message)) return true;
    told.add(message);
    return false;
  }
}
