// Decides which ability hooks run for an event, and why the others do not.
import {
  type AbilityContextOf,
  type AbilityEventType,
  abilityCatalogue,
  isAbilityEventType,
  type MatchSubjects,
} from '../events/index.ts';
import type {
  AbilityHook,
  AbilityMatch,
  AbilityOnFault,
  FaultCode,
  HookConfig,
  HookRow,
  Notice,
  SkipReason,
} from '../protocol/index.ts';
import { formatPausedUntil } from '../registry/index.ts';
import { compileGlobs, type GlobMatcher, globTimeoutText } from './globs.ts';
import type { MatchResult } from './matcher.ts';
import { createPlannedRow, type RowHook } from './planned-row.ts';
import { withStartRefusal } from './start-refusal.ts';

export interface ConfiguredAbilityHook extends RowHook {
  readonly hook?: AbilityHook | undefined;
  readonly skipReasons: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly warnings?: readonly Notice[] | undefined;
  /** Set for a hook that may decide but cannot run. Its `onFault` then decides. */
  readonly missing?: MissingGuard | undefined;
  /** Like `missing`, for a file that cannot be read and was never approved. */
  readonly unread?: MissingGuard | undefined;
}

/** A hook that may have a verdict but cannot run. It counts as failed wherever it would have run. */
export interface MissingGuard {
  /** Id of the hook, or its file name if the id cannot be read. */
  readonly id: string;
  /** Event → `onFault` of the hook at that event. */
  readonly events: Readonly<Partial<Record<AbilityEventType, AbilityOnFault>>>;
  /** Matches every call if the `match` block cannot be read. */
  readonly match: AbilityMatch;
  readonly file: string;
  readonly line: number;
  readonly code: FaultCode;
  readonly message: string;
}

export interface PlannedAbilityHook {
  readonly hook: AbilityHook;
  /** For a hook that cannot run: a copy of its configuration that is marked as refused. */
  readonly config: HookConfig;
  readonly missing?: MissingGuard;
}

export interface AbilityPlan {
  readonly hooks: readonly PlannedAbilityHook[];
  readonly rows: () => readonly HookRow[];
}

export interface AbilityPlanOptions {
  readonly blockingOnly?: boolean | undefined;
}

interface CompiledAbilityHook<Context> extends CompiledMatch<Context> {
  readonly configured: ConfiguredAbilityHook;
  readonly position: number;
  /** Set if the hook's file cannot be read and the hook may be for this event. */
  readonly expectedAt?: AbilityEventType | undefined;
  readonly standIn?: PlannedAbilityHook | undefined;
}

interface HooksOfEvent<Context> {
  readonly all: CompiledAbilityHook<Context>[];
  readonly ready: CompiledAbilityHook<Context>[];
  readonly standIns: CompiledAbilityHook<Context>[];
  /** Cached by ability name, because agents call the same few abilities again and again. */
  inScope: Map<string, readonly CompiledAbilityHook<Context>[]>;
}

type AbilityHookIndex = { readonly [E in AbilityEventType]: HooksOfEvent<AbilityContextOf<E>> };

const createEmptyHooks = () => ({ all: [], ready: [], standIns: [], inScope: new Map() });

type PauseEndReader = () => number | undefined;

const MAX_CACHED_ABILITIES = 1_000;

const noHooks: readonly never[] = [];

const NOT_BLOCKING_TEXT = 'The caller asked for blocking hooks only, and this one is not blocking.';

interface CheckedAbilityHook extends Pick<CompiledAbilityHook<never>, 'configured' | 'expectedAt'> {
  readonly reasons: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly planned?: PlannedAbilityHook | undefined;
}

/** A `match` block that times out counts as a match, because the hook may have had a verdict. */
const mayMatch = <Context>({ isActive }: CompiledMatch<Context>, context: Context | undefined): boolean =>
  context === undefined || isActive(context) !== false;

const checkAbilityHook = <Context>(
  compiled: CompiledAbilityHook<Context>,
  context: Context | undefined,
  { blockingOnly }: AbilityPlanOptions,
): CheckedAbilityHook => {
  const { configured, expectedAt, standIn, isActive } = compiled;
  const { hook, skipReasons, detail } = configured;
  if (standIn !== undefined) {
    const planned = mayMatch(compiled, context) ? standIn : undefined;
    return { configured, expectedAt, reasons: skipReasons, detail, planned };
  }
  // Globs of a hook that cannot run are not compared, because an untrusted author could make them slow.
  if (hook === undefined || skipReasons.length > 0) return { configured, reasons: skipReasons, detail };
  const match = context === undefined ? true : isActive(context);
  const reasons: SkipReason[] = match === false ? ['matcher-mismatch'] : [];
  if (blockingOnly === true && !hook.blocking)
    return { configured, reasons: ['disabled', ...reasons], detail: NOT_BLOCKING_TEXT };
  if (match === false) return { configured, reasons };
  const config =
    match === true ? hook.config : withStartRefusal(hook.config, { code: 'matcher-timeout', message: globTimeoutText });
  return { configured, reasons, planned: { hook, config } };
};

export class AbilityPlanner {
  readonly #index: AbilityHookIndex = {
    PromptSubmit: createEmptyHooks(),
    PreAbilityCreate: createEmptyHooks(),
    PreAbilityCall: createEmptyHooks(),
    PostAbilityCall: createEmptyHooks(),
    SessionStop: createEmptyHooks(),
  };
  readonly #unplaced: ConfiguredAbilityHook[] = [];
  readonly #readPauseEnd: PauseEndReader;

  /**
   * `readPauseEnd` returns the end of a pause in which the user switched hooks off, or `undefined`. It is called at every
   * event.
   */
  constructor(hooks: readonly ConfiguredAbilityHook[], readPauseEnd: PauseEndReader = () => undefined) {
    this.#readPauseEnd = readPauseEnd;
    for (const configured of hooks) this.#add(configured);
  }

  #add(configured: ConfiguredAbilityHook): void {
    const { eventName, missing } = configured;
    const expected = Object.keys(missing?.events ?? {}).filter(isAbilityEventType);
    const own = isAbilityEventType(eventName) ? [eventName] : noHooks;
    for (const event of new Set([...own, ...expected])) this.#place(event, configured);
    if (own.length === 0) this.#unplaced.push(configured);
  }

  #place<E extends AbilityEventType>(eventType: E, configured: ConfiguredAbilityHook): void {
    const { hook, skipReasons, missing, eventName } = configured;
    const standIn = missing === undefined ? undefined : createMissingGuardHook(eventType, missing);
    const eventHooks: HooksOfEvent<AbilityContextOf<E>> = this.#index[eventType];
    const match = standIn?.hook.match ?? hook?.match ?? {};
    const compiled = {
      configured,
      position: eventHooks.all.length,
      expectedAt: eventName === eventType ? undefined : eventType,
      standIn,
      ...compileAbilityMatch(match, abilityCatalogue[eventType].match),
    };
    eventHooks.all.push(compiled);
    if (standIn !== undefined) eventHooks.standIns.push(compiled);
    else if (hook !== undefined && skipReasons.length === 0) eventHooks.ready.push(compiled);
  }

  #candidates<Context>(
    eventHooks: HooksOfEvent<Context>,
    scopeNames: readonly string[] | undefined,
  ): readonly CompiledAbilityHook<Context>[] {
    const { ready } = eventHooks;
    if (ready.length === 0 || scopeNames === undefined) return ready;
    const [only = ''] = scopeNames;
    const subject = scopeNames.length === 1 ? only : scopeNames.join('\n');
    let found = eventHooks.inScope.get(subject);
    if (found === undefined) {
      found = ready.filter(({ inScope }) => inScope(scopeNames) !== false);
      if (eventHooks.inScope.size >= MAX_CACHED_ABILITIES) eventHooks.inScope = new Map();
      eventHooks.inScope.set(subject, found);
    }
    return found;
  }

  /** Without a context every `match` block matches. */
  plan<E extends AbilityEventType>(
    eventType: E,
    given?: AbilityContextOf<E>,
    options: AbilityPlanOptions = {},
  ): AbilityPlan {
    const { match } = abilityCatalogue[eventType];
    const compared = given === undefined ? undefined : readComparedValues(match, given);
    const context = compared === undefined ? undefined : given;
    const eventHooks: HooksOfEvent<AbilityContextOf<E>> = this.#index[eventType];
    const pausedUntil = this.#readPauseEnd();
    const rows = (): HookRow[] => createRows(eventHooks.all, context, options, pausedUntil);
    if (pausedUntil !== undefined) return { hooks: noHooks, rows };
    const ready = this.#candidates(eventHooks, compared?.names);
    const { standIns } = eventHooks;
    const candidates = standIns.length === 0 ? ready : [...ready, ...standIns].sort((a, b) => a.position - b.position);
    if (candidates.length === 0) return { hooks: noHooks, rows };
    const hooks = candidates.flatMap((compiled) => checkAbilityHook(compiled, context, options).planned ?? []);
    return { hooks, rows };
  }

  #ownRows<E extends AbilityEventType>(eventType: E): HookRow[] {
    const eventHooks: HooksOfEvent<AbilityContextOf<E>> = this.#index[eventType];
    return createRows(
      eventHooks.all.filter(({ expectedAt }) => expectedAt === undefined),
      undefined,
      {},
      this.#readPauseEnd(),
    );
  }

  /** Rows of one event, or of all events if none is given. In the rows of all events, each hook has one row. */
  explain<E extends AbilityEventType>(eventType?: string, context?: AbilityContextOf<E>): HookRow[];
  explain(eventType?: string, context?: never): HookRow[] {
    if (isAbilityEventType(eventType)) return [...this.plan(eventType, context).rows()];
    const unplaced = this.#unplaced.filter(({ eventName }) => eventType === undefined || eventName === eventType);
    const placed = eventType === undefined ? Object.keys(this.#index).filter(isAbilityEventType) : [];
    return [
      ...placed.flatMap((name) => this.#ownRows(name)),
      ...unplaced.map((configured) =>
        createRow({ configured, reasons: configured.skipReasons, detail: configured.detail }),
      ),
    ];
  }
}

const createRows = <Context>(
  hooks: readonly CompiledAbilityHook<Context>[],
  context: Context | undefined,
  options: AbilityPlanOptions,
  pausedUntil: number | undefined,
): HookRow[] =>
  hooks.map((compiled) => {
    const checked = checkAbilityHook(compiled, context, options);
    return pausedUntil === undefined ? createRow(checked) : createPausedRow(checked, pausedUntil);
  });

const createPausedRow = ({ planned: _planned, ...checked }: CheckedAbilityHook, until: number): HookRow => ({
  ...createRow({ ...checked, reasons: ['hooks-disabled', ...checked.reasons] }),
  hint: formatPausedUntil(until),
});

const createRow = ({ configured, expectedAt, reasons, detail, planned }: CheckedAbilityHook): HookRow => {
  const { warnings } = configured;
  const subject = expectedAt === undefined ? configured : { ...configured, eventName: expectedAt };
  const row = createPlannedRow(subject, { reasons, detail, ...(warnings === undefined ? {} : { warnings }) });
  if (planned?.missing === undefined) return row;
  const { code, message } = planned.missing;
  return { matcher: formatMatcher(planned.hook), ...row, outcome: 'faulted', code, message };
};

const formatMatcher = ({ eventType, match }: AbilityHook): string =>
  summarizeMatch(match, isAbilityEventType(eventType) ? abilityCatalogue[eventType].everything : eventType);

/** Creates a stand-in for a guard that cannot run, so that its fault is reported like the fault of a hook that ran. */
const createMissingGuardHook = (
  eventType: AbilityEventType,
  { id, events, match, file, line, code, message }: MissingGuard,
): PlannedAbilityHook | undefined => {
  const onFault = events[eventType];
  if (onFault === undefined) return undefined;
  const config = withStartRefusal({ name: id }, { code, message });
  const hook = { id, eventType, enabled: true, blocking: true, match, effects: [], onFault, config, file, line };
  return { hook, config, missing: { id, events, match, file, line, code, message } };
};

/** Compares a context with a `match` block. Keys that the event cannot compare are ignored. */
type ContextMatcher<Context> = (context: Context) => MatchResult;

const matchAlways = (): boolean => true;

/** All keys of a `match` block must match. The result is `timeout` only if no key rejects. */
const combineMatchers = <Context>(parts: readonly ContextMatcher<Context>[]): ContextMatcher<Context> => {
  const [only] = parts;
  if (only === undefined) return matchAlways;
  if (parts.length === 1) return only;
  return (context) => {
    let match: MatchResult = true;
    for (const part of parts) {
      const one = part(context);
      if (one === false) return false;
      if (one === 'timeout') match = one;
    }
    return match;
  };
};

interface CompiledMatch<Context> {
  /** Compares the ability only, so that the result can be cached. */
  readonly inScope: GlobMatcher;
  readonly isActive: ContextMatcher<Context>;
}

export const compileAbilityMatch = <Context>(
  { abilityScope, minDurationMs, onlyIfChangedPaths }: AbilityMatch,
  { ability, durationMs, changedPaths }: MatchSubjects<Context>,
): CompiledMatch<Context> => {
  const inScope = abilityScope === undefined ? matchAlways : compileGlobs(abilityScope, 'ids');
  const parts: ContextMatcher<Context>[] = [];
  if (minDurationMs !== undefined && minDurationMs > 0 && durationMs !== undefined) {
    // A call without a measured duration does not count as slow.
    parts.push((context) => (durationMs(context) ?? 0) >= minDurationMs);
  }
  if (abilityScope !== undefined && ability !== undefined) parts.push((context) => inScope(ability(context)));
  if (onlyIfChangedPaths !== undefined && changedPaths !== undefined) {
    const globs = compileGlobs(onlyIfChangedPaths, 'paths');
    parts.push((context) => globs(changedPaths(context)));
  }
  return { inScope, isActive: combineMatchers(parts) };
};

const matchKeys = [
  { key: 'abilityScope', subject: 'ability', written: 'ability_scope' },
  { key: 'minDurationMs', subject: 'durationMs', written: 'min_duration_ms' },
  { key: 'onlyIfChangedPaths', subject: 'changedPaths', written: 'only_if_changed_paths' },
] as const;

export const findIgnoredKeys = (match: AbilityMatch, known: MatchSubjects<never>): string[] =>
  matchKeys
    .filter(({ key, subject }) => match[key] !== undefined && known[subject] === undefined)
    .map(({ written }) => written);

export const summarizeMatch = (
  { abilityScope, minDurationMs, onlyIfChangedPaths }: AbilityMatch,
  everything: string,
): string => {
  const parts = [
    ...(abilityScope === undefined ? [] : [`ability=${abilityScope.includes('*') ? '*' : abilityScope.join(',')}`]),
    ...(minDurationMs === undefined || minDurationMs === 0 ? [] : [`duration>=${minDurationMs}ms`]),
    ...(onlyIfChangedPaths === undefined ? [] : [`paths=${onlyIfChangedPaths.join(',')}`]),
  ];
  return parts.length === 0 ? everything : parts.join(' ');
};

const isString = (value: unknown): boolean => typeof value === 'string';

/** Returns `undefined` if the context is invalid. The context is validated later, and only if a hook runs. */
const readComparedValues = <Context>(
  { ability, changedPaths }: MatchSubjects<Context>,
  context: Context,
): { readonly names: readonly string[] | undefined } | undefined => {
  try {
    if (changedPaths?.(context).every(isString) === false) return undefined;
    const names = ability?.(context);
    return names?.every(isString) === false ? undefined : { names };
  } catch {
    return undefined;
  }
};
