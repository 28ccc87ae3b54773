/** Renders hooks for the review of `trust`. */
import { escapeUnprintable, isRecord, parseJson } from '../../kit/index.ts';
import type { ReviewedHook, TrustDifference } from '../../trust/index.ts';
import type { ScriptText } from '../../trust/internal.ts';
import type { Page } from '../rendering/layout.ts';
import { formatLocation, formatProblemsNote } from '../rendering/problem-lines.ts';
import { formatLabelledEntry } from '../rendering/row-lines.ts';
import { createSpan, type Style, type Text, type TextLine } from '../rendering/text.ts';
import { diffTexts, formatDiffLines } from '../settings-edit/change-lines.ts';
import type { GoneHookUnderReview, HookUnderReview } from './collect-review.ts';

const needsQuotes = (text: string): boolean => /[\p{Cc}\p{Cf}"\\]|^\s|\s$|\s{3}|^$/u.test(text);

const formatValue = (value: unknown): string =>
  typeof value === 'string' && !needsQuotes(value) ? value : JSON.stringify(value ?? null);

export const statusStyles: Readonly<Record<ReviewedHook['status'], Style>> = {
  approved: 'green',
  new: 'yellow',
  changed: 'red',
};

/** The matcher of an ability hook has several fields, so it is written as a JSON object. */
const isJsonText = (matcher: unknown): matcher is string => typeof matcher === 'string' && matcher.startsWith('{');

const listAbilityMatcherMembers = (matcher: unknown): [string, unknown][] => {
  const read = isJsonText(matcher) ? parseJson(matcher) : undefined;
  return read?.ok === true && isRecord(read.value) ? Object.entries(read.value) : [];
};

const formatHeadLine = ({ name, status, entry: { event, matcher, sequential } }: ReviewedHook): TextLine => [
  '  ',
  createSpan(statusStyles[status], status),
  ' ',
  createSpan('bold', formatValue(name)),
  event === undefined ? '' : ` on ${formatValue(event)}`,
  matcher === undefined || matcher === '' || isJsonText(matcher) ? '' : `, matcher ${formatValue(matcher)}`,
  sequential === true ? ', one after the other' : '',
];

const listEntryMembers = ({ entry: content }: ReviewedHook): [string, unknown][] => {
  const own = isRecord(content.hook) ? content.hook : {};
  const members = [...Object.entries(own), ...listAbilityMatcherMembers(content.matcher)];
  return members.filter(([key]) => key !== 'name' && key !== 'type' && key !== 'secrets');
};

const formatOrigin = ({ file, line, source, entry: { source: kind } }: ReviewedHook, page: Page): Text => {
  const place = formatLocation({ file, line }, page.cwd);
  const who = source?.extension === undefined ? formatValue(kind ?? 'project') : `extension ${source.extension}`;
  return formatLabelledEntry('from', place && `${place} (${who})`, page);
};

const formatSecrets = ({ secrets = [] }: ReviewedHook, page: Page): Text =>
  secrets.flatMap(({ name, isAllowed }) =>
    isAllowed
      ? formatLabelledEntry('secret', `${formatValue(name)}, which it may see`, page)
      : formatLabelledEntry('secret', `asks for ${formatValue(name)}; it sees that only if you allow it`, page, 'red'),
  );

const formatCoverage = ({ script }: ReviewedHook, page: Page): Text => [
  ...script.files
    .filter(({ state }) => state === 'covered')
    .flatMap(({ path }) => formatLabelledEntry('covers', `${path}, as it is now`, page)),
  ...script.notes.flatMap((note) => formatLabelledEntry('note', note, page, 'yellow')),
];

const isHash = (value: unknown): boolean => typeof value === 'string' && value.startsWith('sha256 ');

const formatDifference = (
  { what, before, after }: TrustDifference,
  scripts: readonly ScriptText[],
  page: Page,
): Text => {
  if (isHash(before) && after === `${before}, not executable`)
    return formatLabelledEntry('', `${what} lost its execute permission: chmod +x ${what}`, page, 'red');
  if (isHash(before) && isHash(after)) {
    const script = scripts.find(({ path }) => path === what);
    return formatScriptDifference(what, script, page);
  }
  return [
    ...formatLabelledEntry('', what, page),
    ...(before === undefined ? [] : formatLabelledEntry('', `- ${formatValue(before)}`, page, 'red')),
    ...(after === undefined ? [] : formatLabelledEntry('', `+ ${formatValue(after)}`, page, 'green')),
  ];
};

const formatDifferences = ({ differences = [], previous, scripts = [] }: HookUnderReview, page: Page): Text =>
  previous === undefined
    ? []
    : [
        ...formatLabelledEntry(
          'approved',
          `an earlier version, on ${previous.approvedAt.slice(0, 10)}; since then:`,
          page,
        ),
        ...differences.flatMap((difference) => formatDifference(difference, scripts, page)),
      ];

export const formatHookReview = (hook: HookUnderReview, page: Page): Text => [
  formatHeadLine(hook),
  ...formatOrigin(hook, page),
  ...listEntryMembers(hook).flatMap(([key, value]) => formatLabelledEntry(key, formatValue(value), page)),
  ...formatSecrets(hook, page),
  ...formatDifferences(hook, page),
  ...formatCoverage(hook, page),
  ...(hook.notes ?? []).flatMap((note) => formatLabelledEntry('mind', note, page, 'red')),
];

export const formatGoneHooks = (gone: readonly GoneHookUnderReview[], page: Page): Text =>
  gone.flatMap(({ name, approvedAt, unreadable, problems = [] }): Text => {
    const status = unreadable ? createSpan('red', 'unreadable') : createSpan('dim', 'gone');
    const what = unreadable ? '; its file cannot be read now' : ', and no longer there';
    return [
      ['  ', status, ' ', createSpan('bold', formatValue(name))],
      ...formatLabelledEntry('approved', `on ${approvedAt.slice(0, 10)}${what}`, page),
      ...formatProblemsNote(problems, page),
    ];
  });

const formatScriptDifference = (path: string, script: ScriptText | undefined, page: Page): Text => {
  const changed = formatLabelledEntry('', `${path} has changed`, page, 'red');
  if (script?.text === undefined) return changed;
  if (script.before === undefined) {
    return [
      ...changed,
      ...formatLabelledEntry('', 'the approved version was not kept; review the whole file', page, 'yellow'),
    ];
  }
  const diff = diffTexts(script.before, script.text);
  const differs = diff.some(({ kind }) => kind !== 'same');
  return differs
    ? [...changed, ...formatDiffLines(diff)]
    : [...changed, ...formatLabelledEntry('', 'only its line endings differ', page)];
};

const formatNumberedLines = (text: string): Text => {
  const lines = text.replace(/\n$/, '').split('\n');
  const width = String(lines.length).length;
  return lines.map(
    (line, index): TextLine => [
      '    ',
      createSpan('dim', `${String(index + 1).padStart(width)} │ `),
      line.replaceAll('\t', '  '),
    ],
  );
};

const formatScript = ({ path, text }: ScriptText): Text => [
  ['  ', createSpan('bold', path)],
  ...(text === undefined
    ? [
        [
          '    ',
          createSpan('yellow', 'cannot be shown: it is missing, not text, too large, or changed since the review'),
        ],
      ]
    : formatNumberedLines(text)),
];

export const formatFullReview = ({ entry: content }: HookUnderReview, scripts: readonly ScriptText[]): Text => [
  '',
  ['  ', createSpan('bold', 'the entry')],
  ...escapeUnprintable(JSON.stringify(content, undefined, 2))
    .split('\n')
    .map((line): TextLine => ['    ', line]),
  ...scripts.flatMap(formatScript),
  ...(scripts.length === 0 ? ['  no file of the project is named'] : []),
  '',
];
