import type { Observable } from 'rxjs';
import type { Bus } from '../bus/bus.ts';
import { MessageBus } from '../bus/message-bus.ts';
import { Config, type HookDeps } from '../config.ts';
import { HookwrightError } from '../errors.ts';
import { type HookEventName, hookEventNames, isHookEventName, type OutputOf } from '../events/catalogue.ts';
import type { DefaultHookOutput } from '../events/outputs.ts';
import type { DetailedResult, FireOptions } from '../handlers/hook-event-handler.ts';
import type { HookSystem } from '../hook-system.ts';
import type { PlanContext } from '../planner/planner.ts';
import type { ConfirmQuestion } from '../protocol/confirm.ts';
import { describeThrown, describeValue } from '../protocol/json.ts';
import type { HookMessage } from '../protocol/messages.ts';
import { suggestion } from '../protocol/nearest.ts';
import type { HookRow } from '../protocol/rows.ts';
import type { FaultCode } from '../protocol/run.ts';
import { type ConfigProblem, type HooksByEvent, hookKey } from '../protocol/settings.ts';
import { type CallOf, type ChangesOf, calls, type FacadeMethod, facadeMethods } from './calls.ts';
import { type DefinedHook, defineHook, type HookDefinitionOf } from './define-hook.ts';
import { iterate } from './iterate.ts';

/** `none` means that no hook had an opinion. It is not an approval. */
export type Verdict = 'none' | 'allow' | 'ask' | 'deny' | 'stop';

/** A hook that could not do its work, or the engine that could not do its own. */
export interface HookFault {
  readonly hook?: string;
  readonly code: FaultCode | HookwrightError['code'];
  readonly message: string;
}

/** What the hooks made of one moment of the agent's life. */
export interface HookVerdict {
  readonly verdict: Verdict;
  /** Why, for every verdict but `none` and a silent `allow`. */
  readonly reason?: string | undefined;
  /** What the model should know, markup escaped. */
  readonly context?: string | undefined;
  /** System messages, for the model; a UI may show them. */
  readonly messages: readonly string[];
  /** What went wrong. A fault is never a verdict unless its hook asked for that. */
  readonly faults: readonly HookFault[];
}

export type FacadeMethods = {
  readonly [M in FacadeMethod]: (call: CallOf<M> & FireOptions) => Promise<HookVerdict & ChangesOf<M>>;
};

export interface CreateHooksOptions {
  /** A host's own configuration; hooks given beside it are added to its own. */
  readonly config?: Config | undefined;
  /** Reads settings files. */
  readonly load?: boolean | undefined;
  /** Hooks as in a settings file, or made with `defineHook`. */
  readonly hooks?: HooksByEvent | readonly DefinedHook[] | undefined;
  readonly bus?: Bus | undefined;
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly deps?: HookDeps | undefined;
}

/** A ready engine. */
export interface Hooks extends FacadeMethods {
  /** What is wrong with the configuration. */
  readonly problems: readonly ConfigProblem[];
  readonly bus: Bus;
  readonly system: HookSystem;
  /** Adds a function hook; the returned function removes it. */
  on<E extends HookEventName>(event: E, run: HookDefinitionOf<E>['run'], options?: OnOptions): () => void;
  /** The traffic of the bus from now on. Leave the loop, or call `return()`, to end it. */
  tap(): AsyncIterableIterator<HookMessage>;
  /** Says of every configured hook whether it would run, and why not. */
  explain(eventName?: HookEventName | (string & {}), context?: PlanContext): Promise<HookRow[]>;
  /** Ends what runs and refuses everything later. */
  close(): Promise<void>;
}

export interface OnOptions {
  readonly name?: string | undefined;
  readonly matcher?: string | undefined;
  readonly sequential?: boolean | undefined;
}

const isList = (hooks: HooksByEvent | readonly DefinedHook[]): hooks is readonly DefinedHook[] => Array.isArray(hooks);

const verdictOf = (output: DefaultHookOutput | undefined): Verdict => {
  if (output === undefined) return 'none';
  if (output.isBlockingDecision()) return 'deny';
  if (output.shouldStopExecution()) return 'stop';
  if (output.isAskDecision()) return 'ask';
  return output.decision === undefined ? 'none' : 'allow';
};

const reasonOf = (verdict: Verdict, output: DefaultHookOutput | undefined): string | undefined => {
  if (output === undefined || verdict === 'none') return undefined;
  if (verdict === 'allow') return output.reason;
  return verdict === 'deny' ? output.getBlockingError().reason : output.getEffectiveReason();
};

const noMessages: readonly string[] = [];
const noFaults: readonly HookFault[] = [];

const messagesOf = ({ results }: DetailedResult<HookEventName>): readonly string[] => {
  let messages: string[] | undefined;
  for (const { output } of results) {
    if (output?.systemMessage === undefined) continue;
    messages ??= [];
    messages.push(output.systemMessage);
  }
  return messages ?? noMessages;
};

const faultsOf = ({ results, error }: DetailedResult<HookEventName>): readonly HookFault[] => {
  let faults: HookFault[] | undefined;
  if (error !== undefined) faults = [{ code: error.code, message: error.message }];
  for (const { code, error: failure, output, hookConfig } of results) {
    if (code === undefined) continue;
    faults ??= [];
    faults.push({ hook: hookKey(hookConfig), code, message: failure?.message ?? output?.systemMessage ?? code });
  }
  return faults ?? noFaults;
};

class Engine {
  readonly system: HookSystem;
  readonly bus: Bus;
  readonly #deps: HookDeps;
  #closed = false;

  constructor(system: HookSystem, bus: Bus, deps: HookDeps) {
    this.system = system;
    this.bus = bus;
    this.#deps = deps;
  }

  get problems(): readonly ConfigProblem[] {
    return this.system.getProblems();
  }

  on<E extends HookEventName>(event: E, run: HookDefinitionOf<E>['run'], options: OnOptions = {}): () => void {
    this.#expectOpen('on');
    if (typeof run !== 'function') {
      const message = `on("${String(event)}", fn) needs a function; got ${describeValue(run)}`;
      throw new HookwrightError('invalid_argument', message);
    }
    const name = options.name ?? (run.name || `on ${event}`);
    return this.add(defineHook({ event, run, name, matcher: options.matcher, sequential: options.sequential }));
  }

  add({ event, hook, matcher, sequential }: DefinedHook): () => void {
    return this.system.registerHook(hook, event, { matcher, sequential });
  }

  tap(): AsyncIterableIterator<HookMessage> {
    const messages: Observable<HookMessage> = this.bus.stream();
    return iterate(messages);
  }

  explain(eventName?: string, context?: PlanContext): Promise<HookRow[]> {
    if (eventName !== undefined && !isHookEventName(eventName)) {
      const message = `"${eventName}" is not an event${suggestion(eventName, hookEventNames)}`;
      return Promise.reject(new HookwrightError('unsupported_event', message));
    }
    return this.system.explain(eventName, context);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.system.dispose();
  }

  #expectOpen(method: string): void {
    if (!this.#closed) return;
    throw new HookwrightError('disposed', `${method} was called on hooks that are closed; create new ones`);
  }

  async call<M extends FacadeMethod>(method: M, one: CallOf<M> & FireOptions): Promise<HookVerdict & ChangesOf<M>> {
    this.#expectOpen(method);
    if (typeof one !== 'object' || one === null) {
      throw new HookwrightError('invalid_argument', `${method} takes an object; got ${describeValue(one)}`);
    }
    const { event, toPayload, changes } = calls[method];
    const payload = toPayload(one);
    const detailed = await this.system.getEventHandler().fireDetailed(event, payload, one);
    const output = detailed.result.finalOutput;
    const made = changes(one, output);
    const asked = verdictOf(output);
    const resolved =
      asked === 'ask' && output !== undefined ? await this.#confirm(event, output, made, payload, one) : {};
    const verdict = resolved.verdict ?? asked;
    const reason = resolved.reason ?? reasonOf(verdict, output);
    const context = output?.getAdditionalContext();
    // Spreading onto what is there is a hundred times faster than adding members to a spread.
    const told: HookVerdict = { verdict, reason, context, messages: messagesOf(detailed), faults: faultsOf(detailed) };
    return { ...told, ...made };
  }

  /** Puts `ask` to whoever can answer. Nobody there: the question stays with the caller, unless it stands for a fault. */
  async #confirm<E extends HookEventName>(
    eventName: E,
    output: OutputOf<E>,
    made: object,
    payload: object,
    { signal }: FireOptions,
  ): Promise<{ verdict?: Verdict; reason?: string }> {
    const { confirm, logger } = this.#deps;
    const reason = output.getEffectiveReason();
    if (confirm === undefined) return output.hookSpecificOutput?.onFault === true ? { verdict: 'deny', reason } : {};
    try {
      const approved = await confirm(questionOf(eventName, reason, payload, made), { signal });
      return approved === true ? { verdict: 'allow', reason } : { verdict: 'deny', reason: `not approved (${reason})` };
    } catch (error) {
      logger?.warn?.(`The confirmation failed and counts as refused: ${describeThrown(error)}`);
      return { verdict: 'deny', reason: `not approved (${reason})` };
    }
  }
}

const questionOf = (eventName: string, reason: string, payload: object, made: object): ConfirmQuestion => {
  const toolName = 'tool_name' in payload && typeof payload.tool_name === 'string' ? payload.tool_name : undefined;
  const toolInput = 'input' in made && typeof made.input === 'object' && made.input !== null ? made.input : undefined;
  return {
    eventName,
    reason,
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolInput === undefined ? {} : { toolInput: { ...toolInput } }),
  };
};

const methodFor =
  <M extends FacadeMethod>(engine: Engine, method: M) =>
  (one: CallOf<M> & FireOptions): Promise<HookVerdict & ChangesOf<M>> =>
    engine.call(method, one);

const hasAllMethods = (engine: Engine): engine is Engine & FacadeMethods =>
  facadeMethods.every((method) => typeof Reflect.get(engine, method) === 'function');

const configOf = ({ hooks, sessionId, cwd, deps }: CreateHooksOptions, bus: Bus): Config => {
  const byEvent = hooks === undefined || isList(hooks) ? undefined : hooks;
  return new Config({
    enableHooks: true,
    bus,
    ...(byEvent === undefined ? {} : { runtimeHooks: byEvent }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { workingDir: cwd }),
    ...(deps === undefined ? {} : { deps }),
  });
};

/** Makes an engine and loads its hooks. Without any options it is one that has no hooks yet, and costs next to nothing. */
export const createHooks = async (options: CreateHooksOptions = {}): Promise<Hooks> => {
  if (options.load === true) {
    const message =
      'createHooks({load: true}) reads settings files, which this version cannot do yet; pass `hooks` instead';
    throw new HookwrightError('not_supported', message);
  }
  const bus = options.bus ?? options.config?.getMessageBus() ?? new MessageBus();
  const config = options.config ?? configOf(options, bus);
  const system = config.getHookSystem();
  if (system === undefined) {
    throw new HookwrightError('invalid_argument', 'The given config has hooks switched off; set enableHooks to true');
  }
  await system.initialize();
  const engine = new Engine(system, bus, options.deps ?? config.getDeps());
  for (const hook of options.hooks !== undefined && isList(options.hooks) ? options.hooks : []) engine.add(hook);
  for (const method of facadeMethods) Object.defineProperty(engine, method, { value: methodFor(engine, method) });
  if (!hasAllMethods(engine)) throw new HookwrightError('internal_error', 'unreachable: methods come from the table');
  return engine;
};
