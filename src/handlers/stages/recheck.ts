import { map, mergeMap, type Observable, of } from 'rxjs';
import type { HookExecutionResult, HookOutput } from '../../protocol/index.ts';
import type { EventOf, FamilyTypes, Watch } from '../family.ts';
import type { Next, Watched } from '../firing.ts';
import type { Parts } from '../parts.ts';

/**
 * Guards see what will run: those that approved something else are asked once more, with what the answers together have
 * made of it. One round, inside the deadline; their second answers follow the results.
 */
export const recheck = <F extends FamilyTypes, E extends EventOf<F>>(
  { family }: Parts<F>,
  watched: Watched<F, E>,
  next: Next<Watched<F, E>, readonly HookExecutionResult[]>,
): Observable<readonly HookExecutionResult[]> => {
  const { firing, plan, ticket, watch } = watched;
  const { eventName, payload } = firing;
  return next(watched).pipe(
    mergeMap((results) => {
      const second = family.askAgain?.(eventName, payload, plan, results);
      if (second === undefined) return of(results);
      // Where the event was ended meanwhile nobody is asked any more, and who was to be obeys its `onFault`.
      const { places } = second;
      const indexes = places.map((place) => watch.again(place));
      const indexOf = (at: number): number => indexes[at] ?? at;
      const again: Watch = {
        again: (at) => indexOf(at),
        started: (at) => watch.started(indexOf(at)),
        ended: (at, result) => watch.ended(indexOf(at), secondAnswer(result)),
      };
      return next({
        firing: { ...firing, payload: second.payload },
        plan: { ...family.narrow(plan, places), sequential: false },
        ticket,
        watch: again,
      }).pipe(
        map((answers) => [
          ...results,
          ...answers.map((answer, at) => newIn(secondAnswer(answer), results[places[at] ?? -1])),
        ]),
      );
    }),
  );
};

/** Of a second answer the verdict, its reason and its message count; what it would change is too late. */
const secondAnswer = (result: HookExecutionResult): HookExecutionResult => {
  const { output } = result;
  return output === undefined ? { ...result, recheck: true } : { ...result, recheck: true, output: verdictIn(output) };
};

/** What a guard said before it does not say twice. */
const newIn = (second: HookExecutionResult, first: HookExecutionResult | undefined): HookExecutionResult => {
  const [before, now] = [first?.output, second.output];
  if (before === undefined || now === undefined) return second;
  const { reason, systemMessage, stopReason, ...rest } = now;
  const isOldReason = reason === before.reason && now.decision === before.decision;
  const isOldStop = stopReason === before.stopReason && now.continue === before.continue;
  return {
    ...second,
    output: {
      ...rest,
      ...(reason === undefined || isOldReason ? {} : { reason }),
      ...(systemMessage === undefined || systemMessage === before.systemMessage ? {} : { systemMessage }),
      ...(stopReason === undefined || isOldStop ? {} : { stopReason }),
    },
  };
};

const verdictIn = ({ hookSpecificOutput, ...output }: HookOutput): HookOutput => {
  const { decision, reason, systemMessage, suppressOutput } = output;
  const { continue: goesOn, stopReason } = output;
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(reason === undefined ? {} : { reason }),
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(suppressOutput === undefined ? {} : { suppressOutput }),
    ...(goesOn === undefined ? {} : { continue: goesOn }),
    ...(stopReason === undefined ? {} : { stopReason }),
    // That it stands for a fault belongs to the verdict.
    ...(hookSpecificOutput?.onFault === undefined
      ? {}
      : { hookSpecificOutput: { onFault: hookSpecificOutput.onFault } }),
  };
};
