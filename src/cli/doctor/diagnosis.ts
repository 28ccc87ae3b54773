/** The types of a check and its findings. */
import type { Script, SimpleCommand, Variables } from '../../runners/process-api.ts';
import type { Entry } from '../commands/explain/entries.ts';
import type { ExplainFinding } from '../hook-findings.ts';
import type { KnownTools } from './known-tools.ts';

export const severities = ['error', 'warning', 'note'] as const;
export type Severity = (typeof severities)[number];

/** Something about one hook that its author should know. */
export interface Diagnosis {
  readonly severity: Severity;
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** A hook with all that a look at it can tell. */
export interface ExaminedHook extends Entry {
  /** What `explain` finds about it. */
  readonly findings: readonly ExplainFinding[];
  readonly commands: readonly SimpleCommand[];
  readonly scripts: readonly Script[];
  /** What its agent does when it fails, where that is another. */
  readonly failsAs?: string | undefined;
  /** Others may have written it, so it is told no secrets. */
  readonly isForeign: boolean;
}

/** What the checks may look at beside the hook itself. */
export interface World {
  readonly hooks: readonly ExaminedHook[];
  readonly tools: KnownTools;
  /** What hooks of the user see of the environment, and what is left of it for those of a project. */
  readonly environment: Variables;
  readonly foreignEnvironment: Variables;
}

/** One kind of trouble. The table of them is all there is: help and docs/doctor.md are made from it. */
export interface Check {
  readonly id: string;
  /** What it looks for, as a sentence without a full stop. */
  readonly title: string;
  /** Why that is trouble and what to do, for the documentation. */
  readonly about: string;
  readonly look: (hook: ExaminedHook, world: World) => readonly Diagnosis[];
}

/** What comes of a hook that cannot do its work, with the key that changes it as its kind of file writes it. */
export const failing = ({ isAbility, failsAs, config }: ExaminedHook): string => {
  if (failsAs !== undefined) return failsAs;
  if (!isAbility && config?.onFault === 'deny')
    return 'Each run fails, and its onFault denies: everything that it guards is denied.';
  if (!isAbility && config?.onFault === 'ask') return 'Each run fails, and its onFault asks a person each time.';
  const more = isAbility ? ', unless on_fault says otherwise' : '; onFault: "deny" in its entry would refuse instead';
  return `Each run fails, and the agent goes on as if the hook had no opinion${more}.`;
};
