import { type Observable, of } from 'rxjs';
import { failed } from './failures.ts';
import type { EventOf, FamilyTypes, Needs, Outcome, ResultOf } from './family.ts';
import type { Firing, Planned, Stage } from './firing.ts';
import type { Parts } from './parts.ts';
import { admit } from './stages/admit.ts';
import { afterPublish } from './stages/after-publish.ts';
import { check } from './stages/check.ts';
import { conflicts } from './stages/conflicts.ts';
import { deadline } from './stages/deadline.ts';
import { dialects } from './stages/dialects.ts';
import { merge } from './stages/merge.ts';
import { modelText } from './stages/model-text.ts';
import { observe } from './stages/observe.ts';
import { patience } from './stages/patience.ts';
import { plan } from './stages/plan.ts';
import { recheck } from './stages/recheck.ts';
import { report } from './stages/report.ts';
import { run } from './stages/run.ts';
import { tell } from './stages/tell.ts';
import { visible } from './stages/visible.ts';

export type Engine<F extends FamilyTypes> = <E extends EventOf<F>>(
  firing: Firing<F, E>,
) => Observable<Outcome<ResultOf<F, E>>>;

/**
 * What happens to one event, whoever fired it: requests on a bus and direct calls go the same way. Each stage is a file in
 * stages/, gets what the one before it found out, and decides what follows; one more is a file and a line. Outcomes come
 * back the same way, from `run` upwards. A part of the engine, or one of the host's, that throws fails the event.
 */
export const createEngine =
  <F extends FamilyTypes>(parts: Parts<F>): Engine<F> =>
  (firing) => {
    try {
      return row(parts, firing);
    } catch (error) {
      return of(failed(parts.family, parts.audience.logger, firing.eventName, error));
    }
  };

// biome-ignore format: one line per stage, read from top to bottom
const row = <F extends FamilyTypes, E extends EventOf<F>>(parts: Parts<F>, firing: Firing<F, E>): Observable<Outcome<ResultOf<F, E>>> =>
  admit(parts, firing, (admitted) =>          // is there such an event, and still an engine? its hooks are loaded
  plan(parts, admitted, (planned) =>          // which hooks run? mostly none: the outcome
  deadline(parts, planned, (timed) =>         // from here on it can be ended early
  afterPublish(timed, (due) =>                // hooks of a request start when publish has returned
  tell(parts, due, (spoken) =>                // a line of the log, a word to a person
  ifNeeded('observe', observe)(parts, spoken, (observed) =>   // hooks on trial: nothing they say counts
  merge(parts, observed, (merging) =>         // many results, one outcome
  check(parts, merging, (checked) =>          // is the payload what the event wants?
  report(parts, checked, (watched) =>         // rows, progress, telemetry
  modelText(parts, watched, (limited) =>      // what hooks say to the model has a limit
  ifNeeded('recheck', recheck)(parts, limited, (round) =>     // guards see what will run, if need be in a second round
  ifNeeded('conflicts', conflicts)(parts, round, (marked) =>  // hooks that contradict each other
  ifNeeded('dialects', dialects)(parts, marked, (judged) =>   // hooks of other agents, judged as there
  patience(judged, (patient) =>               // ended early: what had finished
  run(parts, patient))))))))))))))); // each hook to its end

/** A stage for some plans: it is left out of the row of the others. */
const ifNeeded =
  <F extends FamilyTypes, E extends EventOf<F>, In extends Planned<F, E>, Out>(
    need: keyof Needs<F>,
    stage: Stage<Parts<F>, In, Out>,
  ): Stage<Parts<F>, In, Out> =>
  (parts, planned, next) =>
    parts.family.needs?.[need](planned.firing.eventName, planned.plan) === true
      ? stage(parts, planned, next)
      : next(planned);

/** The same for direct calls, which are told on the bus where somebody listens. */
export const createCalls =
  <F extends FamilyTypes>(parts: Parts<F>, engine: Engine<F>): Engine<F> =>
  (firing) =>
    visible(parts, firing, engine);
