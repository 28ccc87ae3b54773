/** The engine of `createHooks`: fires events, calls tools, adds hooks, closes. */
import { type Observable, Subject, Subscription, takeUntil } from 'rxjs';
import type { Bus } from '../bus/index.ts';
import type { TriggerConfig } from '../config.ts';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import {
  catalogue,
  type DefaultHookOutput,
  firedEventNames,
  type HookEventName,
  type HostEvent,
  isHookEventName,
  type PayloadOf,
} from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import type { HookSystem } from '../hook-system.ts';
import { describeValue, formatSuggestion } from '../kit/index.ts';
import type { PlanContext } from '../planner/index.ts';
import {
  type CallToPark,
  type ConfigProblem,
  ConfigSource,
  type Confirm,
  type ConfirmQuestion,
  type HookAction,
  type HookMessage,
  type HookRow,
} from '../protocol/index.ts';
import {
  confirmVerdict,
  createHost,
  type EventVerdict,
  type Host,
  isNotBlank,
  NO_VERDICT,
  toEventVerdict,
} from '../triggers/index.ts';
import { expectCall, expectKnownOptions, expectNotAborted } from './arguments.ts';
import { type CallToolOptions, callTool, checkResume, type ToolEngine } from './call-tool.ts';
import { type CallOf, type ChangesOf, callsByFacadeMethod, type EventOf, type FacadeMethod } from './calls.ts';
import { type DefinedHook, expectHookOptions, type HookedTool, toHook } from './define-hook.ts';
import { createEventAnswers, type EventAnswersWithFaults, noAnswers, withConfirmFault } from './event-answers.ts';
import type { CallTool, CloseOptions, FiredVerdict, HookCallOptions, Hooks, HookVerdict, OnOptions } from './hooks.ts';
import { findHooksWithoutTool, findUnknownTool, type KindByTool } from './missed-tools.ts';
import { openParkedCall } from './resume.ts';

export interface HooksEngineOptions {
  readonly config: TriggerConfig;
  readonly system: HookSystem;
  readonly bus: Bus;
  readonly confirm: Confirm | undefined;
  readonly required: readonly string[];
  readonly tools?: KindByTool | undefined;
  readonly onClosed?: (() => Promise<void>) | undefined;
}

const DEFAULT_CLOSE_GRACE_MS = 5_000;

const MAX_CHECKED_TOOLS = 1_000;

const withMoreFields = <Payload extends object>(payload: Payload, more: HookCallOptions['more']): Payload =>
  more === undefined ? payload : { ...more, ...payload };

const fireOptionNames = ['timeoutMs', 'signal'] as const satisfies readonly (keyof FireOptions)[];

/** The object of `createHooks`, without the methods of events such as `beforeTool`, which `makeHooks` adds. */
export class HooksEngine {
  readonly system: HookSystem;
  readonly bus: Bus;
  readonly #parts: HooksEngineOptions;
  readonly #host: Host;
  readonly #tools: ToolEngine;
  readonly #called = new Set<string>();
  /** Problems that the hook system does not report. */
  readonly #ownProblems: ConfigProblem[] = [];
  readonly #closing = new AbortController();
  readonly #closed$ = new Subject<void>();

  constructor(parts: HooksEngineOptions) {
    this.system = parts.system;
    this.bus = parts.bus;
    this.#parts = parts;
    this.#host = createHost(parts.config);
    this.#tools = {
      host: this.#host,
      expectOpen: () => this.#expectOpen('callTool'),
      expectStillOpen: () =>
        this.#expectOpen('callTool', 'cannot go on: the hooks were closed meanwhile, and the tool does not run'),
      checkTool: (name, mcpContext) => this.#checkTool(name, mcpContext),
      isNoop: (event, context) => this.system.isNoop(event, context),
      fire: (event, payload, options) => this.#fireDetailed(event, payload, options),
      decide: (output, about, options, toPark) => this.#decide(output, about, options, toPark),
    };
  }

  get problems(): readonly ConfigProblem[] {
    const missed = findHooksWithoutTool(this.system.getAllHooks(), this.#parts.tools);
    return [...this.system.getProblems(), ...this.#ownProblems, ...missed];
  }

  readonly report = (problem: ConfigProblem): void => {
    this.#ownProblems.push(problem);
    this.#host.warn(`${problem.source} hooks: ${problem.message}`);
  };

  readonly on = (
    about: string | HostEvent,
    run: HookAction,
    options: OnOptions & { readonly tool?: string | HookedTool | undefined } = {},
  ): (() => void) => {
    this.#expectOpen('on');
    expectHookOptions('on', options);
    const event = typeof about === 'string' ? about : about.name;
    const name = options.name ?? (typeof run === 'function' && run.name !== '' ? run.name : `on ${event}`);
    return this.add(toHook({ ...options, event, run, name }, 'on'));
  };

  readonly add = ({ event, hook, matcher, sequential, notice }: DefinedHook): (() => void) => {
    if (notice !== undefined) {
      const found = { code: 'renamed', severity: 'warning', skipped: false, path: hook.name ?? event } as const;
      this.report({ ...found, source: ConfigSource.Runtime, message: notice });
    }
    return this.system.registerHook(hook, event, { matcher, sequential });
  };

  readonly tap = (): AsyncIterableIterator<HookMessage, undefined> => {
    this.#expectOpen('tap');
    return createIterator(this.bus.stream().pipe(takeUntil(this.#closed$)));
  };

  /** An event without a definition is valid if hooks are configured for it. */
  readonly explain = async (eventName?: string, context?: PlanContext): Promise<HookRow[]> => {
    this.#expectOpen('explain');
    const rows = await this.system.explain(eventName, context);
    if (rows.length > 0 || eventName === undefined || isHookEventName(eventName)) return rows;
    const message = `${describeValue(eventName)} is not an event${formatSuggestion(String(eventName), firedEventNames)}`;
    throw new HookwrightError('unsupported_event', message, { details: { eventName, known: firedEventNames } });
  };

  readonly close = async ({ graceMs = DEFAULT_CLOSE_GRACE_MS }: CloseOptions = {}): Promise<void> => {
    if (typeof graceMs !== 'number' || !(graceMs >= 0)) {
      throw createInvalidArgument(`close needs graceMs as milliseconds from 0 on; got ${describeValue(graceMs)}`);
    }
    this.#closing.abort(new HookwrightError('disposed', 'The hooks were closed'));
    for (const hook of await this.system.settleBackground(graceMs)) {
      const message = `Hook "${hook}" still ran in the background after ${graceMs} ms and is ended; give it more with close({graceMs})`;
      this.#host.warn(message);
      this.bus.report?.(new HookwrightError('hook_failed', message, { details: { hook, graceMs } }));
    }
    await this.system.dispose();
    await this.#parts.onClosed?.();
    this.#closed$.next();
  };

  /** A tool that is missing in `tools` is reported once: under a misspelt name it would evade its hooks. */
  #checkTool(name: string, mcpContext: unknown): void {
    const { tools } = this.#parts;
    if (tools === undefined || mcpContext !== undefined || this.#called.has(name)) return;
    if (this.#called.size === MAX_CHECKED_TOOLS) return;
    this.#called.add(name);
    const problem = findUnknownTool(name, tools);
    if (problem === undefined) return;
    const { code, message, hint = '' } = problem;
    this.report(problem);
    this.bus.report?.(
      new HookwrightError('invalid_argument', `${message}; ${hint}`, { details: { notice: code, name } }),
    );
    this.system.getEventHandler().guardWarnings?.warnOfUnhookedTool(name, message, hint);
  }

  #expectOpen(method: string, why = 'was called on hooks that are closed; create new ones'): void {
    if (!this.#closing.signal.aborted) return;
    throw new HookwrightError('disposed', `${method} ${why}`);
  }

  async call<M extends FacadeMethod>(
    method: M,
    call: CallOf<M> & HookCallOptions,
  ): Promise<HookVerdict & ChangesOf<M>> {
    this.#expectOpen(method);
    expectCall(method, call);
    const { event, about, check, context, toPayload, changes } = callsByFacadeMethod[method];
    check(call);
    const planContext = context?.(call);
    if (planContext?.toolName !== undefined) {
      this.#checkTool(planContext.toolName, 'mcpContext' in call ? call.mcpContext : undefined);
    }
    const isNoop = this.system.isNoop(event, planContext);
    const answers = isNoop
      ? await this.#notAsked(call)
      : await this.#fireDetailed(event, withMoreFields(toPayload(call), call.more), call);
    const { output, messages, correlationId }: EventAnswersWithFaults<EventOf<M>> = answers;
    const question = () => ({
      eventName: event,
      correlationId,
      ...(output === undefined ? {} : about?.(call, output)),
    });
    const decision = output === undefined ? NO_VERDICT : await this.#decide(output, question, call);
    let faults = withConfirmFault(answers.faults, decision);
    const warn = (message: string): void => {
      faults = [...faults, { code: 'internal_error', message }];
      this.#host.warn(message);
    };
    const changed = changes(call, { host: { config: this.#host.config, warn }, output, messages, decision });
    const { verdict, reason, stopReason } = decision;
    const words = output?.getAdditionalContext();
    const added = isNotBlank(words) ? words : undefined;
    // Adding members to a spread object is a hundred times slower than spreading once more.
    const common: HookVerdict = { verdict, reason, stopReason, context: added, messages, faults };
    return { ...common, ...changed };
  }

  readonly fire = async (
    event: string | HostEvent,
    payload: object,
    options: FireOptions = {},
  ): Promise<FiredVerdict> => {
    this.#expectOpen('fire');
    expectKnownOptions('fire', options, fireOptionNames);
    const eventName = typeof event === 'string' ? event : event.name;
    if (isHookEventName(eventName)) return this.#fire(eventName, payload, options);
    const message = `fire: ${describeValue(eventName)} is not an event here${formatSuggestion(eventName, firedEventNames)}`;
    throw new HookwrightError('unsupported_event', message, { details: { eventName, known: firedEventNames } });
  };

  async #fire<E extends HookEventName>(event: E, payload: object, options: FireOptions): Promise<FiredVerdict> {
    const read = catalogue[event].read(payload);
    if (!read.ok) throw createInvalidArgument(`fire ${event}: ${read.message}`);
    const { output, messages, faults } = await this.#fireDetailed(event, read.payload, options);
    const decision =
      output === undefined ? NO_VERDICT : await this.#decide(output, () => ({ eventName: event }), options);
    const { verdict, reason, stopReason } = decision;
    const words = output?.getAdditionalContext();
    const context = isNotBlank(words) ? words : undefined;
    return { verdict, reason, stopReason, context, messages, faults: withConfirmFault(faults, decision), output };
  }

  readonly callTool: CallTool = (name, input, run, options = {}) =>
    callTool(this.#tools, { name, input, run, options });

  readonly resume: Hooks['resume'] = async (token, decision, options = {}) => {
    const method = 'resume';
    this.#expectOpen(method);
    checkResume(method, options);
    const { runTool, signal } = options;
    const { system, required } = this.#parts;
    const opening = { method, host: this.#host, system, required, runTool, signal: this.#untilClosed(signal) };
    const { resumed, run } = await openParkedCall(opening, token, decision);
    const { tool: name, input, context } = resumed.call;
    return callTool(this.#tools, {
      ...{ name, input, resumed },
      run: (args, runContext) => run(name, args, runContext),
      options: { ...options, ...context, runTool: run },
    });
  };

  /** `false` for an object that wraps this class, since a wrapper may do more. */
  static isNoop(hooks: Hooks, method: FacadeMethod, context?: PlanContext): boolean {
    if (!(#host in hooks)) return false;
    const { event, hasWork } = callsByFacadeMethod[method];
    return hooks.system.isNoop(event, context) && hasWork?.(hooks.#host) !== true;
  }

  static confirmOf(hooks: Hooks): Confirm | undefined {
    return #parts in hooks ? hooks.#parts.confirm : undefined;
  }

  static reportTo(hooks: Hooks, problem: ConfigProblem): boolean {
    if (!(#ownProblems in hooks)) return false;
    if (!hooks.#ownProblems.some(({ message }) => message === problem.message)) hooks.report(problem);
    return true;
  }

  /** The answer to an event without hooks. Waits a microtask: if the caller cancels at once, it rejects as with hooks. */
  async #notAsked({ signal }: FireOptions): Promise<typeof noAnswers> {
    expectNotAborted(signal);
    if (signal !== undefined) await undefined;
    expectNotAborted(signal);
    return noAnswers;
  }

  /** Rejects if the caller cancelled: an answer could be taken for permission. */
  async #fireDetailed<E extends HookEventName>(
    event: E,
    payload: PayloadOf<E>,
    options: FireOptions,
  ): Promise<EventAnswersWithFaults<E>> {
    const { signal } = options;
    expectNotAborted(signal);
    const detailed = await this.system.getEventHandler().fireDetailed(event, payload, options);
    expectNotAborted(signal);
    return createEventAnswers(detailed);
  }

  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  async #decide(
    output: DefaultHookOutput | undefined,
    about: () => Omit<ConfirmQuestion, 'reason'>,
    { signal, confirm = this.#parts.confirm }: Pick<CallToolOptions, 'signal' | 'confirm'>,
    toPark?: (reason: string) => CallToPark,
  ): Promise<EventVerdict> {
    const decided = toEventVerdict(output);
    if (decided.verdict !== 'ask') return decided;
    const options = { confirm, signal: this.#untilClosed(signal) };
    const decision = await confirmVerdict(this.#host, { output }, about, options, toPark);
    expectNotAborted(signal);
    return decision;
  }
}

export const { isNoop, confirmOf, reportTo } = HooksEngine;

const MAX_UNREAD_MESSAGES = 10_000;

interface WaitingReader<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

const iterationEnd = { done: true, value: undefined } as const;

const endReader = ({ resolve }: { readonly resolve: (end: typeof iterationEnd) => void }): void =>
  resolve(iterationEnd);

/** A reader that falls too far behind gets an error, because gaps would go unnoticed. */
export const createIterator = <T>(stream: Observable<T>): AsyncIterableIterator<T, undefined> => {
  const items: IteratorYieldResult<T>[] = [];
  const readers: WaitingReader<T>[] = [];
  const subscription = new Subscription();
  /** Settles readers for whom no item is left; set when the stream has ended. */
  let settle: ((reader: WaitingReader<T>) => void) | undefined;

  const finish = (how: (reader: WaitingReader<T>) => void): void => {
    settle ??= how;
    subscription.unsubscribe();
    for (const reader of readers.splice(0)) settle(reader);
  };
  const fail = (error: unknown): void => finish(({ reject }) => reject(error));

  // The stream may end before `subscribe` returns; `add` then unsubscribes at once.
  const started = stream.subscribe({
    next: (value) => {
      const item = { done: false, value } as const;
      const reader = readers.shift();
      if (reader !== undefined) reader.resolve(item);
      else if (items.length < MAX_UNREAD_MESSAGES) items.push(item);
      else fail(new HookwrightError('overloaded', FELL_BEHIND_MESSAGE));
    },
    error: fail,
    complete: () => finish(endReader),
  });
  subscription.add(started);

  return {
    next: () =>
      new Promise((resolve, reject) => {
        const item = items.shift();
        if (item !== undefined) resolve(item);
        else if (settle === undefined) readers.push({ resolve, reject });
        else settle({ resolve, reject });
      }),
    return: () => {
      items.length = 0;
      finish(endReader);
      return Promise.resolve(iterationEnd);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

const FELL_BEHIND_MESSAGE = `The reader fell ${MAX_UNREAD_MESSAGES} messages behind`;
