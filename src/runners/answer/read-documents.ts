import { isRecord } from '../../kit/index.ts';
import {
  deniesByName,
  type HookOutput,
  hiddenVerdict,
  isBlocking,
  mayHoldVerdict,
  type ReadOutput,
  readOutput,
  strictnessOf,
} from '../../protocol/index.ts';

type Document = Readonly<Record<string, unknown>>;
type Read = Extract<ReadOutput, { ok: true }>;

/** Each field and each argument is looked up and accounted for; an answer has a dozen of them, a flood has a million. */
const MAX_FIELDS = 1_000;

const countFields = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const countAll = (value: Document): number => {
  const { hookSpecificOutput: specific } = value;
  return countFields(value) + countFields(specific) + countFields(isRecord(specific) ? specific.tool_input : undefined);
};

const readOne = (value: Record<string, unknown>): ReadOutput =>
  countAll(value) > MAX_FIELDS ? { ok: false, message: `has more than ${MAX_FIELDS} fields` } : readOutput(value);

/** The last of the strictest. */
const strictestOf = (reads: readonly Read[], rank: (output: HookOutput) => number): HookOutput | undefined => {
  let strictest: HookOutput | undefined;
  for (const { output } of reads) {
    if (strictest === undefined || rank(output) >= rank(strictest)) strictest = output;
  }
  return strictest;
};

const takeOver = (
  output: HookOutput,
  from: HookOutput | undefined,
  verdict: 'decision' | 'continue',
  reason: 'reason' | 'stopReason',
): HookOutput => {
  if (from === undefined || from === output || from[verdict] === undefined) return output;
  const { [reason]: _lesser, ...rest } = output;
  return { ...rest, [verdict]: from[verdict], ...(from[reason] === undefined ? {} : { [reason]: from[reason] }) };
};

/** What may not be taken for a yes: something beside it was meant as an answer too, and cannot be read. */
export const withoutAllow = (output: HookOutput): HookOutput => {
  if (output.decision === undefined || strictnessOf(output.decision) > strictnessOf('allow')) return output;
  const { decision: _uncertain, ...rest } = output;
  return rest;
};

/** A document that is not the last counts by its verdict alone. */
const mayDecide = (document: Document): boolean =>
  hiddenVerdict(document, '') !== undefined ||
  Object.keys(document).some((key) => mayHoldVerdict(key) || deniesByName(key, document[key]));

/**
 * What several documents say together: what the last one says, and the strictest verdict that any of them gave. One that
 * cannot be read may have held a verdict, so it makes the answer a fault and takes nothing from the others.
 */
export const readDocuments = (documents: readonly Record<string, unknown>[]): ReadOutput => {
  const all = documents.filter((document, index) => index === documents.length - 1 || mayDecide(document)).map(readOne);
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const reads = all.filter((read) => read.ok);
  const last = reads.at(-1);
  if (last === undefined) return first ?? { ok: false, message: 'holds no document' };
  const decided = strictestOf(reads, ({ decision }) => strictnessOf(decision));
  const stopped = strictestOf(reads, (output) => (output.continue === false ? 1 : 0));
  const withDecision = takeOver(last.output, decided, 'decision', 'reason');
  const output =
    stopped?.continue === false && last.output.continue !== false
      ? takeOver(withDecision, stopped, 'continue', 'stopReason')
      : withDecision;
  const notices = reads.flatMap((read) => read.notices ?? []);
  return {
    ok: true,
    output,
    ...(notices.length === 0 ? {} : { notices }),
    problems: reads.filter((read) => read === last || read.verdictLost).flatMap(({ problems }) => problems),
    verdictLost: reads.length < all.length || reads.some((read) => read.verdictLost),
  };
};

const verdictFields = ['decision', 'reason', 'continue', 'stopReason'] as const;

/** The block in an answer, without all else it said; nothing where it does not block. */
export const blockIn = (output: HookOutput): HookOutput | undefined => {
  if (!isBlocking(output.decision) && output.continue !== false) return undefined;
  const block: HookOutput = {};
  for (const field of verdictFields) if (output[field] !== undefined) Object.assign(block, { [field]: output[field] });
  return block;
};
