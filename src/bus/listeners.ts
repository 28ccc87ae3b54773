// Stores a bus's listeners by message type, and calls them without letting one break the others.
import mittModule from 'mitt';
import type { HookwrightError } from '../errors.ts';
import type { HookMessage, MessageBusType, MessageOf } from '../protocol/index.ts';

// TypeScript types mitt's default import as the module object under NodeNext (developit/mitt#191), so a runtime check
// decides.
const isEmitterFactory = (value: unknown): value is typeof mittModule.default => typeof value === 'function';
const createEmitter = isEmitterFactory(mittModule) ? mittModule : mittModule.default;

interface OtherTopics {
  every: HookMessage;
  error: HookwrightError;
}

export type ListenerTopic = MessageBusType | keyof OtherTopics;

export type TopicValues = {
  [Topic in ListenerTopic]: Topic extends MessageBusType ? MessageOf<Topic> : OtherTopics[Topic & keyof OtherTopics];
};

interface ListenerSubscription {
  readonly listener: unknown;
  readonly end: () => void;
  readonly isActive: () => boolean;
  readonly complete: (() => void) | undefined;
}

const subscriptionsByHandler = new WeakMap<object, ListenerSubscription>();

interface ListenerOptions {
  readonly complete?: (() => void) | undefined;
  readonly onEnd?: (() => void) | undefined;
}

export class Listeners {
  readonly #emitter = createEmitter<TopicValues>();
  readonly #onFirst: (topic: ListenerTopic) => () => void;
  readonly #leave = new Map<ListenerTopic, () => void>();
  #deliveries = 0;

  constructor(onFirst: (topic: ListenerTopic) => () => void) {
    this.#onFirst = onFirst;
  }

  /** Marks the start of a delivery. A listener that subscribes during a delivery must not get the current message. */
  begin(): void {
    this.#deliveries += 1;
  }

  on<Topic extends ListenerTopic>(
    topic: Topic,
    callback: (value: TopicValues[Topic]) => unknown,
    boundary: ErrorBoundary,
    options: ListenerOptions = {},
  ): () => void {
    const handle = (value: TopicValues[Topic]): void => {
      if (subscription.isActive()) boundary.run(callback, value);
    };
    const subscription = this.#open(topic, callback, options, () => this.#emitter.off(topic, handle));
    subscriptionsByHandler.set(handle, subscription);
    this.#emitter.on(topic, handle);
    if (!this.#leave.has(topic)) this.#leave.set(topic, this.#onFirst(topic));
    return subscription.end;
  }

  endOldest(topic: ListenerTopic, listener: unknown): void {
    this.#all(topic)
      .find((subscription) => subscription.listener === listener)
      ?.end();
  }

  count(topic: ListenerTopic): number {
    return this.#emitter.all.get(topic)?.length ?? 0;
  }

  emit<Topic extends ListenerTopic>(topic: Topic, value: TopicValues[Topic]): void {
    this.#emitter.emit(topic, value);
  }

  endAll(): (() => void)[] {
    const all = [...this.#leave.keys()].flatMap((topic) => this.#all(topic));
    for (const { end } of all) end();
    return all.flatMap(({ complete }) => complete ?? []);
  }

  #open(
    topic: ListenerTopic,
    listener: unknown,
    { complete, onEnd }: ListenerOptions,
    detach: () => void,
  ): ListenerSubscription {
    const bornIn = this.#deliveries;
    let isOpen = true;
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      detach();
      onEnd?.();
      if (this.count(topic) > 0) return;
      this.#leave.get(topic)?.();
      this.#leave.delete(topic);
    };
    const isActive = (): boolean => isOpen && (topic === 'error' || this.#deliveries > bornIn);
    return { listener, end, isActive, complete };
  }

  #all(topic: ListenerTopic): ListenerSubscription[] {
    return (this.#emitter.all.get(topic) ?? []).flatMap((handle) => subscriptionsByHandler.get(handle) ?? []);
  }
}

const isThenable = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && 'then' in value;

interface ErrorBoundaryOwner {
  isQuiet(): boolean;
  report(thrown: unknown, quiet: boolean): void;
}

/**
 * Calls listeners, and reports what they throw or reject with, so that one failing listener cannot break the others.
 */
export class ErrorBoundary {
  readonly #owner: ErrorBoundaryOwner;

  constructor(owner: ErrorBoundaryOwner) {
    this.#owner = owner;
  }

  run<Value>(callback: (value: Value) => unknown, value: Value): void {
    try {
      const returned = callback(value);
      if (returned !== undefined && isThenable(returned)) this.#watch(returned);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  failed(thrown: unknown): void {
    this.#owner.report(thrown, this.#owner.isQuiet());
  }

  #watch(returned: unknown): void {
    const quiet = this.#owner.isQuiet();
    Promise.resolve(returned).then(undefined, (thrown) => this.#owner.report(thrown, quiet));
  }
}
