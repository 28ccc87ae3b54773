import { looksSecret, steersPrograms } from '../../protocol/index.ts';
import type { Scope } from '../rules.ts';

type Variables = Readonly<Record<string, string>>;

/** From the one whose word counts most. */
const byTrust: readonly Scope[] = ['system', 'user', 'project'];

/** As many sessions of one process as anybody looks after at once. */
const MAX_SESSIONS = 64;

/**
 * Variables that hooks of one agent have set for what comes after them in a session. A hook finds those of hooks that are
 * trusted as much as itself or more: what comes with a project changes nothing for a guard of the user.
 */
export class SessionVariables {
  readonly #sessions = new Map<string, Map<Scope, Variables>>();

  /** Keeps them, and says which it does not: files of a project may not change which code runs. */
  keep(session: string, scope: Scope, variables: Variables): readonly string[] {
    const refused = scope === 'project' ? Object.keys(variables).filter(steersPrograms) : [];
    const kept = Object.entries(variables).filter(([name]) => !refused.includes(name));
    const ofSession = this.#sessions.get(session) ?? new Map<Scope, Variables>();
    this.#sessions.delete(session);
    this.#sessions.set(session, ofSession);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    ofSession.set(scope, { ...ofSession.get(scope), ...Object.fromEntries(kept) });
    return refused;
  }

  /** What a hook of these settings finds. Those of a project learn no secret by it. */
  for(session: string, scope: Scope): Variables {
    const ofSession = this.#sessions.get(session);
    if (ofSession === undefined) return {};
    const trusted = byTrust.slice(0, byTrust.indexOf(scope) + 1).reverse();
    const found = Object.assign({}, ...trusted.map((one) => ofSession.get(one) ?? {}));
    if (scope !== 'project') return found;
    return Object.fromEntries(
      Object.entries<string>(found).filter(
        ([name, value]) => !looksSecret(name, value) || ofSession.get('project')?.[name] === value,
      ),
    );
  }
}
