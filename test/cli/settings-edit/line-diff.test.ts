import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffLine, diffTexts } from '../../../src/cli/settings-edit/change-lines.ts';

const shown = (diff: readonly DiffLine[]): string[] =>
  diff.map(({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`);

describe('the difference of two texts', () => {
  test('is shown with two lines around it', () => {
    const before = 'a\nb\nc\nd\ne\nf\n';
    expect(shown(diffTexts(before, before.replace('d', 'D')))).toEqual([' b', ' c', '-d', '+D', ' e', ' f']);
  });

  test('is nothing but new lines for a new file, and nothing for the same text', () => {
    expect(shown(diffTexts('', 'a\nb\n'))).toEqual(['+a', '+b']);
    expect(shown(diffTexts('a\nb\n', '')).filter((line) => !line.startsWith('-'))).toEqual([]);
    expect(diffTexts('a\r\nb', 'a\r\nb').filter(({ kind }) => kind !== 'same')).toEqual([]);
  });

  test('shows a carriage return that became the end of a line, and no line endings that are the same to their reader', () => {
    const hidden = '#!/bin/sh\n# note\rtouch x\n';
    expect(shown(diffTexts(hidden, hidden.replace('\r', '\n')))).toEqual([
      ' #!/bin/sh',
      '-# note\rtouch x',
      '+# note',
      '+touch x',
    ]);
    expect(shown(diffTexts('a\nb\n', 'a\r\nb\r\n'))).toEqual([' a', ' b']);
  });

  test('has all that is gone and all that is new, in order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, lines, lines, (start, gone, fresh, end) => {
        const old = [...start, ...gone, ...end];
        const now = [...start, ...fresh, ...end];
        const diff = diffTexts(old.join('\n'), now.join('\n'));
        const count = (kind: DiffLine['kind']): number => diff.filter((line) => line.kind === kind).length;
        expect(count('new') - count('gone')).toBe(now.length - old.length);
        expect(count('gone')).toBeLessThanOrEqual(gone.length);
        expect(count('new')).toBeLessThanOrEqual(fresh.length);
      }),
    );
  });
});
