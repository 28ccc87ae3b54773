/** Runs one coverage test of an agent: calls the driver, records the events that fire, and collects problems. */
import { inspect } from 'node:util';
import type { HookEventName } from '../../events/index.ts';
import type { HookSystem } from '../../hook-system.ts';
import { describeThrown, isRecord, waitWithinMs } from '../../kit/index.ts';
import { type HookExecutionRequest, type HookOutput, HookType, readPayload } from '../../protocol/index.ts';
import type { Traffic } from '../capture-traffic.ts';

export type DriverEnding =
  | { readonly how: 'resolved'; readonly value: unknown }
  | { readonly how: 'rejected'; readonly error: unknown }
  | { readonly how: 'hung' };

/** How long the agent's code, and each event that it must fire, may take. */
export interface CoverageTimeouts {
  readonly timeoutMs: number;
  readonly patienceMs: number;
}

/** How long to wait after an action for an event that must not fire. */
const UNEXPECTED_EVENT_WAIT_MS = 15;
const POLL_INTERVAL_MS = 2;

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export type CoverageHookAnswer = HookOutput | undefined | Promise<HookOutput | undefined>;

export class Walk {
  readonly #path: string;
  readonly #traffic: Traffic;
  readonly #system: HookSystem | undefined;
  readonly #settings: CoverageTimeouts;
  readonly #removals: (() => void)[] = [];
  readonly #problems: string[] = [];

  constructor(path: string, traffic: Traffic, system: HookSystem | undefined, settings: CoverageTimeouts) {
    this.#path = path;
    this.#traffic = traffic;
    this.#system = system;
    this.#settings = settings;
    traffic.clear();
  }

  get problems(): readonly string[] {
    return [...new Set(this.#problems)];
  }

  get seen(): readonly string[] {
    return this.#traffic.requests.map(({ eventName }) => eventName);
  }

  addProblem(sentence: string): void {
    this.#problems.push(`${this.#path}: ${sentence}`);
  }

  hook(eventName: HookEventName, reply: () => CoverageHookAnswer, tool?: string): void {
    const action = (input: Readonly<Record<string, unknown>>): CoverageHookAnswer =>
      tool === undefined || input.tool_name === tool ? reply() : undefined;
    const name = `coverage of ${this.#path}`;
    const remove = this.#system?.registerHook({ type: HookType.Runtime, name, action }, eventName);
    if (remove !== undefined) this.#removals.push(remove);
  }

  removeHooks(): void {
    for (const remove of this.#removals.splice(0)) remove();
  }

  /** The number of messages so far serves as the time, because only the order of events is checked. */
  now(): number {
    return this.#traffic.messages.length;
  }

  requests(eventName: HookEventName, tool?: string): readonly HookExecutionRequest[] {
    const { requests } = this.#traffic.of(eventName);
    return requests.filter((request) => tool === undefined || readPayload(request).tool_name === tool);
  }

  /** Positions of a request and its response among all messages; infinity for a missing message. */
  timesOf({ correlationId }: HookExecutionRequest): { readonly asked: number; readonly answered: number } {
    const { messages, requests, responses } = this.#traffic;
    const indexOf = (found: (typeof messages)[number] | undefined): number =>
      found === undefined ? Number.POSITIVE_INFINITY : messages.indexOf(found);
    return {
      asked: indexOf(requests.find((one) => one.correlationId === correlationId)),
      answered: indexOf(responses.find((one) => one.correlationId === correlationId)),
    };
  }

  hasFired(...events: readonly HookEventName[]): boolean {
    return events.every((eventName) => this.requests(eventName).length > 0);
  }

  once(eventName: HookEventName, ifMore: string, tool?: string): HookExecutionRequest | undefined {
    const requests = this.requests(eventName, tool);
    const about = tool === undefined ? '' : ` for ${tool}`;
    if (requests.length === 0) this.addProblem(`${eventName} never fired${about}`);
    if (requests.length > 1) this.addProblem(`${eventName} fired ${formatTimes(requests.length)}${about}${ifMore}`);
    return requests[0];
  }

  async drive(what: string, action: () => unknown): Promise<DriverEnding> {
    const { timeoutMs } = this.#settings;
    const ended = (async () => action())().then(
      (value): DriverEnding => ({ how: 'resolved', value }),
      (error: unknown): DriverEnding => ({ how: 'rejected', error }),
    );
    const ending = (await waitWithinMs(timeoutMs, ended)) ?? { how: 'hung' };
    if (ending.how === 'hung') this.addProblem(`${what} did not come to an end within ${timeoutMs} ms`);
    return ending;
  }

  async expectDone(what: string, action: () => unknown): Promise<unknown> {
    const ending = await this.drive(what, action);
    this.expectNoThrow(what, ending);
    return ending.how === 'resolved' ? ending.value : undefined;
  }

  expectNoThrow(what: string, ending: DriverEnding): void {
    if (ending.how === 'rejected') this.addProblem(`${what} threw an exception: ${describeThrown(ending.error)}`);
  }

  async settle(isComplete: () => boolean): Promise<void> {
    const startedAt = performance.now();
    const isSettled = (): boolean => isComplete() && this.#unanswered().length === 0;
    while (!isSettled() && performance.now() - startedAt < this.#settings.patienceMs) await sleep(POLL_INTERVAL_MS);
    await sleep(UNEXPECTED_EVENT_WAIT_MS);
    for (const { eventName } of this.#unanswered()) this.addProblem(`${eventName} was never answered`);
  }

  #unanswered(): readonly HookExecutionRequest[] {
    const { requests, responses } = this.#traffic;
    const answered = new Set(responses.map(({ correlationId }) => correlationId));
    return requests.filter(({ correlationId }) => !answered.has(correlationId));
  }
}

export const containsText = (value: unknown, text: string): boolean => {
  if (typeof value === 'string') return value.includes(text);
  const shown = inspect(value, { depth: 20, maxArrayLength: null, maxStringLength: null, breakLength: Infinity });
  return shown.includes(text);
};

export const formatTimes = (count: number): string => (count === 1 ? 'once' : `${count} times`);

export const inspectBriefly = (value: unknown): string => {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 4, breakLength: Infinity, compact: true });
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
};

export const isMarkedCancelled = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(isMarkedCancelled);
  if (!isRecord(value)) return false;
  const { status, type, error } = value;
  const words = [status, type, isRecord(error) ? error.type : error];
  return words.some((word) => typeof word === 'string' && /^(?:cancell?ed|aborted)$/i.test(word));
};
