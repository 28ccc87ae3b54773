import type { Said } from '../answers/answer.ts';
import type { EventRule, JsonObject } from '../rules.ts';

/** The moment for which an agent asks. */
export interface HostedMoment {
  /** By the agent's name. */
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
}

/** What a hook of ours prints and ends with, so that the agent understands it. */
export interface Written {
  readonly stdout?: JsonObject | undefined;
  readonly stderr?: string | undefined;
  readonly exitCode: 0 | 2;
}

/** How an agent speaks to its hooks and what it wants to hear: what a hook has to know that is started by it. */
export interface HostRule {
  readonly knownBy: {
    /** Members of stdin that together are a sign of the agent; one row of them is enough. */
    readonly signs: readonly (readonly string[])[];
    /** Members it never sends. */
    readonly never?: readonly string[];
    /** A variable that it gives its hooks. */
    readonly variable?: string;
  };
  /** The event that stdin is about, where it says so; else it stands in the line that starts the hook. */
  readonly eventOf: (document: Readonly<JsonObject>) => string | undefined;
  /** stdin as the payload of our moment. */
  readonly read: (document: Readonly<JsonObject>, spot: HostedMoment) => JsonObject;
  /** What we want to say in the agent's words. */
  readonly write: (said: Said, spot: HostedMoment) => Written;
  /** Another result in place of the tool's, in the agent's words; without it, or where it has none, the result is refused. */
  readonly replaceResult?: (updated: unknown, document: Readonly<JsonObject>) => JsonObject | undefined;
  /** Members of stdin that it may send and that we do not make ourselves. */
  readonly mayHave?: readonly string[];
}

/** The one event that is named on stdin by most. */
export const namedEvent = ({ hook_event_name: name }: Readonly<JsonObject>): string | undefined =>
  typeof name === 'string' ? name : undefined;

export const NO_REASON = 'blocked by a hook';

/** Moments at which the agent waits for leave: what a guard could not be asked about does not pass there, and only there. */
const gates: ReadonlySet<string | undefined> = new Set(['BeforeTool', 'PermissionRequest']);

export const isGate = (moment: string | undefined): boolean => gates.has(moment);
