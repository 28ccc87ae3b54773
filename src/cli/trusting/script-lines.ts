import { visibleJson } from '../../kit/index.ts';
import type { ScriptText } from '../../trust/internal.ts';
import { entry, type Page } from '../rendering/row-lines.ts';
import { styled, type Text, type TextLine } from '../rendering/text.ts';
import { diffLines, lineDiff } from '../settings-edit/change-lines.ts';
import type { ShownHook } from './reviewed.ts';

/** What is another now in a script; where a text of it is not known, that it is. */
export const scriptDifference = (path: string, script: ScriptText | undefined, page: Page): Text => {
  const changed = entry('', `${path} has changed`, page, 'red');
  if (script?.text === undefined) return changed;
  if (script.before === undefined) {
    return [...changed, ...entry('', 'the approved version was not kept; review the whole file', page, 'yellow')];
  }
  const diff = lineDiff(script.before, script.text);
  const differs = diff.some(({ kind }) => kind !== 'same');
  return differs ? [...changed, ...diffLines(diff)] : [...changed, ...entry('', 'only its line endings differ', page)];
};

const numbered = (text: string): Text => {
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
    : numbered(text)),
];

/** All that would be approved: the entry as it is, and every line of the files that are hashed with it. */
export const wholeText = ({ entry: content }: ShownHook, scripts: readonly ScriptText[]): Text => [
  '',
  ['  ', styled('bold', 'the entry')],
  ...visibleJson(JSON.stringify(content, undefined, 2))
    .split('\n')
    .map((line): TextLine => ['    ', line]),
  ...scripts.flatMap(scriptText),
  ...(scripts.length === 0 ? ['  no file of the project is named'] : []),
  '',
];
