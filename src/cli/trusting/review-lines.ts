/** Renders hooks for the review of `trust`. */
import { escapeUnprintable, isRecord, parseJson } from '../../kit/index.ts';
import type { ReviewedHook, TrustDifference } from '../../trust/index.ts';
import type { ScriptText } from '../../trust/internal.ts';
import type { Page } from '../rendering/layout.ts';
import { locationText, problemsNote } from '../rendering/problem-lines.ts';
import { labelledEntry } from '../rendering/row-lines.ts';
import { type Style, styled, type Text, type TextLine } from '../rendering/text.ts';
import { diffLines, lineDiff } from '../settings-edit/change-lines.ts';
import type { GoneHookUnderReview, HookUnderReview } from './collect-review.ts';

const isTricky = (text: string): boolean => /[\p{Cc}\p{Cf}"\\]|^\s|\s$|\s{3}|^$/u.test(text);

const formatValue = (value: unknown): string =>
  typeof value === 'string' && !isTricky(value) ? value : JSON.stringify(value ?? null);

export const statusStyles: Readonly<Record<ReviewedHook['status'], Style>> = {
  approved: 'green',
  new: 'yellow',
  changed: 'red',
};

/** The matcher of an ability hook has several fields, so it is a JSON object. */
const isDeclared = (matcher: unknown): matcher is string => typeof matcher === 'string' && matcher.startsWith('{');

const declaredMembers = (matcher: unknown): [string, unknown][] => {
  const read = isDeclared(matcher) ? parseJson(matcher) : undefined;
  return read?.ok === true && isRecord(read.value) ? Object.entries(read.value) : [];
};

const headLine = ({ name, status, entry: { event, matcher, sequential } }: ReviewedHook): TextLine => [
  '  ',
  styled(statusStyles[status], status),
  ' ',
  styled('bold', formatValue(name)),
  event === undefined ? '' : ` on ${formatValue(event)}`,
  matcher === undefined || matcher === '' || isDeclared(matcher) ? '' : `, matcher ${formatValue(matcher)}`,
  sequential === true ? ', one after the other' : '',
];

const membersOf = ({ entry: content }: ReviewedHook): [string, unknown][] => {
  const own = isRecord(content.hook) ? content.hook : {};
  const members = [...Object.entries(own), ...declaredMembers(content.matcher)];
  return members.filter(([key]) => key !== 'name' && key !== 'type' && key !== 'secrets');
};

const placesText = ({ file, line, source, entry: { source: kind } }: ReviewedHook, page: Page): Text => {
  const place = locationText({ file, line }, page.cwd);
  const who = source?.extension === undefined ? formatValue(kind ?? 'project') : `extension ${source.extension}`;
  return place === undefined ? [] : labelledEntry('from', `${place} (${who})`, page);
};

const secretsText = ({ secrets = [] }: ReviewedHook, page: Page): Text =>
  secrets.flatMap(({ name, isAllowed }) =>
    isAllowed
      ? labelledEntry('secret', `${formatValue(name)}, which it may see`, page)
      : labelledEntry('secret', `asks for ${formatValue(name)}; it sees that only if you allow it`, page, 'red'),
  );

const coverageText = ({ script }: ReviewedHook, page: Page): Text => [
  ...script.files
    .filter(({ state }) => state === 'covered')
    .flatMap(({ path }) => labelledEntry('covers', `${path}, as it is now`, page)),
  ...script.notes.flatMap((note) => labelledEntry('note', note, page, 'yellow')),
];

const isHash = (value: unknown): boolean => typeof value === 'string' && value.startsWith('sha256 ');

const differenceText = ({ what, before, after }: TrustDifference, scripts: readonly ScriptText[], page: Page): Text => {
  if (isHash(before) && after === `${before}, not executable`)
    return labelledEntry('', `${what} lost its execute permission: chmod +x ${what}`, page, 'red');
  if (isHash(before) && isHash(after)) {
    const script = scripts.find(({ path }) => path === what);
    return scriptDifference(what, script, page);
  }
  return [
    ...labelledEntry('', what, page),
    ...(before === undefined ? [] : labelledEntry('', `- ${formatValue(before)}`, page, 'red')),
    ...(after === undefined ? [] : labelledEntry('', `+ ${formatValue(after)}`, page, 'green')),
  ];
};

const differencesText = ({ differences = [], previous, scripts = [] }: HookUnderReview, page: Page): Text =>
  previous === undefined
    ? []
    : [
        ...labelledEntry('approved', `an earlier version, on ${previous.approvedAt.slice(0, 10)}; since then:`, page),
        ...differences.flatMap((difference) => differenceText(difference, scripts, page)),
      ];

export const hookReviewText = (hook: HookUnderReview, page: Page): Text => [
  headLine(hook),
  ...placesText(hook, page),
  ...membersOf(hook).flatMap(([key, value]) => labelledEntry(key, formatValue(value), page)),
  ...secretsText(hook, page),
  ...differencesText(hook, page),
  ...coverageText(hook, page),
  ...(hook.notes ?? []).flatMap((note) => labelledEntry('mind', note, page, 'red')),
];

export const goneHooksText = (gone: readonly GoneHookUnderReview[], page: Page): Text =>
  gone.flatMap(({ name, approvedAt, unreadable, problems = [] }): Text => {
    const status = unreadable ? styled('red', 'unreadable') : styled('dim', 'gone');
    const what = unreadable ? '; its file cannot be read now' : ', and no longer there';
    return [
      ['  ', status, ' ', styled('bold', formatValue(name))],
      ...labelledEntry('approved', `on ${approvedAt.slice(0, 10)}${what}`, page),
      ...problemsNote(problems, page),
    ];
  });

const scriptDifference = (path: string, script: ScriptText | undefined, page: Page): Text => {
  const changed = labelledEntry('', `${path} has changed`, page, 'red');
  if (script?.text === undefined) return changed;
  if (script.before === undefined) {
    return [
      ...changed,
      ...labelledEntry('', 'the approved version was not kept; review the whole file', page, 'yellow'),
    ];
  }
  const diff = lineDiff(script.before, script.text);
  const differs = diff.some(({ kind }) => kind !== 'same');
  return differs
    ? [...changed, ...diffLines(diff)]
    : [...changed, ...labelledEntry('', 'only its line endings differ', page)];
};

const numberLines = (text: string): Text => {
  const lines = text.replace(/\n$/, '').split('\n');
  const width = String(lines.length).length;
  return lines.map(
    (line, index): TextLine => [
      '    ',
      styled('dim', `${String(index + 1).padStart(width)} │ `),
      line.replaceAll('\t', '  '),
    ],
  );
};

const scriptText = ({ path, text }: ScriptText): Text => [
  ['  ', styled('bold', path)],
  ...(text === undefined
    ? [['    ', styled('yellow', 'cannot be shown: it is missing, not text, too large, or changed since the review')]]
    : numberLines(text)),
];

export const fullReviewText = ({ entry: content }: HookUnderReview, scripts: readonly ScriptText[]): Text => [
  '',
  ['  ', styled('bold', 'the entry')],
  ...escapeUnprintable(JSON.stringify(content, undefined, 2))
    .split('\n')
    .map((line): TextLine => ['    ', line]),
  ...scripts.flatMap(scriptText),
  ...(scripts.length === 0 ? ['  no file of the project is named'] : []),
  '',
];
