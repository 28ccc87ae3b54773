// Requests data from the inspector's server, and defines the types of its responses.
import type { RequestDetails, RequestSummary } from '../request-log.ts';

export type { RequestDetails, RequestSummary } from '../request-log.ts';

export interface ServerHello {
  readonly name: string;
  readonly kind: 'live' | 'session';
  readonly answers: boolean;
  readonly compares: boolean;
}

export interface InspectorState {
  readonly isOver: boolean;
  readonly problem?: string;
  readonly dropped: number;
  readonly forgotten: number;
}

export interface ComparedDecision {
  readonly line?: number;
  readonly correlationId?: string;
  readonly eventName: string;
  readonly subject?: string;
  readonly kinds: readonly string[];
  readonly before: DecisionSummary;
  readonly after: DecisionSummary;
  readonly details?: readonly string[];
}

export interface DecisionSummary {
  readonly verdict: string;
  readonly reason?: string;
}

export interface BacktestComparison {
  readonly mode: string;
  readonly notice?: string;
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly decisions: readonly ComparedDecision[];
}

const accessToken = new URLSearchParams(location.search).get('token') ?? '';

const createAddress = (path: string, query: Record<string, string> = {}): string =>
  `${path}?${new URLSearchParams({ ...query, token: accessToken })}`;

const fetchJson = async <T>(path: string, query?: Record<string, string>, init?: RequestInit): Promise<T> => {
  const response = await fetch(createAddress(path, query), init);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `status ${response.status}`);
  return body;
};

export const fetchRequest = (id: string): Promise<RequestDetails> => fetchJson('/request', { id });

export const fetchComparison = (): Promise<BacktestComparison | null> => fetchJson('/backtest');

export const sendAnswer = (id: string, approved: boolean): Promise<unknown> => {
  const headers = { 'content-type': 'application/json' };
  return fetchJson('/answer', {}, { method: 'POST', headers, body: JSON.stringify({ id, approved }) });
};

export interface ServerEventHandlers {
  hello(hello: ServerHello): void;
  requests(batch: readonly RequestSummary[]): void;
  state(state: InspectorState): void;
  connected(isConnected: boolean): void;
}

/** After a reconnect the server sends all requests again. */
export const subscribeToServer = (on: ServerEventHandlers): (() => void) => {
  const source = new EventSource(createAddress('/events'));
  source.addEventListener('hello', ({ data }) => on.hello(JSON.parse(data)));
  source.addEventListener('requests', ({ data }) => on.requests(JSON.parse(data)));
  source.addEventListener('state', ({ data }) => on.state(JSON.parse(data)));
  source.addEventListener('open', () => on.connected(true));
  source.addEventListener('error', () => on.connected(false));
  return () => source.close();
};
