import type { HookEventName, PayloadOf } from '../../../events/index.ts';
import type { HookExecutionResult, HookRow } from '../../../protocol/index.ts';
import { inputAfter } from '../../../runners/index.ts';
import type { RecordedDecision } from '../collect.ts';
import { firstInput, readsTheSame } from '../inputs.ts';
import type { Lab } from '../lab.ts';
import type { Planned } from '../planned.ts';
import type { UnknownAnswer } from './decision.ts';
import { type Recalled, recall } from './recall.ts';
import { ranIn } from './recorded-decision.ts';
import { recordedResult, resultFromRow } from './recorded-results.ts';

type Inputs = ReadonlyMap<HookRow, object>;

/** What each hook of a recorded sequence read. */
const recordedInputs = <E extends HookEventName>(
  { translator }: Lab,
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedDecision,
): Inputs => {
  const inputs = new Map<HookRow, object>();
  let input = firstInput(eventName, payload, translator);
  for (const row of ranIn(recorded)) {
    inputs.set(row, input);
    if (recorded.trace?.mode === 'sequential') input = inputAfter(eventName, input, recordedResult(eventName, row));
  }
  return inputs;
};

/**
 * Answers for the hooks of one request in their place, from its recording. In a sequence each hook reads what those before
 * it changed, so a recorded answer speaks only for the input it was given.
 */
class RecordedAnswers {
  readonly unknown: UnknownAnswer[] = [];
  /** Whose answers were used for hooks that have another id now. */
  readonly notes: string[] = [];
  readonly #eventName: HookEventName;
  readonly #planned: Planned;
  readonly #recalled: readonly Recalled[];
  /** Left out where every hook reads the same before and now. */
  readonly #inputs: Inputs | undefined;

  constructor(eventName: HookEventName, planned: Planned, recorded: RecordedDecision, inputs: Inputs | undefined) {
    this.#eventName = eventName;
    this.#planned = planned;
    this.#recalled = recall(recorded.trace?.rows, planned);
    this.#inputs = inputs;
  }

  /** Whether it matters what hooks read. */
  get dependOnInput(): boolean {
    return this.#inputs !== undefined;
  }

  /** How the hook at this place of the plan ends on this input. Where nobody knows, it is noted and says nothing. */
  answer(index: number, input?: object): HookExecutionResult {
    const hook = this.#planned.hooks[index];
    const recalled = this.#recalled[index];
    if (hook === undefined || recalled === undefined) throw new RangeError(`the plan has no place ${index}`);
    const { config, row } = hook;
    const why = recalled.isKnown ? this.#whyNot(recalled.row, input) : recalled.why;
    if (why === undefined && recalled.isKnown) {
      if (recalled.row.hookId !== row.hookId) this.notes.push(`${row.hookId} is taken to be ${recalled.row.hookId}`);
      return resultFromRow(config, this.#eventName, recalled.row);
    }
    this.unknown.push({ hook: row.name, why: why ?? 'it is unknown' });
    return { hookConfig: config, eventName: this.#eventName, success: true, duration: 0 };
  }

  #whyNot(row: HookRow, input: object | undefined): string | undefined {
    const recorded = this.#inputs?.get(row);
    if (recorded === undefined || input === undefined || readsTheSame(recorded, input)) return undefined;
    return 'its recorded answer was to another input';
  }
}

/** The recorded answers to a request, for the hooks that are planned for it now. */
export const recordedAnswers = <E extends HookEventName>(
  lab: Lab,
  eventName: E,
  payload: PayloadOf<E>,
  planned: Planned,
  recorded: RecordedDecision,
): RecordedAnswers => {
  const wasSequence = recorded.trace?.mode === 'sequential' && ranIn(recorded).length > 1;
  const isSequence = planned.sequential && planned.hooks.length > 1;
  const inputs = wasSequence || isSequence ? recordedInputs(lab, eventName, payload, recorded) : undefined;
  return new RecordedAnswers(eventName, planned, recorded, inputs);
};

export type { RecordedAnswers };
