/** The matchers `toHaveBlocked`, `toHaveRun` and `toHaveSkipped` for captured traffic. */
import { abilityEventTypes, type HookEventName, hookEventNames } from '../../events/index.ts';
import { describeValue, expectKnown, formatSuggestion, printable } from '../../kit/index.ts';
import { type RowOutcome, rowOutcomes, type SkipReason, skipReasons } from '../../protocol/index.ts';
import { type CapturedMessages, type EventNameLike, isCaptured } from '../capture-traffic.ts';
import { formatTimes } from '../host/walk.ts';
import {
  describeOutcomes,
  describeRows,
  explainMissingRequests,
  hasHookName,
  listOutcomes,
  listTracedRows,
  type RequestOutcome,
  type TracedRow,
} from './describe.ts';

export interface BlockedExpectation {
  readonly tool?: string | RegExp | undefined;
  readonly reason?: string | RegExp | undefined;
  readonly by?: string | undefined;
}

export interface RunExpectation {
  readonly event?: HookEventName | undefined;
  readonly outcome?: RowOutcome | undefined;
  /** The exact number of runs. Default: at least one. */
  readonly times?: number | undefined;
}

export interface SkippedExpectation {
  readonly reason?: SkipReason | undefined;
  readonly event?: HookEventName | undefined;
}

/** The result of a matcher, in the form that vitest and Jest share. */
export interface MatcherVerdict {
  readonly pass: boolean;
  readonly message: () => string;
}

const expectCaptured = (matcher: string, received: unknown): CapturedMessages => {
  if (isCaptured(received)) return received;
  throw new TypeError(`${matcher} is about what captureTraffic(bus) gives; got ${describeValue(received)}`);
};

/** A misspelled word never matches, so `.not` would always pass. */
const expectKnownWord = (matcher: string, what: string, word: string | undefined, known: readonly string[]): void => {
  if (word === undefined || known.includes(word)) return;
  const near = formatSuggestion(word, known) || `; there are ${known.join(', ')}`;
  throw new TypeError(`${matcher}: ${describeValue(word)} is no ${what}${near}`);
};

const eventNames = [...hookEventNames, ...abilityEventTypes];

/** Unlike `RegExp.test`, `search` does not advance a pattern with the flag `g`. */
const matchesPattern = (text: string, pattern: RegExp): boolean => text.search(pattern) !== -1;

const formatWanted = (wanted: string | RegExp): string =>
  typeof wanted === 'string' ? JSON.stringify(wanted) : `${wanted}`;

const concernsTool = ({ subject }: RequestOutcome, tool: string | RegExp | undefined): boolean =>
  tool === undefined ||
  (typeof tool === 'string' ? subject === tool : subject !== undefined && matchesPattern(subject, tool));

const hasReason = ({ reasons }: RequestOutcome, reason: string | RegExp | undefined): boolean =>
  reason === undefined ||
  reasons.some((text) => (typeof reason === 'string' ? text.includes(reason) : matchesPattern(text, reason)));

const isDecidedByHook = ({ by }: RequestOutcome, hookName: string | undefined): boolean =>
  hookName === undefined || by?.some((row) => hasHookName(row, hookName)) === true;

const describeBlock = (eventName: string, { tool, reason, by }: BlockedExpectation): string =>
  [
    eventName,
    tool === undefined ? '' : ` of ${typeof tool === 'string' ? tool : `a tool like ${tool}`}`,
    by === undefined ? '' : `, by ${by}`,
    reason === undefined ? '' : `, for the reason ${formatWanted(reason)}`,
  ].join('');

/** Passes if hooks denied an event or stopped the agent. `ask` is no block, as the user's choice is not captured. */
export const toHaveBlocked = (
  received: unknown,
  eventName: EventNameLike,
  expected: BlockedExpectation = {},
): MatcherVerdict => {
  const traffic = expectCaptured('toHaveBlocked', received);
  expectKnownWord('toHaveBlocked', 'event', eventName, eventNames);
  expectKnown('toHaveBlocked', expected, ['tool', 'reason', 'by']);
  const answers = listOutcomes(traffic);
  const ofEvent = answers.filter((answer) => answer.eventName === eventName);
  const { tool, reason, by } = expected;
  const pass = ofEvent.some(
    (answer) =>
      answer.isBlocked && concernsTool(answer, tool) && hasReason(answer, reason) && isDecidedByHook(answer, by),
  );
  const wanted = `expected the hooks ${pass ? 'not ' : ''}to have blocked ${describeBlock(eventName, expected)}`;
  const isUntraced = by !== undefined && ofEvent.some((answer) => answer.isBlocked && answer.by === undefined);
  const note = isUntraced ? ['Who blocked it is unknown: its trace was not captured.'] : [];
  const facts = () => explainMissingRequests(traffic) ?? describeOutcomes(ofEvent.length === 0 ? answers : ofEvent);
  return { pass, message: () => printable([wanted, ...note, '', facts()].join('\n'), 'lines') };
};

const selectRows = (traffic: CapturedMessages, hookName: string, event: string | undefined): readonly TracedRow[] =>
  listTracedRows(traffic).filter(
    ({ trace, row }) => hasHookName(row, hookName) && (event === undefined || trace.eventName === event),
  );

const describeHook = (traffic: CapturedMessages, hookName: string): string => {
  const silence = explainMissingRequests(traffic);
  if (silence !== undefined) return silence;
  const rows = listTracedRows(traffic);
  const own = rows.filter(({ row }) => hasHookName(row, hookName));
  if (own.length > 0 || rows.length === 0) return describeRows(own);
  const names = [...new Set(rows.map(({ row }) => row.name))];
  return `No row names a hook ${JSON.stringify(hookName)}${formatSuggestion(hookName, names)}\n${describeRows(rows)}`;
};

/** Passes if a hook ran, with any outcome unless `expected` names one. */
export const toHaveRun = (received: unknown, hookName: string, expected: RunExpectation = {}): MatcherVerdict => {
  const traffic = expectCaptured('toHaveRun', received);
  const { event, outcome, times: wantedTimes } = expected;
  expectKnown('toHaveRun', expected, ['event', 'outcome', 'times']);
  expectKnownWord('toHaveRun', 'event', event, eventNames);
  expectKnownWord('toHaveRun', 'outcome', outcome, rowOutcomes);
  const ran = selectRows(traffic, hookName, event).filter(
    ({ row }) =>
      row.planned === 'run' && row.outcome !== undefined && (outcome === undefined || row.outcome === outcome),
  ).length;
  const pass = wantedTimes === undefined ? ran > 0 : ran === wantedTimes;
  const wanted = [
    `expected the hook ${hookName} ${pass ? 'not ' : ''}to have run`,
    wantedTimes === undefined ? '' : ` ${formatTimes(wantedTimes)}`,
    event === undefined ? '' : ` for ${event}`,
    outcome === undefined ? '' : ` with the outcome ${outcome}`,
    ran === 0 || wantedTimes === undefined ? '' : `; it did ${formatTimes(ran)}`,
  ].join('');
  return { pass, message: () => printable(`${wanted}\n\n${describeHook(traffic, hookName)}`, 'lines') };
};

/** Passes if a hook was skipped at least once for the expected reason. */
export const toHaveSkipped = (
  received: unknown,
  hookName: string,
  expected: SkippedExpectation = {},
): MatcherVerdict => {
  const traffic = expectCaptured('toHaveSkipped', received);
  const { event, reason } = expected;
  expectKnown('toHaveSkipped', expected, ['event', 'reason']);
  expectKnownWord('toHaveSkipped', 'event', event, eventNames);
  expectKnownWord('toHaveSkipped', 'reason', reason, Object.keys(skipReasons));
  const pass = selectRows(traffic, hookName, event).some(
    ({ row }) =>
      row.planned === 'skip' &&
      (reason === undefined || row.reason === reason || row.reasons?.includes(reason) === true),
  );
  const wanted = [
    `expected the hook ${hookName} ${pass ? 'not ' : ''}to have been skipped`,
    event === undefined ? '' : ` for ${event}`,
    reason === undefined ? '' : ` because of ${reason}`,
  ].join('');
  return { pass, message: () => printable(`${wanted}\n\n${describeHook(traffic, hookName)}`, 'lines') };
};

/** Matchers for `expect.extend`. Under vitest, importing `hookwright/testing` registers them. */
export const hookMatchers = { toHaveBlocked, toHaveRun, toHaveSkipped };
