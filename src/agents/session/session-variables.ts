import { looksSecret, steersPrograms } from '../../protocol/index.ts';
import type { Scope } from '../rules.ts';

type Variables = Readonly<Record<string, string>>;

/** From the one whose word counts most. */
const byTrust: readonly Scope[] = ['system', 'user', 'project'];

/** As many sessions of one process as anybody looks after at once, and as many events of one session. */
const MAX_SESSIONS = 64;
const MAX_KEPT = 64;

/** What one hook has set at one event. */
interface Kept {
  /** When the event was; the same for all its hooks. */
  readonly at: string;
  /** The place of the hook among those that are configured. */
  readonly order: number;
  readonly variables: Variables;
}

const byTime = (one: Kept, other: Kept): number =>
  one.at === other.at ? one.order - other.order : one.at < other.at ? -1 : 1;

const together = (all: readonly Kept[]): Variables => Object.assign({}, ...all.map(({ variables }) => variables));

/** The later event counts, and of one event the hook that is configured later, whichever of them came to its end first. */
const withOne = (all: readonly Kept[], one: Kept): readonly Kept[] => {
  const sorted = [...all, one].sort(byTime);
  const [oldest, next, ...rest] = sorted;
  if (sorted.length <= MAX_KEPT || oldest === undefined || next === undefined) return sorted;
  return [{ ...next, variables: together([oldest, next]) }, ...rest];
};

/**
 * Variables that hooks of one agent have set for what comes after them in a session. A hook finds those of hooks that are
 * trusted as much as itself or more: what comes with a project changes nothing for a guard of the user.
 */
export class SessionVariables {
  readonly #sessions = new Map<string, Map<Scope, readonly Kept[]>>();

  /** Keeps them, and says which it does not: files of a project may not change which code runs. */
  keep(session: string, scope: Scope, { variables, ...one }: Kept): readonly string[] {
    const refused = scope === 'project' ? Object.keys(variables).filter(steersPrograms) : [];
    const kept = Object.fromEntries(Object.entries(variables).filter(([name]) => !refused.includes(name)));
    const ofSession = this.#sessions.get(session) ?? new Map<Scope, readonly Kept[]>();
    this.#sessions.delete(session);
    this.#sessions.set(session, ofSession);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    ofSession.set(scope, withOne(ofSession.get(scope) ?? [], { ...one, variables: kept }));
    return refused;
  }

  /** What a hook of these settings finds. Those of a project learn no secret by it. */
  for(session: string, scope: Scope): Variables {
    const ofSession = this.#sessions.get(session);
    if (ofSession === undefined) return {};
    const ofScope = (one: Scope): Variables => together(ofSession.get(one) ?? []);
    const trusted = byTrust.slice(0, byTrust.indexOf(scope) + 1).reverse();
    const found = Object.assign({}, ...trusted.map(ofScope));
    if (scope !== 'project') return found;
    const own = ofScope('project');
    return Object.fromEntries(
      Object.entries<string>(found).filter(([name, value]) => !looksSecret(name, value) || own[name] === value),
    );
  }
}
