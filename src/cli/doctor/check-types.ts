/** The types of the checks of `doctor`, and of their diagnoses. */
import type { Agent } from '../../agents/cli-api.ts';
import type { KnownTools } from '../../planner/index.ts';
import type { Script, SimpleCommand, Variables } from '../../runners/process-api.ts';
import type { HookEntry } from '../commands/explain/entries.ts';
import type { HookFinding } from '../hook-findings.ts';

export const severities = ['error', 'warning', 'note'] as const;
export type Severity = (typeof severities)[number];

export interface Diagnosis {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

export interface ExaminedHook extends HookEntry {
  readonly findings: readonly HookFinding[];
  readonly commands: readonly SimpleCommand[];
  readonly scripts: readonly Script[];
  /** The behaviour of another agent if its hook fails; `undefined` for hookwright's own hooks. */
  readonly failsAs?: string | undefined;
  /** Whether others may have written the hook, so that it gets no secrets. */
  readonly isForeign: boolean;
}

export interface CheckInput {
  readonly hooks: readonly ExaminedHook[];
  readonly tools: KnownTools;
  readonly agents?: readonly Agent[] | undefined;
  readonly environment: Variables;
  readonly foreignEnvironment: Variables;
}

/** docs/doctor.md is generated from the checks. */
export interface DoctorCheck {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly examine: (hook: ExaminedHook, input: CheckInput) => Diagnosis | readonly Diagnosis[];
}

export const describeFailureConsequence = ({ isAbility, failsAs, config }: ExaminedHook): string => {
  if (failsAs !== undefined) return failsAs;
  if (!isAbility && config?.onFault === 'deny')
    return 'Each run fails, and its onFault denies: everything that it guards is denied.';
  if (!isAbility && config?.onFault === 'ask') return 'Each run fails, and its onFault asks a person each time.';
  const more = isAbility ? ', unless on_fault says otherwise' : '; onFault: "deny" in its entry would refuse instead';
  return `Each run fails, and the agent goes on as if the hook had no opinion${more}.`;
};
