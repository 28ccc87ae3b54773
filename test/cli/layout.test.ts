import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatParagraph, renderTable } from '../../src/cli/rendering/layout.ts';
import { describeDroppedMessages } from '../../src/cli/rendering/message-lines.ts';
import { formatProblemsNote } from '../../src/cli/rendering/problem-lines.ts';
import { createSpan, measureWidth, toTerminal, truncate, truncateStart, wrap } from '../../src/cli/rendering/text.ts';
import { createScreen } from '../../src/cli/terminal/screen.ts';
import { toOneLine as oneLine } from '../../src/kit/index.ts';

const columns = [{ title: 'hook', min: 6 }, { title: 'path', min: 6, keepEnd: true }, { title: 'status' }];
const linesOf = (text: Parameters<typeof toTerminal>[0]): string[] => toTerminal(text, false).trimEnd().split('\n');

describe('the width of a text', () => {
  test.each([
    ['plain', 5],
    ['日本語', 6],
    ['e\u0301tude', 5],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['', 0],
  ])('of %j is %i columns', (text, width) => {
    expect(measureWidth(text)).toBe(width);
  });

  test('what is cut off is marked, and nothing becomes wider than asked for', () => {
    expect(truncate('a rather long name', 8)).toBe('a rathe…');
    expect(truncateStart('/home/me/settings.json:7', 12)).toBe('…ings.json:7');
  });

  test('no text is cut to more columns than there are, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(measureWidth(truncate(text, width))).toBeLessThanOrEqual(width);
        expect(measureWidth(truncateStart(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test('breaking a text into lines loses no word', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-zé日]{1,12}$/)), fc.integer({ min: 8, max: 40 }), (words, width) => {
        const lines = wrap(words.join(' '), width);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
        for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('a table', () => {
  const rows = [
    ['a-hook-with-a-long-name-that-goes-on-and-on', '/home/someone/work/.hookwright/settings.json:7', 'ready'],
    ['日本語の名前のとても長いフック', 'x', createSpan('red', 'untrusted')],
  ];

  test('is as wide as it has to be where there is room', () => {
    expect(linesOf(renderTable(columns, rows, Number.POSITIVE_INFINITY)).join('\n')).not.toContain('…');
  });

  test.each([60, 70, 80])('fits %i columns, and says all of what is short', (width) => {
    const lines = linesOf(renderTable(columns, rows, width));
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/settings\.json:7 +ready$/);
  });

  test('becomes a few lines for each row below 60 columns', () => {
    const lines = linesOf(renderTable(columns, rows, 40));
    for (const line of lines) expect(measureWidth(line)).toBeLessThanOrEqual(40);
    expect(lines).toContain('status  ready');
    expect(lines).toContain('');
  });
});

describe('what a hook or a file says', () => {
  const hostile = 'a\u001b[31mred\u001b]0;title\u0007\r\n\tb\u202e\u009b2Jc';

  test('reaches a terminal without anything that it would act on', () => {
    for (const colours of [true, false]) {
      const shown = toTerminal([hostile, [createSpan('bold', hostile)], ...formatParagraph(hostile, 80)], colours);
      // Our own colours are all that is left of escapes.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
      expect(shown.replace(/\u001b\[(?:1|22)m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
  });

  test('stays on one line', () => {
    expect(oneLine('two\n  lines\tand a tab')).toBe('two lines and a tab');
  });
});

describe('the screen', () => {
  const terminal = { isTTY: true, columns: 120 };

  test('has colours only on a terminal, and as NO_COLOR and FORCE_COLOR say', () => {
    expect(createScreen(terminal, {}).colours).toBe(true);
    expect(createScreen({}, {}).colours).toBe(false);
    expect(createScreen(terminal, { NO_COLOR: '1' }).colours).toBe(false);
    expect(createScreen(terminal, { NO_COLOR: '' }).colours).toBe(true);
    expect(createScreen({}, { FORCE_COLOR: '1' }).colours).toBe(true);
    expect(createScreen(terminal, { FORCE_COLOR: '0' }).colours).toBe(false);
    expect(createScreen(terminal, { TERM: 'dumb' }).colours).toBe(false);
  });

  test('is as wide as the terminal, as COLUMNS says elsewhere, and otherwise without end', () => {
    expect(createScreen(terminal, { COLUMNS: '70' }).width).toBe(120);
    expect(createScreen({ isTTY: true }, {}).width).toBe(80);
    expect(createScreen({}, { COLUMNS: '70' }).width).toBe(70);
    expect(createScreen({}, { COLUMNS: 'wide' }).width).toBe(Number.POSITIVE_INFINITY);
  });
});

test('R1422 up to three problems are printed with place and fix, errors first', () => {
  const problem = (message: string, severity: 'error' | 'warning') =>
    ({ severity, message, hint: `mend ${message}`, file: '/here/settings.json', line: 3 }) as const;
  const all = [
    problem('one', 'warning'),
    problem('two', 'warning'),
    problem('three', 'error'),
    problem('four', 'warning'),
  ];
  expect(linesOf(formatProblemsNote(all, { width: 80, cwd: '/here' }))).toEqual([
    'error settings.json:3',
    '  three',
    '  → mend three',
    'warning settings.json:3',
    '  one',
    '  → mend one',
    'warning settings.json:3',
    '  two',
    '  → mend two',
    '1 more problem: hookwright doctor',
  ]);
  expect(formatProblemsNote([], { width: 80, cwd: '/here' })).toEqual([]);
});

test('the report of dropped messages has the right grammar for one message and for several', () => {
  expect(describeDroppedMessages(1)).toBe('1 message was dropped because it came too fast');
  expect(describeDroppedMessages(2)).toBe('2 messages were dropped because they came too fast');
});
