/** Finds what keeps a configured hook from running, with a fix for each reason: for `explain`, `list` and `doctor`. */
import { findNearestName } from '../kit/index.ts';
import {
  explainMissingApproval,
  type HookRow,
  isUnapproved,
  type Notice,
  type NoticeCode,
  noticeText,
  REVIEW_HINT,
  type SkipReason,
  skipReasons,
} from '../protocol/index.ts';
import { END_PAUSE_COMMAND } from '../registry/index.ts';
import { allEventNames } from './arguments/events.ts';
import type { ExplainedMatcher } from './arguments/read-matcher.ts';

export interface HookFinding extends Notice {
  /** Whether the hook never runs although the user did not switch it off. */
  readonly isBroken: boolean;
}

const reasonsOfBrokenHooks: ReadonlySet<SkipReason> = new Set([
  'unknown-event',
  'event-not-fired',
  'invalid-config',
  'untrusted',
  'changed-since-trusted',
]);

export const skipReasonTexts: Readonly<Record<SkipReason, string>> = {
  'hooks-disabled': 'hooks are switched off as a whole',
  'unknown-event': 'there is no event with this name',
  'event-not-fired': 'this host does not fire the event',
  'invalid-config': 'the entry cannot be read',
  'source-inactive': 'its extension is not active',
  disabled: 'it is switched off by name',
  untrusted: 'it is from a project or an extension and is not approved',
  'changed-since-trusted': explainMissingApproval('changed-since-trusted'),
  'matcher-mismatch': 'its matcher does not match',
  'condition-mismatch': 'its `if` is about other calls',
  duplicate: 'the same hook is configured twice, and the other copy runs',
  aborted: 'the request was cancelled',
};

export const formatSkipReasonDetail = ({ hint, reason }: HookRow): string | undefined => {
  if (hint === undefined || reason === undefined) return undefined;
  const detail = hint.replace(skipReasons[reason], '').replace(`; ${REVIEW_HINT}`, '').trim();
  return detail === '' ? undefined : detail;
};

const toAdvice = (text: string): string => text.replace(/^[^:]*: /, '').replace(/\.$/, '');

export const awaitsApproval = ({ reason, hint }: HookRow): boolean =>
  isUnapproved(reason) && (hint === undefined || hint === skipReasons[reason] || hint.endsWith(REVIEW_HINT));

const findFix = (reason: SkipReason, row: HookRow, matcher: ExplainedMatcher): string | undefined => {
  const { eventName, name } = row;
  const hint = row.reason === reason ? row.hint : undefined;
  switch (reason) {
    case 'unknown-event': {
      const near = findNearestName(eventName, allEventNames);
      return near === undefined ? `use one of ${allEventNames.join(', ')}` : `rename it to ${near}`;
    }
    case 'disabled':
      return `hookwright enable ${JSON.stringify(name)}`;
    case 'untrusted':
    case 'changed-since-trusted':
      return awaitsApproval({ ...row, reason, hint }) ? REVIEW_HINT : hint && toAdvice(hint);
    case 'matcher-mismatch':
      return matcher.fix ?? toAdvice(skipReasons[reason]);
    case 'hooks-disabled':
      return hint?.includes(END_PAUSE_COMMAND) ? END_PAUSE_COMMAND : 'set hooksConfig.enabled to true in the settings';
    case 'invalid-config':
      return 'correct the entry';
    default:
      return toAdvice(skipReasons[reason]);
  }
};

const noticeCodesOfBrokenHooks: ReadonlySet<NoticeCode> = new Set([
  'executable-not-found',
  'not-executable',
  'suspect-launch',
  'bad-script',
  'not-supported',
  'blocked-address',
  'http-error',
  'invalid-matcher',
  'invalid-condition',
  'condition-mismatch',
]);

const matcherTimeoutFinding: HookFinding = {
  code: 'matcher-timeout',
  message: 'its matcher takes too long, so the hook would fail without being started',
  fix: 'write a simpler regular expression',
  isBroken: true,
};

export const listHookFindings = (row: HookRow, matcher: ExplainedMatcher, launch: readonly Notice[]): HookFinding[] => {
  const reasons = (row.reasons ?? []).map((reason, index): HookFinding => {
    const detail = index === 0 ? formatSkipReasonDetail(row) : undefined;
    const message = detail === undefined ? skipReasonTexts[reason] : detail.replace(/\.$/, '');
    return { code: reason, message, fix: findFix(reason, row, matcher), isBroken: reasonsOfBrokenHooks.has(reason) };
  });
  const warnings = new Map([...(row.warnings ?? []), ...launch].map((warning) => [noticeText(warning), warning]));
  return [
    ...reasons,
    ...(matcher.matches === 'timeout' ? [matcherTimeoutFinding] : []),
    ...[...warnings.values()].map((warning) => ({ ...warning, isBroken: noticeCodesOfBrokenHooks.has(warning.code) })),
  ];
};
