/** The types of checks and diagnoses, for `doctor`. */
import type { Agent } from '../../agents/agents.ts';
import type { KnownTools } from '../../planner/index.ts';
import type { Script, SimpleCommand, Variables } from '../../runners/process-api.ts';
import type { HookEntry } from '../commands/explain/entries.ts';
import type { ExplainFinding } from '../hook-findings.ts';

export const severities = ['error', 'warning', 'note'] as const;
export type Severity = (typeof severities)[number];

/** A mistake, or a note, about one hook. */
export interface Diagnosis {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A hook with everything that can be found out without running it. */
export interface ExaminedHook extends HookEntry {
  /** The findings of `explain`. */
  readonly findings: readonly ExplainFinding[];
  readonly commands: readonly SimpleCommand[];
  readonly scripts: readonly Script[];
  /** What another agent does if its hook fails; `undefined` for our own hooks. */
  readonly failsAs?: string | undefined;
  /** Others may have written the hook, so it does not get secrets. */
  readonly isForeign: boolean;
}

/** Everything that checks may use besides the hook itself. */
export interface CheckInput {
  readonly hooks: readonly ExaminedHook[];
  readonly tools: KnownTools;
  /** Agents whose settings have a line that starts hookwright. */
  readonly agents?: readonly Agent[] | undefined;
  /** The variables that hooks of the user get, and those that hooks of a project get. */
  readonly environment: Variables;
  readonly foreignEnvironment: Variables;
}

/** One kind of mistake. docs/doctor.md is generated from the table of checks. */
export interface DoctorCheck {
  readonly id: string;
  /** The mistake that it finds, without a full stop. */
  readonly title: string;
  /** The consequence and the fix, for the documentation. */
  readonly about: string;
  readonly look: (hook: ExaminedHook, world: CheckInput) => readonly Diagnosis[];
}

/** The consequence if each run of the hook fails, and the key that changes it. */
export const failureConsequence = ({ isAbility, failsAs, config }: ExaminedHook): string => {
  if (failsAs !== undefined) return failsAs;
  if (!isAbility && config?.onFault === 'deny')
    return 'Each run fails, and its onFault denies: everything that it guards is denied.';
  if (!isAbility && config?.onFault === 'ask') return 'Each run fails, and its onFault asks a person each time.';
  const more = isAbility ? ', unless on_fault says otherwise' : '; onFault: "deny" in its entry would refuse instead';
  return `Each run fails, and the agent goes on as if the hook had no opinion${more}.`;
};
