export interface NatsStats {
  /** Whether there is a link to the broker right now. */
  readonly isUp: boolean;
  readonly server: string;
  /** Requests of this process that hosts were asked, and that have no answer yet. */
  readonly asked: number;
  /** Requests of this process that no host answered. */
  readonly lost: number;
  /** Requests that this process took and has not answered. */
  readonly owed: number;
  /** Requests that this process answered. */
  readonly answered: number;
  /** Requests that were delivered here a second time, and dropped. */
  readonly duplicates: number;
  /** Answers of this process that came after the deadline, and were not sent. */
  readonly late: number;
  /** Messages that waited for a link in vain. */
  readonly dropped: number;
}
