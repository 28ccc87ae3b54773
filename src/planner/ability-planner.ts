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
  FaultCode,
  HookConfig,
  HookRow,
  Notice,
  SkipReason,
} from '../protocol/index.ts';
import { pausedUntil } from '../registry/index.ts';
import { type CompiledMatch, compileMatch } from './ability-match.ts';
import { globTimeout } from './globs.ts';
import { plannedRow, type RowSubject } from './planned-row.ts';
import { refuse } from './refusal.ts';

/** A declaration file: what it declares, or what keeps it from being run. */
export interface ConfiguredAbilityHook extends RowSubject {
  /** Absent when the file could not be read. */
  readonly hook?: AbilityHook | undefined;
  readonly barriers: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly warnings?: readonly Notice[] | undefined;
  /** What is refused in its place, of a hook that has a say and cannot be asked. */
  readonly missing?: MissingGuard | undefined;
}

/** A hook that cannot be asked although it may have a say: what it would have looked at is refused. */
export interface MissingGuard {
  /** For results and logs: its id, or the name of its file where nobody can read it. */
  readonly id: string;
  readonly events: readonly AbilityEventType[];
  /** What it would have been asked about; everything where nobody can tell. */
  readonly match: AbilityMatch;
  readonly file: string;
  readonly line: number;
  readonly code: FaultCode;
  /** For whoever asks why an event failed. */
  readonly message: string;
}

/** A hook that is to be run. */
export interface PlannedAbilityHook {
  readonly hook: AbilityHook;
  /** What is given to the runner: the hook's own, or a copy that is refused. */
  readonly config: HookConfig;
}

export interface AbilityPlan {
  /** In the order of the files. */
  readonly hooks: readonly PlannedAbilityHook[];
  /** Nobody knows what these would have said, so the event fails. */
  readonly missing: readonly MissingGuard[];
  /** One for each configured hook of the event. */
  readonly rows: () => readonly HookRow[];
}

export interface AbilityPlanOptions {
  readonly blockingOnly?: boolean | undefined;
}

interface Compiled<Context> extends CompiledMatch<Context> {
  readonly configured: ConfiguredAbilityHook;
}

/** The hooks of one event. */
interface Shelf<Context> {
  readonly all: Compiled<Context>[];
  /** Hooks that nothing keeps from running but their match blocks. */
  readonly ready: Compiled<Context>[];
  /** Hooks that cannot be asked, and whose event fails where they would be. */
  readonly missing: (CompiledMatch<Context> & { readonly guard: MissingGuard })[];
  /** Those of them whose ability scope holds, by ability: the same few abilities are called again and again. */
  inScope: Map<string, readonly Compiled<Context>[]>;
}

type Index = { readonly [E in AbilityEventType]: Shelf<AbilityContextOf<E>> };

const emptyShelf = () => ({ all: [], ready: [], missing: [], inScope: new Map() });

type OffUntil = () => number | undefined;

const MAX_ABILITIES = 1_000;

const nothing: readonly never[] = [];

const NOT_BLOCKING = 'The caller asked for blocking hooks only, and this one is not blocking.';

/** What one look at a hook found. */
interface Looked {
  readonly configured: ConfiguredAbilityHook;
  readonly reasons: readonly SkipReason[];
  readonly detail?: string | undefined;
  readonly planned?: PlannedAbilityHook | undefined;
}

const look = <Context>(
  { configured, isActive }: Compiled<Context>,
  context: Context | undefined,
  { blockingOnly }: AbilityPlanOptions,
): Looked => {
  const { hook, barriers, detail } = configured;
  // What cannot run anyway is not worth any time, least of all the globs of somebody who is not trusted.
  if (hook === undefined || barriers.length > 0) return { configured, reasons: barriers, detail };
  const match = context === undefined ? true : isActive(context);
  const reasons: SkipReason[] = match === false ? ['matcher-mismatch'] : [];
  if (blockingOnly === true && !hook.blocking)
    return { configured, reasons: ['disabled', ...reasons], detail: NOT_BLOCKING };
  if (match === false) return { configured, reasons };
  const config = match === true ? hook.config : refuse(hook.config, { code: 'matcher-timeout', message: globTimeout });
  return { configured, reasons, planned: { hook, config } };
};

/** Whose match block cannot be compared in time is taken for a match: in doubt it would have had a say. */
const missingIn = <Context>({ missing }: Shelf<Context>, context: Context | undefined): AbilityPlan['missing'] => {
  if (missing.length === 0) return nothing;
  return missing.flatMap(({ guard, isActive }) =>
    context !== undefined && isActive(context) === false ? [] : [guard],
  );
};

/** Contexts are checked before hooks run, but after it is known that some do. */
const isComparable = <Context>({ ability, changedPaths }: MatchSubjects<Context>, context: Context): boolean => {
  try {
    if (ability?.(context).some((name) => typeof name !== 'string')) return false;
    return changedPaths === undefined || changedPaths(context).every((path) => typeof path === 'string');
  } catch {
    return false;
  }
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
  /** Files whose event nobody knows. */
  readonly #unplaced: ConfiguredAbilityHook[] = [];
  readonly #offUntil: OffUntil;

  /** `offUntil` is asked at every event: until when a person switched hooks off, if anybody did. */
  constructor(hooks: readonly ConfiguredAbilityHook[], offUntil: OffUntil = () => undefined) {
    this.#offUntil = offUntil;
    for (const configured of hooks) this.#add(configured);
  }

  #add(configured: ConfiguredAbilityHook): void {
    const { eventName, missing } = configured;
    for (const event of missing?.events ?? nothing) this.#expect(event, missing);
    if (isAbilityEventType(eventName)) this.#place(eventName, configured);
    else this.#unplaced.push(configured);
  }

  #place<E extends AbilityEventType>(eventType: E, configured: ConfiguredAbilityHook): void {
    const { match } = abilityCatalogue[eventType];
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    const compiled = { configured, ...compileMatch(configured.hook?.match ?? {}, match) };
    shelf.all.push(compiled);
    const { hook, barriers } = configured;
    if (hook !== undefined && barriers.length === 0) shelf.ready.push(compiled);
  }

  #expect<E extends AbilityEventType>(eventType: E, guard: MissingGuard | undefined): void {
    if (guard === undefined) return;
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    shelf.missing.push({ guard, ...compileMatch(guard.match, abilityCatalogue[eventType].match) });
  }

  /** Hooks that may be active: most of them are not, and that is found out once for each ability. */
  #candidates<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E> | undefined,
  ): readonly Compiled<AbilityContextOf<E>>[] {
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    const { ready } = shelf;
    const { ability } = abilityCatalogue[eventType].match;
    if (ready.length === 0 || context === undefined || ability === undefined) return ready;
    const names = ability(context);
    const subject = names.join('\n');
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
    const context = given !== undefined && isComparable(match, given) ? given : undefined;
    const shelf: Shelf<AbilityContextOf<E>> = this.#index[eventType];
    const offUntil = this.#offUntil();
    if (offUntil !== undefined) {
      const looks = shelf.all.map((compiled) => look(compiled, context, options));
      return { hooks: nothing, missing: nothing, rows: () => looks.map((looked) => pausedRow(looked, offUntil)) };
    }
    const candidates = this.#candidates(eventType, context);
    const rows = (): HookRow[] => shelf.all.map((compiled) => rowOf(look(compiled, context, options)));
    const missing = missingIn(shelf, context);
    if (candidates.length === 0) return { hooks: nothing, missing, rows };
    const hooks = candidates.flatMap((compiled) => look(compiled, context, options).planned ?? []);
    return { hooks, missing, rows };
  }

  /** The rows of an event that is known, or of one that is not: files that name it have rows all the same. */
  explain<E extends AbilityEventType>(eventType?: string, context?: AbilityContextOf<E>): HookRow[];
  explain(eventType?: string, context?: never): HookRow[] {
    if (isAbilityEventType(eventType)) return [...this.plan(eventType, context).rows()];
    const unplaced = this.#unplaced.filter(({ eventName }) => eventType === undefined || eventName === eventType);
    const placed = eventType === undefined ? Object.keys(this.#index).filter(isAbilityEventType) : [];
    return [
      ...placed.flatMap((name) => [...this.plan(name).rows()]),
      ...unplaced.map((configured) => rowOf({ configured, reasons: configured.barriers, detail: configured.detail })),
    ];
  }
}

/** The row of a hook that does not run for as long as a person said. */
const pausedRow = ({ configured, reasons, detail }: Looked, until: number): HookRow => ({
  ...rowOf({ configured, reasons: ['hooks-disabled', ...reasons], detail }),
  hint: pausedUntil(until),
});

const rowOf = ({ configured, reasons, detail }: Looked): HookRow =>
  plannedRow(configured, {
    reasons,
    detail,
    ...(configured.warnings === undefined ? {} : { warnings: configured.warnings }),
  });
