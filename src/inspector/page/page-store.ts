// Holds the requests received from the server, and decides which of them match the filter.
import { type InspectorState, type RequestSummary, type ServerHello, subscribeToServer } from './api-client.ts';

export const emptyFilter = { event: '', tool: '', verdict: '', hook: '', fault: '', text: '' };

export type RequestFilter = Readonly<typeof emptyFilter>;

const hasHookAndFault = (summary: RequestSummary, { hook, fault }: RequestFilter): boolean =>
  (hook === '' || summary.runs.some(([name]) => name === hook)) &&
  (fault === '' || summary.runs.some(([, , , code]) => code !== undefined && (fault === 'any' || code === fault)));

const containsText = ({ id, event, subject, gist, reason, runs }: RequestSummary, text: string): boolean => {
  if (text === '') return true;
  const wanted = text.toLowerCase();
  return [id, event, subject, gist, reason, ...runs.map(([name]) => name)].some((part) =>
    part?.toLowerCase().includes(wanted),
  );
};

export const matchesFilter = (summary: RequestSummary, filter: RequestFilter): boolean =>
  (filter.event === '' || summary.event === filter.event) &&
  (filter.tool === '' || summary.subject === filter.tool) &&
  (filter.verdict === '' || summary.verdict === filter.verdict) &&
  hasHookAndFault(summary, filter) &&
  containsText(summary, filter.text);

const MAX_STORED_REQUESTS = 20_000;
const REQUESTS_DROPPED_AT_ONCE = 1_000;

export class PageStore {
  hello: ServerHello | undefined;
  state: InspectorState = { isOver: false, dropped: 0, forgotten: 0 };
  isConnected = false;
  /** Changes whenever the stored requests change, so that views can use it as a cache key. */
  version = 0;
  readonly #positions = new Map<string, number>();
  #all: RequestSummary[] = [];
  #isAnnounced = false;
  readonly #listeners = new Set<() => void>();

  constructor() {
    subscribeToServer({
      hello: (hello) => {
        this.hello = hello;
        this.#positions.clear();
        this.#all = [];
        this.#changed();
      },
      requests: (batch) => {
        for (const summary of batch) this.#put(summary);
        this.#changed();
      },
      state: (state) => {
        this.state = state;
        this.#changed();
      },
      connected: (isConnected) => {
        this.isConnected = isConnected;
        this.#changed();
      },
    });
  }

  get all(): readonly RequestSummary[] {
    return this.#all;
  }

  find(id: string): RequestSummary | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.#all[position];
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(summary: RequestSummary): void {
    const position = this.#positions.get(summary.id);
    if (position !== undefined) {
      this.#all[position] = summary;
      return;
    }
    this.#positions.set(summary.id, this.#all.length);
    this.#all.push(summary);
    if (this.#all.length > MAX_STORED_REQUESTS + REQUESTS_DROPPED_AT_ONCE) this.#dropOldest();
  }

  #dropOldest(): void {
    this.#all.splice(0, REQUESTS_DROPPED_AT_ONCE);
    this.#positions.clear();
    for (const [position, { id }] of this.#all.entries()) this.#positions.set(id, position);
  }

  #changed(): void {
    this.version += 1;
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    requestAnimationFrame(() => {
      this.#isAnnounced = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
