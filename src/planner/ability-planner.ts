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
import { pausedUntil } from '../registry/index.ts';
import { compileGlobs, type Globs, globTimeout } from './globs.ts';
import type { Match } from './matcher.ts';
import { plannedRow, type RowSubject } from './planned-row.ts';
import { withStartRefusal } from './start-refusal.ts';

/** A declaration file: a hook, or why there is none. */
export interface ConfiguredAbilityHook extends RowSubject {
  /** Absent if the file could not be read. */
  readonly hook?: AbilityHook | undefined;
  readonly barriers: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly warnings?: readonly Notice[] | undefined;
  /** Effect on its events, if the hook may have a verdict but cannot run. */
  readonly missing?: MissingGuard | undefined;
  /** Possible effect of a file that cannot be read and was never approved. */
  readonly unread?: MissingGuard | undefined;
}

/** A hook that cannot run although it may have a verdict. It fails wherever it would have run. */
export interface MissingGuard {
  /** The hook's id, or its file name if the id cannot be read. */
  readonly id: string;
  /** The hook's possible events, and for each the effect of its fault. */
  readonly events: Readonly<Partial<Record<AbilityEventType, AbilityOnFault>>>;
  /** The calls for which the hook would have run; all calls if unknown. */
  readonly match: AbilityMatch;
  readonly file: string;
  readonly line: number;
  readonly code: FaultCode;
  /** Text of the error: why the event failed. */
  readonly message: string;
}

/** A hook of the plan: to be run, or unable to run and treated as failed. */
export interface PlannedAbilityHook {
  readonly hook: AbilityHook;
  /** Configuration for the runner: the hook's own, or a refused copy. */
  readonly config: HookConfig;
  readonly missing?: MissingGuard;
}

export interface AbilityPlan {
  readonly hooks: readonly PlannedAbilityHook[];
  /** One row for each configured hook of the event. */
  readonly rows: () => readonly HookRow[];
}

export interface AbilityPlanOptions {
  readonly blockingOnly?: boolean | undefined;
}

interface Compiled<Context> extends CompiledMatch<Context> {
  readonly configured: ConfiguredAbilityHook;
  /** Position among the hooks of the event. */
  readonly place: number;
  /** Event that an unreadable file is assumed to be for. */
  readonly expectedAt?: AbilityEventType | undefined;
  /** The plan entry of a hook that cannot run. */
  readonly absent?: PlannedAbilityHook | undefined;
}

/** The hooks of one event. */
interface Shelf<Context> {
  readonly all: Compiled<Context>[];
  /** Hooks that only their match block can keep from running. */
  readonly ready: Compiled<Context>[];
  /** Hooks that cannot run. */
  readonly absent: Compiled<Context>[];
  /** Ready hooks whose ability scope matches, by ability: agents call the same few abilities again and again. */
  inScope: Map<string, readonly Compiled<Context>[]>;
}

type Index = { readonly [E in AbilityEventType]: Shelf<AbilityContextOf<E>> };

const emptyShelf = () => ({ all: [], ready: [], absent: [], inScope: new Map() });

type OffUntil = () => number | undefined;

const MAX_ABILITIES = 1_000;

const nothing: readonly never[] = [];

const NOT_BLOCKING = 'The caller asked for blocking hooks only, and this one is not blocking.';

/** Result of checking one hook. */
interface Looked extends Pick<Compiled<never>, 'configured' | 'expectedAt'> {
  readonly reasons: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly planned?: PlannedAbilityHook | undefined;
}

/** If the match block times out, the hook counts as active, because it may have had a verdict. */
const mayBeActive = <Context>({ isActive }: CompiledMatch<Context>, context: Context | undefined): boolean =>
  context === undefined || isActive(context) !== false;

const look = <Context>(
  compiled: Compiled<Context>,
  context: Context | undefined,
  { blockingOnly }: AbilityPlanOptions,
): Looked => {
  const { configured, expectedAt, absent, isActive } = compiled;
  const { hook, barriers, detail } = configured;
  if (absent !== undefined) {
    const planned = mayBeActive(compiled, context) ? absent : undefined;
    return { configured, expectedAt, reasons: barriers, detail, planned };
  }
  // Hooks that cannot run are not matched: globs of an untrusted author must not cost time.
  if (hook === undefined || barriers.length > 0) return { configured, reasons: barriers, detail };
  const match = context === undefined ? true : isActive(context);
  const reasons: SkipReason[] = match === false ? ['matcher-mismatch'] : [];
  if (blockingOnly === true && !hook.blocking)
    return { configured, reasons: ['disabled', ...reasons], detail: NOT_BLOCKING };
  if (match === false) return { configured, reasons };
  const config =
    match === true ? hook.config : withStartRefusal(hook.config, { code: 'matcher-timeout', message: globTimeout });
  return { configured, reasons, planned: { hook, config } };
};

/** Plans ability hooks. Starts nothing and reads no file. */
export class AbilityPlanner {
  readonly #index: Index = {
    PromptSubmit: emptyShelf(),
    PreAbilityCreate: emptyShelf(),
    PreAbilityCall: emptyShelf(),
    PostAbilityCall: emptyShelf(),
    SessionStop: emptyShelf(),
  };
  /** Files whose event is unknown. */
  readonly #unplaced: ConfiguredAbilityHook[] = [];
  readonly #offUntil: OffUntil;

  /** `offUntil` is called at every event and returns until when the user switched hooks off. */
  constructor(hooks: readonly ConfiguredAbilityHook[], offUntil: OffUntil = () => undefined) {
    this.#offUntil = offUntil;
    for (const configured of hooks) this.#add(configured);
  }

  #add(configured: ConfiguredAbilityHook): void {
    const { eventName, missing } = configured;
    const expected = Object.keys(missing?.events ?? {}).filter(isAbilityEventType);
    const own = isAbilityEventType(eventName) ? [eventName] : nothing;
    for (const event of new Set([...own, ...expected])) this.#place(event, configured);
    if (own.length === 0) this.#unplaced.push(configured);
  }

  #place<E extends AbilityEventType>(eventType: E, configured: ConfiguredAbilityHook): void {
    const { hook, barriers, missing, eventName } = configured;
    const absent = missing === undefined ? undefined : absentHook(eventType, missing);
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    const match = absent?.hook.match ?? hook?.match ?? {};
    const compiled = {
      configured,
      place: shelf.all.length,
      expectedAt: eventName === eventType ? undefined : eventType,
      absent,
      ...compileMatch(match, abilityCatalogue[eventType].match),
    };
    shelf.all.push(compiled);
    if (absent !== undefined) shelf.absent.push(compiled);
    else if (hook !== undefined && barriers.length === 0) shelf.ready.push(compiled);
  }

  /** Hooks whose ability scope matches; cached by ability, because most hooks do not match. */
  #candidates<Context>(shelf: Shelf<Context>, names: readonly string[] | undefined): readonly Compiled<Context>[] {
    const { ready } = shelf;
    if (ready.length === 0 || names === undefined) return ready;
    const [only = ''] = names;
    const subject = names.length === 1 ? only : names.join('\n');
    let found = shelf.inScope.get(subject);
    if (found === undefined) {
      found = ready.filter(({ inScope }) => inScope(names) !== false);
      if (shelf.inScope.size >= MAX_ABILITIES) shelf.inScope = new Map();
      shelf.inScope.set(subject, found);
    }
    return found;
  }

  /** Without a context, or without the part that an event compares, every match block matches. */
  plan<E extends AbilityEventType>(
    eventType: E,
    given?: AbilityContextOf<E>,
    options: AbilityPlanOptions = {},
  ): AbilityPlan {
    const { match } = abilityCatalogue[eventType];
    const compared = given === undefined ? undefined : comparedIn(match, given);
    const context = compared === undefined ? undefined : given;
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    const offUntil = this.#offUntil();
    const rows = (): HookRow[] => rowsOf(shelf.all, context, options, offUntil);
    if (offUntil !== undefined) return { hooks: nothing, rows };
    const ready = this.#candidates(shelf, compared?.names);
    const { absent } = shelf;
    const candidates = absent.length === 0 ? ready : [...ready, ...absent].sort((a, b) => a.place - b.place);
    if (candidates.length === 0) return { hooks: nothing, rows };
    const hooks = candidates.flatMap((compiled) => look(compiled, context, options).planned ?? []);
    return { hooks, rows };
  }

  /** Rows of the hooks whose files name the event. */
  #ownRows<E extends AbilityEventType>(eventType: E): HookRow[] {
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    return rowsOf(
      shelf.all.filter(({ expectedAt }) => expectedAt === undefined),
      undefined,
      {},
      this.#offUntil(),
    );
  }

  /**
   * Rows of one event, also of an unknown event that files name, or of all events. For all events, a hook that may be
   * for several of them has one row.
   */
  explain<E extends AbilityEventType>(eventType?: string, context?: AbilityContextOf<E>): HookRow[];
  explain(eventType?: string, context?: never): HookRow[] {
    if (isAbilityEventType(eventType)) return [...this.plan(eventType, context).rows()];
    const unplaced = this.#unplaced.filter(({ eventName }) => eventType === undefined || eventName === eventType);
    const placed = eventType === undefined ? Object.keys(this.#index).filter(isAbilityEventType) : [];
    return [
      ...placed.flatMap((name) => this.#ownRows(name)),
      ...unplaced.map((configured) => rowOf({ configured, reasons: configured.barriers, detail: configured.detail })),
    ];
  }
}

const rowsOf = <Context>(
  all: readonly Compiled<Context>[],
  context: Context | undefined,
  options: AbilityPlanOptions,
  offUntil: number | undefined,
): HookRow[] =>
  all.map((compiled) => {
    const looked = look(compiled, context, options);
    return offUntil === undefined ? rowOf(looked) : pausedRow(looked, offUntil);
  });

const pausedRow = ({ planned: _planned, ...looked }: Looked, until: number): HookRow => ({
  ...rowOf({ ...looked, reasons: ['hooks-disabled', ...looked.reasons] }),
  hint: pausedUntil(until),
});

const rowOf = ({ configured, expectedAt, reasons, detail, planned }: Looked): HookRow => {
  const { warnings } = configured;
  const subject = expectedAt === undefined ? configured : { ...configured, eventName: expectedAt };
  const row = plannedRow(subject, { reasons, detail, ...(warnings === undefined ? {} : { warnings }) });
  if (planned?.missing === undefined) return row;
  const { code, message } = planned.missing;
  return { matcher: matcherOf(planned.hook), ...row, outcome: 'faulted', code, message };
};

/** The scope in which it would have run, if its file does not tell. */
const matcherOf = ({ eventType, match }: AbilityHook): string =>
  matchSummary(match, isAbilityEventType(eventType) ? abilityCatalogue[eventType].everything : eventType);

/** Planned like any other hook, so that its fault is reported like any other. */
const absentHook = (
  eventType: AbilityEventType,
  { id, events, match, file, line, code, message }: MissingGuard,
): PlannedAbilityHook | undefined => {
  const onFault = events[eventType];
  if (onFault === undefined) return undefined;
  const config = withStartRefusal({ name: id }, { code, message });
  const hook = { id, eventType, enabled: true, blocking: true, match, effects: [], onFault, config, file, line };
  return { hook, config, missing: { id, events, match, file, line, code, message } };
};

/** Whether a hook is active in a context. Keys that an event cannot compare are ignored. */
type Activation<Context> = (context: Context) => Match;

const always = (): boolean => true;

/** All keys must match; a timeout decides only if no other key rejects. */
const all = <Context>(parts: readonly Activation<Context>[]): Activation<Context> => {
  const [only] = parts;
  if (only === undefined) return always;
  if (parts.length === 1) return only;
  return (context) => {
    let match: Match = true;
    for (const part of parts) {
      const one = part(context);
      if (one === false) return false;
      if (one === 'timeout') match = one;
    }
    return match;
  };
};

/** A match block, compiled for one event. */
interface CompiledMatch<Context> {
  /** The part that depends on the ability only. */
  readonly inScope: Globs;
  readonly isActive: Activation<Context>;
}

export const compileMatch = <Context>(
  { abilityScope, minDurationMs, onlyIfChangedPaths }: AbilityMatch,
  { ability, durationMs, changedPaths }: MatchSubjects<Context>,
): CompiledMatch<Context> => {
  const inScope = abilityScope === undefined ? always : compileGlobs(abilityScope, 'ids');
  const parts: Activation<Context>[] = [];
  if (minDurationMs !== undefined && minDurationMs > 0 && durationMs !== undefined) {
    // A call without a measured duration does not count as slow.
    parts.push((context) => (durationMs(context) ?? 0) >= minDurationMs);
  }
  if (abilityScope !== undefined && ability !== undefined) parts.push((context) => inScope(ability(context)));
  if (onlyIfChangedPaths !== undefined && changedPaths !== undefined) {
    const globs = compileGlobs(onlyIfChangedPaths, 'paths');
    parts.push((context) => globs(changedPaths(context)));
  }
  return { inScope, isActive: all(parts) };
};

const names = {
  abilityScope: 'ability_scope',
  minDurationMs: 'min_duration_ms',
  onlyIfChangedPaths: 'only_if_changed_paths',
} as const;

const subjects = { abilityScope: 'ability', minDurationMs: 'durationMs', onlyIfChangedPaths: 'changedPaths' } as const;

const matchKeys = ['abilityScope', 'minDurationMs', 'onlyIfChangedPaths'] as const;

/** Keys of a match block that the event cannot compare. */
export const ignoredKeys = (match: AbilityMatch, known: MatchSubjects<never>): string[] =>
  matchKeys.filter((key) => match[key] !== undefined && known[subjects[key]] === undefined).map((key) => names[key]);

/** A match block on one line, for listings. */
export const matchSummary = (
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

const isText = (value: unknown): boolean => typeof value === 'string';

/** Values of a context that match blocks compare: the names of its ability, if the event has one. */
interface Compared {
  readonly names: readonly string[] | undefined;
}

const noNames: Compared = { names: undefined };

/** `undefined` for an invalid context: contexts are validated only later, if any hook runs. */
const comparedIn = <Context>(
  { ability, changedPaths }: MatchSubjects<Context>,
  context: Context,
): Compared | undefined => {
  try {
    if (changedPaths?.(context).every(isText) === false) return undefined;
    if (ability === undefined) return noNames;
    const names = ability(context);
    return names.every(isText) ? { names } : undefined;
  } catch {
    return undefined;
  }
};
