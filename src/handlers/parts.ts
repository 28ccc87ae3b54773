import type { Bus } from '../bus/index.ts';
import type { Family, FamilyTypes } from './family.ts';
import type { InFlight } from './in-flight.ts';
import type { Feedback } from './reporting/feedback.ts';
import type { Audience } from './reporting/live-report.ts';
import type { Timestamps } from './reporting/timestamps.ts';

/** What the stages of one engine share. */
export interface Parts<F extends FamilyTypes> {
  readonly family: Family<F>;
  /** Marks what this engine answers, so that nobody answers it again. */
  readonly id: string;
  readonly newId: () => string;
  readonly bus: Bus | undefined;
  readonly inFlight: InFlight;
  /** Who hears of what becomes of an event, and of its hooks. */
  readonly audience: Audience;
  readonly feedback: Feedback | undefined;
  readonly timestamps: Timestamps;
  /** Whether the engine was disposed of. */
  readonly isOver: () => boolean;
  /** Whether anybody hears what goes over the bus. */
  readonly isWatched: () => boolean;
}
