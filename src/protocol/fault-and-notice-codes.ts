// The closed lists of fault codes and notice codes, on which programs can branch.

import { once } from '../kit/index.ts';
import { type SkipReason, skipReasons } from './skip-reasons.ts';

export const faultCodes = [
  'spawn-failed',
  'timeout',
  'deadline',
  'cancelled',
  'killed-by-signal',
  'exit-code',
  'output-too-large',
  'malformed-output',
  'threw',
  'matcher-timeout',
  'not-supported',
  'overloaded',
  'worker-crashed',
  'worker-unavailable',
  'http-error',
  'blocked-address',
  'changed-since-trusted',
  'invalid-config',
  'untrusted',
  'canary-failed',
] as const;

export type FaultCode = (typeof faultCodes)[number];

export const noticeMeanings = {
  noise: 'there is text beside the JSON document of an answer',
  'several-documents': 'more than one JSON document was printed',
  'invalid-encoding': 'bytes are not UTF-8',
  'acts-early': 'a warm hook did something before it had read its input',
  overruled: 'an answer says something that the exit code contradicts',
  misconfiguration: 'an answer uses a value or a field incorrectly',
  'set-aside': 'an answer, or a part of it, was ignored because of how the hook ended',
  'wrong-depth': 'a verdict counts although it is in the wrong place',
  dialect: 'the agent that a hook was written for ignores something, or is less strict than hookwright',
  'other-event': 'an answer names another event than the one that was fired',
  conflict: 'parallel hooks change one field to different values, and the host wants that denied',
  'over-budget': 'the hooks of an event took longer than its budget, and this one much of it',
  'model-text-cut': 'what hooks said to the model was longer than the limit and was cut',
  'team-fault': 'a hook of the team failed',
  'held-pipe': 'a process in the background kept the output open',
  'escaped-process': 'a process left the group of the hook',
  'suspect-launch': 'the command may have failed to start',
  'refused-variables': 'variables of the environment were not set',
  'refused-headers': 'headers of a request were not sent',
  'withheld-variables': 'variables of the environment were kept from the hook',
  'executable-not-found': 'the program is not there',
  'not-executable': 'the program is not executable',
  'bad-script': 'the script could not be run as it is written',
  'invalid-condition': 'an `if` cannot be read',
  'invalid-matcher': 'a matcher is no regular expression',
  'unreadable-file': 'a file or folder cannot be read, or not as what it should be',
  'syntax-error': 'the text of a file does not parse',
  'duplicate-key': 'a key stands twice in an object',
  'duplicate-name': 'two things have one name, or one id',
  'unknown-key': 'a key that nothing reads',
  'unknown-name': 'a name that nothing has',
  'invalid-value': 'a value of the wrong form',
  'no-effect': 'something that has no effect where it is written',
  renamed: 'something that is read under an older name',
  'required-guard-missing': 'a guard that is required would not run',
  'unhooked-tool': 'a tool whose calls no hook sees',
  'limit-reached': 'more than the limit',
  'awaiting-approval': 'hooks that wait for approval',
  'not-loaded': 'a guard that was added or enabled after the hooks were loaded, or settings that were not read',
  removed: 'something that was approved is no longer there',
  'switched-off': 'a guard that was approved was switched off without an approval',
  'reload-failed': 'settings changed and could not be read again',
  unanswered: 'a hook asked for confirmation, and there was no answer',
  other: 'only the message says what',
} as const;

export type NoticeCode = FaultCode | SkipReason | keyof typeof noticeMeanings;

const listNoticeCodes = once(
  (): ReadonlySet<unknown> => new Set([...faultCodes, ...Object.keys(skipReasons), ...Object.keys(noticeMeanings)]),
);

export const isNoticeCode = (value: unknown): value is NoticeCode => listNoticeCodes().has(value);
