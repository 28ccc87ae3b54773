/** Checks of `doctor` for hooks that cannot run, wait for approval, or are configured twice. */

import { catalogue, isHookEventName } from '../../events/index.ts';
import { compileMatcher, createDuplicateKey, type KnownTools, matchRegex } from '../../planner/index.ts';
import type { HookRow } from '../../protocol/index.ts';
import { startsHookwright } from '../../registry/index.ts';
import { awaitsApproval } from '../hook-findings.ts';
import { type Diagnosis, type DoctorCheck, describeFailureConsequence, type ExaminedHook } from './check-types.ts';

const diagnoseFindings = (
  { findings }: ExaminedHook,
  codes: Readonly<Record<string, Omit<Diagnosis, 'what'>>>,
): Diagnosis[] =>
  findings.flatMap(({ code, message, fix }) => {
    const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
    return known === undefined ? [] : { ...known, what: message, fix: fix ?? known.fix };
  });

const NEVER_RUNS_TEXT = 'It can never run.';

export const cannotRunCheck: DoctorCheck = {
  id: 'cannot-run',
  title: 'hooks that can never run',
  about:
    'An event that does not exist, an entry that cannot be read, an invalid regular expression as a matcher, or all hooks switched off. Nothing fails when such a hook does not run, so it is noticed late.',
  examine: (hook) =>
    diagnoseFindings(hook, {
      'unknown-event': { severity: 'error', why: NEVER_RUNS_TEXT, fix: 'use one of the known event names' },
      'event-not-fired': { severity: 'warning', why: NEVER_RUNS_TEXT, fix: 'use an event that this host fires' },
      'invalid-config': { severity: 'error', why: NEVER_RUNS_TEXT, fix: 'correct the entry' },
      'invalid-matcher': {
        severity: 'error',
        why:
          hook.row.dialect === undefined
            ? 'A guard runs for every call, any other hook only for a tool with exactly that name.'
            : NEVER_RUNS_TEXT,
        fix: 'correct it',
      },
      'matcher-timeout': { severity: 'error', why: 'It fails at every call.', fix: 'write a simpler pattern' },
      'hooks-disabled': { severity: 'warning', why: NEVER_RUNS_TEXT, fix: 'switch hooks on' },
      'source-inactive': { severity: 'warning', why: NEVER_RUNS_TEXT, fix: 'activate the extension' },
    }),
};

const WAITS_FOR_APPROVAL_TEXT = 'It does not run until you approve it.';

const explainUnapproved = (row: HookRow): string => {
  if (awaitsApproval(row)) return WAITS_FOR_APPROVAL_TEXT;
  return row.reason === 'untrusted'
    ? 'An approval does not change that.'
    : `An approval alone does not make it run: ${row.reason}.`;
};

export const untrustedHookCheck: DoctorCheck = {
  id: 'untrusted',
  title: 'hooks of a project or an extension that are not approved',
  about: 'They wait for approval, and so do hooks that changed since they were approved. See trust.md.',
  examine: (hook) => {
    const { row, config } = hook;
    // A line that `install` wrote into a file that hookwright reads, too, needs no approval.
    if (row.reason === 'untrusted' && config !== undefined && startsHookwright(config)) return [];
    return diagnoseFindings(hook, {
      untrusted: { severity: 'warning', why: explainUnapproved(row), fix: 'hookwright trust' },
      'changed-since-trusted': { severity: 'warning', why: WAITS_FOR_APPROVAL_TEXT, fix: 'hookwright trust' },
    });
  },
};

export const launchCheck: DoctorCheck = {
  id: 'launch',
  title: 'commands that cannot be started',
  about:
    'A program or script that does not exist, is not in PATH, or has no execute permission. Checked with the environment of this terminal; an agent that is started from a desktop may have another PATH.',
  examine: (hook) => {
    const why = describeFailureConsequence(hook);
    return diagnoseFindings(hook, {
      'executable-not-found': { severity: 'error', why, fix: 'correct the command, or install the program' },
      'not-executable': { severity: 'error', why, fix: 'make it executable' },
      'suspect-launch': { severity: 'warning', why, fix: 'correct the path of the script' },
      'unknown-name': { severity: 'note', why: 'Its input has no field of that name.', fix: 'correct the name' },
    });
  },
};

export const unsupportedHookCheck: DoctorCheck = {
  id: 'not-supported',
  title: 'hooks that cannot run here',
  about:
    'A hook of type plugin or runtime without a function, as in every file; a hook of type http with an invalid or forbidden address. See reasons.md.',
  examine: (hook) => {
    const why = describeFailureConsequence(hook);
    return diagnoseFindings(hook, {
      'not-supported': { severity: 'error', why, fix: 'use a command' },
      'blocked-address': { severity: 'error', why, fix: 'use an address that hooks may reach' },
      'http-error': { severity: 'error', why, fix: 'correct the url' },
    });
  },
};

export const duplicateHookCheck: DoctorCheck = {
  id: 'duplicate',
  title: 'hooks that are configured twice',
  about:
    'Of two hooks that do the same, only one runs: that of the most trusted source, or the first of one source. Usually one file was copied from the other.',
  examine: (hook, { hooks, tools }) => {
    const { row, config } = hook;
    const wouldRun = row.planned === 'run' || row.reason === 'duplicate';
    if (config === undefined || !wouldRun) return [];
    const key = createDuplicateKey(config);
    const first = hooks
      .slice(0, hooks.indexOf(hook))
      .filter(
        ({ row: other, config: its }) =>
          its !== undefined && other.eventName === row.eventName && createDuplicateKey(its) === key,
      )
      .find((other) => matchersOverlap(row.eventName, [other.row.matcher, row.matcher], tools));
    if (first === undefined) return [];
    const place = first.row.source.file === undefined ? '' : ` (${first.row.source.file}:${first.row.source.line})`;
    return {
      severity: 'warning',
      what: `it is the same as ${first.row.hookId}${place}`,
      why: 'If both match, only one runs: the more trusted, else the first.',
      fix: 'remove one of the two',
    };
  },
};

const matchersOverlap = (
  eventName: string,
  [one, other]: readonly [string | undefined, string | undefined],
  { names }: KnownTools,
): boolean => {
  const subject = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  if (subject === undefined || !isHookEventName(eventName) || one?.trim() === other?.trim()) return true;
  const [first, second] = [one, other].map((matcher) => compileMatcher(matcher, subject.compare, matchRegex));
  if (first?.kind === 'everything' || second?.kind === 'everything') return true;
  const named = [one, other].flatMap((matcher) => (matcher ?? '').split('|'));
  const subjects = subject.from === 'toolName' ? names : (subject.words ?? named);
  return subjects.some((text) => {
    const matches = [first?.test(text), second?.test(text)];
    return matches.includes('timeout') || !matches.includes(false);
  });
};
