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
import { refuse } from './start-refusal.ts';

/** A declaration file: what it declares, or what keeps it from being run. */
export interface ConfiguredAbilityHook extends RowSubject {
  /** Absent when the file could not be read. */
  readonly hook?: AbilityHook | undefined;
  readonly barriers: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly warnings?: readonly Notice[] | undefined;
  /** What becomes of its events, of a hook that has a say and cannot be asked. */
  readonly missing?: MissingGuard | undefined;
  /** What a file may be that cannot be read and was never approved. */
  readonly unread?: MissingGuard | undefined;
}

/** A hook that cannot be asked although it may have a say. It is a fault wherever it would have been asked. */
export interface MissingGuard {
  /** For results and logs: its id, or the name of its file if that cannot be read. */
  readonly id: string;
  /** The events it may be for, and what its fault leads to at each. */
  readonly events: Readonly<Partial<Record<AbilityEventType, AbilityOnFault>>>;
  /** The events it would have run for; all of them if that is unknown. */
  readonly match: AbilityMatch;
  readonly file: string;
  readonly line: number;
  readonly code: FaultCode;
  /** For the reader of the error: why the event failed. */
  readonly message: string;
}

/** A hook that is to be run, or one that cannot be asked and whose fault is heard. */
export interface PlannedAbilityHook {
  readonly hook: AbilityHook;
  /** What is given to the runner: the hook's own, or a copy that is refused. */
  readonly config: HookConfig;
  /** Why it cannot be asked, if so. */
  readonly missing?: MissingGuard;
}

export interface AbilityPlan {
  /** In the order of the files. */
  readonly hooks: readonly PlannedAbilityHook[];
  /** One for each configured hook of the event. */
  readonly rows: () => readonly HookRow[];
}

export interface AbilityPlanOptions {
  readonly blockingOnly?: boolean | undefined;
}

interface Compiled<Context> extends CompiledMatch<Context> {
  readonly configured: ConfiguredAbilityHook;
  /** Where it stands among the hooks of the event. */
  readonly place: number;
  /** The event it is assumed to be for, because its unreadable file does not name one. */
  readonly expectedAt?: AbilityEventType | undefined;
  /** What it is planned as where it would be asked and cannot be. */
  readonly absent?: PlannedAbilityHook | undefined;
}

/** The hooks of one event. */
interface Shelf<Context> {
  readonly all: Compiled<Context>[];
  /** Hooks that nothing keeps from running but their match blocks. */
  readonly ready: Compiled<Context>[];
  /** Hooks that cannot be asked. */
  readonly absent: Compiled<Context>[];
  /** Those of them whose ability scope holds, by ability: the same few abilities are called again and again. */
  inScope: Map<string, readonly Compiled<Context>[]>;
}

type Index = { readonly [E in AbilityEventType]: Shelf<AbilityContextOf<E>> };

const emptyShelf = () => ({ all: [], ready: [], absent: [], inScope: new Map() });

type OffUntil = () => number | undefined;

const MAX_ABILITIES = 1_000;

const nothing: readonly never[] = [];

const NOT_BLOCKING = 'The caller asked for blocking hooks only, and this one is not blocking.';

/** What one look at a hook found. */
interface Looked extends Pick<Compiled<never>, 'configured' | 'expectedAt'> {
  readonly reasons: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly planned?: PlannedAbilityHook | undefined;
}

/** Whose match block cannot be compared in time is taken for a match: in doubt it would have had a say. */
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
  // A hook that cannot run is not matched: the globs of an untrusted author are not worth any time.
  if (hook === undefined || barriers.length > 0) return { configured, reasons: barriers, detail };
  const match = context === undefined ? true : isActive(context);
  const reasons: SkipReason[] = match === false ? ['matcher-mismatch'] : [];
  if (blockingOnly === true && !hook.blocking)
    return { configured, reasons: ['disabled', ...reasons], detail: NOT_BLOCKING };
  if (match === false) return { configured, reasons };
  const config = match === true ? hook.config : refuse(hook.config, { code: 'matcher-timeout', message: globTimeout });
  return { configured, reasons, planned: { hook, config } };
};

/** Decides which ability hooks run, and says why the others do not. It starts nothing and touches no file. */
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

  /** `offUntil` is called at every event: until when the user switched hooks off, or `undefined`. */
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

  /** Hooks that may be active: most of them are not, and that is found out once for each ability. */
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

  /** Without a context, or without the part of it that an event compares, every match block matches. */
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

  /** The rows of the hooks whose files name the event. */
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
   * The rows of an event that is known, or of one that is not: files that name it have rows all the same. Of all events, a
   * hook that may be for several of them has one row.
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

/** The row of a hook that does not run for as long as a person said. */
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

/** What it would have been asked about, where its file does not say. */
const matcherOf = ({ eventType, match }: AbilityHook): string =>
  matchSummary(match, isAbilityEventType(eventType) ? abilityCatalogue[eventType].everything : eventType);

/** Planned like any other hook, so that its fault is reported like any other. */
const absentHook = (
  eventType: AbilityEventType,
  { id, events, match, file, line, code, message }: MissingGuard,
): PlannedAbilityHook | undefined => {
  const onFault = events[eventType];
  if (onFault === undefined) return undefined;
  const config = refuse({ name: id }, { code, message });
  const hook = { id, eventType, enabled: true, blocking: true, match, effects: [], onFault, config, file, line };
  return { hook, config, missing: { id, events, match, file, line, code, message } };
};

/** Whether a hook is active in a context. What an event cannot tell plays no part. */
type Activation<Context> = (context: Context) => Match;

const always = (): boolean => true;

/** Every key has to hold; a glob that ran out of time decides only where nothing else says no. */
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

/** A match block, read once for one event. */
interface CompiledMatch<Context> {
  /** The part that depends on the ability alone. */
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
    // A call that was not timed cannot be called slow.
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

/** Keys of a match block that its event has nothing to compare with. */
export const ignoredKeys = (match: AbilityMatch, known: MatchSubjects<never>): string[] =>
  matchKeys.filter((key) => match[key] !== undefined && known[subjects[key]] === undefined).map((key) => names[key]);

/** A match block in one line, as the listing shows it; what matches everything is said in words. */
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

/** What of a context is compared: the names of its ability, where the event has one. */
interface Compared {
  readonly names: readonly string[] | undefined;
}

const noNames: Compared = { names: undefined };

/** Contexts are checked before hooks run, but after it is known that some do: nothing where one cannot be compared. */
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
