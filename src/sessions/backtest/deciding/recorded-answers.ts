// Finds the recorded answers of planned hooks, so that a request can be decided again without running hooks.
import { catalogue, type HookEventName, type PayloadOf } from '../../../events/index.ts';
import { createMismatchResult, isSkippedByCondition, readStartRefusal } from '../../../planner/index.ts';
import {
  DEFAULT_TIMEOUT_MS,
  getHookKey,
  getProjectDir,
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  type HookRow,
  runsInBackground,
  toSkippedRow,
} from '../../../protocol/index.ts';
import { applyOnFault, applyToInput, createFaultResult } from '../../../runners/index.ts';
import type { RecordedExchange } from '../collect-exchanges.ts';
import { isEqualJson } from '../compare-fields.ts';
import {
  createUnchangedInput,
  haveSameInput,
  type PlannedHook,
  type PlannedRequest,
  type TrialEngine,
} from '../trial-engine.ts';
import { getRunRows, readOutput, type UnknownAnswer } from './decision.ts';

type RecordedInputs = ReadonlyMap<HookRow, object>;

const findRecordedInputs = <E extends HookEventName>(
  { translator }: TrialEngine,
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedExchange,
): RecordedInputs => {
  const inputs = new Map<HookRow, object>();
  let input = createUnchangedInput(eventName, payload, translator);
  for (const row of getRunRows(recorded)) {
    inputs.set(row, input);
    if (recorded.trace?.mode === 'sequential')
      input = applyToInput(eventName, input, toResult({}, eventName, row, row.output));
  }
  return inputs;
};

interface CallContext {
  readonly inputs: RecordedInputs | undefined;
  readonly projectDir: string;
  /** The input of the second run of a guard: the call as other hooks changed it. */
  readonly createChangedInput: () => object | undefined;
}

/**
 * If hooks run in sequence, a recorded answer is valid only if its hook would read the same input again. The same is
 * true of a guard's second answer, to the call as other hooks changed it.
 */
class RecordedAnswers {
  readonly unknown: UnknownAnswer[] = [];
  readonly notes: string[] = [];
  readonly #eventName: HookEventName;
  readonly #planned: PlannedRequest;
  readonly #recorded: RecordedExchange;
  readonly #recalled: readonly RowMatch[];
  readonly #context: CallContext;
  readonly #unknownHooks = new Set<HookConfig>();

  constructor(eventName: HookEventName, planned: PlannedRequest, recorded: RecordedExchange, context: CallContext) {
    this.#eventName = eventName;
    this.#planned = planned;
    this.#recorded = recorded;
    this.#recalled = matchRecordedRows(recorded.trace?.rows, planned);
    this.#context = context;
  }

  answer(hook: HookConfig, input: object): HookExecutionResult {
    const index = this.#planned.hooks.findIndex(({ config }) => config === hook);
    const row = this.#planned.hooks[index]?.row;
    const recalled = this.#recalled[index];
    if (row === undefined || recalled === undefined) throw new RangeError(`the plan has no "${getHookKey(hook)}"`);
    if (this.#isMismatch(hook, input)) {
      if (!this.isUnsureMismatch(hook, input)) return createMismatchResult(hook, this.#eventName);
      return this.#unknownAnswer(hook, row, 'its `if` is about a text that is redacted or cut in the recording');
    }
    if (!recalled.isKnown) return this.#unknownAnswer(hook, row, recalled.why);
    if ('recheck' in input && input.recheck === true) return this.#secondAnswer(hook, row, recalled.row, input);
    const why = this.#whyNot(recalled.row, input);
    if (why !== undefined) return this.#unknownAnswer(hook, row, why);
    if (recalled.row.hookId !== row.hookId) this.notes.push(`${row.hookId} is taken to be ${recalled.row.hookId}`);
    return runsInBackground(hook) ? this.#emptyAnswer(hook) : createResultFromRow(hook, this.#eventName, recalled.row);
  }

  /** True if the `if` excludes the recorded call only because a text of the call is redacted or cut. */
  isUnsureMismatch(hook: HookConfig, input: object): boolean {
    if (!this.#recorded.isToolInputAltered || !this.#isMismatch(hook, input)) return false;
    const tool = { tool_name: 'tool_name' in input ? input.tool_name : undefined };
    if (isSkippedByCondition(hook, tool, this.#context.projectDir)) return false;
    const excluded = this.#recorded.trace?.rows.filter(({ reason }) => reason === 'condition-mismatch') ?? [];
    return !excluded.some((row) => row.hint === toSkippedRow(row, 'condition-mismatch', hook).hint);
  }

  /** The directory of the recorded call is not known, so its paths are compared with the project. */
  #isMismatch(hook: HookConfig, input: object): boolean {
    if (readStartRefusal(hook) !== undefined) return false;
    return isSkippedByCondition(hook, { ...input, cwd: undefined }, this.#context.projectDir);
  }

  #secondAnswer(hook: HookConfig, row: HookRow, first: HookRow, input: object): HookExecutionResult {
    const { trace, response } = this.#recorded;
    const second = trace?.rows.find(({ recheck, hookId }) => recheck === true && hookId === first.hookId);
    // The request ended before its guards ran again.
    if (second === undefined && response.error !== undefined) return this.#emptyAnswer(hook);
    if (second === undefined)
      return this.#unknownAnswer(hook, row, 'its recorded answer was to the call before other hooks changed it');
    const changed = this.#context.createChangedInput();
    const why =
      changed === undefined || !haveSameInput(changed, input)
        ? 'its recorded answer was to another input'
        : explainUnusable(hook, second);
    if (why !== undefined) return this.#unknownAnswer(hook, row, why);
    return createResultFromRow(hook, this.#eventName, restoreReason(second, first));
  }

  /** A guard whose first answer is unknown may be asked for a second one; it is listed once. */
  #unknownAnswer(hook: HookConfig, { name }: HookRow, why: string): HookExecutionResult {
    if (!this.#unknownHooks.has(hook)) this.unknown.push({ hook: name, why });
    this.#unknownHooks.add(hook);
    return this.#emptyAnswer(hook);
  }

  #emptyAnswer(hookConfig: HookConfig): HookExecutionResult {
    return { hookConfig, eventName: this.#eventName, success: true, duration: 0 };
  }

  #whyNot(row: HookRow, input: object): string | undefined {
    const recorded = this.#context.inputs?.get(row);
    if (recorded === undefined || haveSameInput(recorded, input)) return undefined;
    return 'its recorded answer was to another input';
  }
}

/** A second row lacks the reason of a fault if the first row has the same. */
const restoreReason = (second: HookRow, { output: { reason } = {} }: HookRow): HookRow =>
  second.code === undefined || second.output === undefined || reason === undefined
    ? second
    : { ...second, output: { reason, ...second.output } };

export const findRecordedAnswers = <E extends HookEventName>(
  engine: TrialEngine,
  eventName: E,
  payload: PayloadOf<E>,
  planned: PlannedRequest,
  recorded: RecordedExchange,
): RecordedAnswers => {
  const wasSequence = recorded.trace?.mode === 'sequential' && getRunRows(recorded).length > 1;
  const isSequence = planned.sequential && planned.hooks.length > 1;
  const inputs = wasSequence || isSequence ? findRecordedInputs(engine, eventName, payload, recorded) : undefined;
  const createChangedInput = (): object | undefined => {
    const changed = catalogue[eventName].rewritten?.(payload, readOutput(recorded) ?? {});
    return changed && createUnchangedInput(eventName, { ...changed, recheck: true }, engine.translator);
  };
  const projectDir = getProjectDir(engine.config);
  return new RecordedAnswers(eventName, planned, recorded, { inputs, projectDir, createChangedInput });
};

export type { RecordedAnswers };

type RowMatch = { readonly isKnown: true; readonly row: HookRow } | { readonly isKnown: false; readonly why: string };

const wasPlannedToRun = ({ planned }: HookRow): boolean => planned === 'run';

const haveSameSource = (a: HookRow, b: HookRow): boolean =>
  a.source.kind === b.source.kind && a.source.extension === b.source.extension;

const haveSameAnswer = (a: HookRow, b: HookRow): boolean =>
  a.outcome === b.outcome && a.code === b.code && isEqualJson(a.output, b.output);

/** Hooks are found by id, else by name or command: a hook keeps its name when it moves to another file. */
class RowMatcher {
  readonly #recorded: readonly HookRow[];
  readonly #planned: PlannedRequest;
  readonly #ran: readonly HookRow[];
  readonly #claimed = new Set<HookRow>();

  constructor(recorded: readonly HookRow[], planned: PlannedRequest) {
    this.#recorded = recorded;
    this.#planned = planned;
    this.#ran = recorded.filter(wasPlannedToRun);
  }

  all(): RowMatch[] {
    const found = this.#planned.hooks.map((hook) => this.#byId(hook));
    return this.#planned.hooks.map((hook, index) => this.#judge(hook, found[index] ?? this.#byName(hook)));
  }

  #claim(row: HookRow | undefined): HookRow | undefined {
    if (row !== undefined) this.#claimed.add(row);
    return row;
  }

  #byId({ row: { hookId } }: PlannedHook): HookRow | undefined {
    return this.#claim(this.#ran.find((row) => row.hookId === hookId));
  }

  #byName({ row, config }: PlannedHook): HookRow | undefined {
    const names = [row.name, config.command];
    return this.#claim(this.#ran.find((one) => !this.#claimed.has(one) && names.includes(one.name)));
  }

  #judge(hook: PlannedHook, found: HookRow | undefined): RowMatch {
    if (found === undefined) return { isKnown: false, why: this.#whyNone(hook) };
    if (this.#isAmbiguous(hook, found)) {
      return { isKnown: false, why: 'several hooks of this name were recorded, with different answers' };
    }
    const why = explainUnusable(hook.config, found);
    return why === undefined ? { isKnown: true, row: found } : { isKnown: false, why };
  }

  /** Ids of hooks with the same name end in a number, which changes when a hook of that name is added or removed. */
  #isAmbiguous({ row }: PlannedHook, found: HookRow): boolean {
    const isNamesake = (one: HookRow): boolean => one.name === found.name && haveSameSource(one, found);
    const namesakes = this.#ran.filter(isNamesake);
    if (namesakes.length < 2 || namesakes.every((one) => haveSameAnswer(one, found))) return false;
    const isCounted = found.hookId === row.hookId;
    return !isCounted || this.#recorded.filter(isNamesake).length !== this.#planned.rows.filter(isNamesake).length;
  }

  #whyNone({ row }: PlannedHook): string {
    const skipped = this.#recorded.find((one) => one.hookId === row.hookId || one.name === row.name);
    return skipped?.reason === undefined
      ? 'no recorded answer: it is new'
      : `no recorded answer: it was skipped (${skipped.reason})`;
  }
}

export const matchRecordedRows = (
  recorded: readonly HookRow[] | undefined,
  planned: PlannedRequest,
): readonly RowMatch[] => {
  // A guard may run a second time, on the input as changed by other hooks. `answer` looks up that row itself.
  const first = recorded?.filter(({ recheck }) => recheck !== true);
  if (first !== undefined) return new RowMatcher(first, planned).all();
  return planned.hooks.map(() => ({ isKnown: false, why: 'no trace was recorded' }));
};

/** The text that `onFault` appended to a recorded reason. `onFault` may have changed since, so the text is removed. */
const ON_FAULT_SUFFIX_PATTERN = / \(fault "[^"]*"; onFault: "(?:deny" denies|ask" asks)\)$/;

const removeOnFaultMark = (output: HookOutput): HookOutput => {
  if (output.hookSpecificOutput?.onFault !== true) return output;
  const { hookSpecificOutput, ...rest } = output;
  const { onFault: _mark, ...specific } = hookSpecificOutput;
  return Object.keys(specific).length === 0 ? rest : { ...rest, hookSpecificOutput: specific };
};

const undoOnFault = (recorded: HookOutput | undefined): { output?: HookOutput; message?: string } => {
  if (recorded === undefined) return {};
  const output = removeOnFaultMark(recorded);
  const { decision: _decision, reason, ...rest } = output;
  if (typeof reason !== 'string' || !ON_FAULT_SUFFIX_PATTERN.test(reason)) return { output };
  const message = reason.replace(ON_FAULT_SUFFIX_PATTERN, '');
  return Object.keys(rest).length === 0 ? { message } : { output: rest, message };
};

/** A hook that printed plain text has the decision `allow`, but no opinion. Only an opinion is listed in `fields`. */
const isAllowWithoutOpinion = (output: HookOutput, { fields }: HookRow): boolean => {
  if (output.decision !== 'allow') return false;
  if (fields !== undefined) return !Object.hasOwn(fields, 'decision');
  return Object.keys(output).every((key) => key === 'decision' || key === 'systemMessage');
};

const hadNoFault = ({ code, exitCode }: HookRow): boolean =>
  (code === undefined || code === 'malformed-output') && (exitCode === undefined || exitCode === 0);

export const createResultFromRow = (config: HookConfig, eventName: string, row: HookRow): HookExecutionResult => {
  const refusal = readStartRefusal(config);
  if (refusal !== undefined) return applyOnFault(createFaultResult(config, eventName, refusal));
  const { code } = row;
  if (code === undefined) return toResult(config, eventName, row, row.output);
  const { output, message } = undoOnFault(row.output);
  const error = message ?? `Hook "${row.name}" ended with the fault "${code}" when this was recorded`;
  return applyOnFault({ ...toResult(config, eventName, row, output), code, error: new Error(error) });
};

const toResult = (
  hookConfig: HookConfig,
  eventName: string,
  row: HookRow,
  output: HookOutput | undefined,
): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: hadNoFault(row),
  duration: row.durationMs ?? 0,
  ...(output === undefined ? {} : { output, outputFormat: isAllowWithoutOpinion(output, row) ? 'text' : 'json' }),
});

const isClearlyOverTimeLimit = (durationMs: number, limitMs: number): boolean => durationMs > limitMs * 1.1 + 50;

const explainUnusable = (config: HookConfig, row: HookRow): string | undefined => {
  const { outcome, code, durationMs } = row;
  const timeout = config.timeout ?? DEFAULT_TIMEOUT_MS;
  if (readStartRefusal(config) !== undefined) return undefined;
  if (outcome === undefined) return 'how it ended was not recorded';
  if (outcome === 'background')
    return runsInBackground(config) ? undefined : 'it was not waited for when this was recorded';
  if (code === 'matcher-timeout') return 'it was not started when this was recorded: its matcher took too long';
  if (durationMs === undefined) return undefined;
  const took = Math.round(durationMs);
  if (code === 'timeout') {
    return isClearlyOverTimeLimit(timeout, durationMs)
      ? `it ran out of time after ${took} ms and has ${timeout} ms now`
      : undefined;
  }
  return isClearlyOverTimeLimit(durationMs, timeout) ? `it took ${took} ms and has only ${timeout} ms now` : undefined;
};
