import type { SessionStopContext } from '../../events/index.ts';
import type { AbilityStatus } from '../tools/execute/answer.ts';
import type { RunAbilityResult } from '../tools/results.ts';

/** What was done in a session, or in a phase of it. */
export class SessionSummary {
  readonly #abilities = new Set<string>();
  /** A task that never ran is none of them. */
  readonly #tasks = new Map<string, { ability_id: string; status: AbilityStatus }>();

  noteRun(result: RunAbilityResult): void {
    if (!result.executed) return;
    const { ability_id, task_key, status } = result;
    this.#abilities.add(ability_id);
    if (task_key !== undefined) this.#tasks.set(task_key, { ability_id, status });
  }

  /** In the order in which they were first used. */
  get abilitiesUsed(): string[] {
    return [...this.#abilities];
  }

  get tasksSummary(): NonNullable<SessionStopContext['tasks_summary']> {
    return [...this.#tasks].map(([task_key, task]) => ({ task_key, ...task }));
  }
}
