import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeUnprintable, printable, toOneLine } from '../../src/kit/index.ts';
import { createPartLogger, type Logger } from '../../src/protocol/index.ts';
import { ownNow } from '../support/own-clock.ts';

const ESC = '\u001b';
const anything = fc.string({ unit: 'binary', maxLength: 200 });
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.constantFrom(
        `${ESC}[31m`,
        `${ESC}]52;c;aGk=\u0007`,
        `${ESC}P1$r${ESC}\\`,
        '\u009b2J',
        '\r',
        '\u202e',
        '\u200b',
      ),
      fc.constantFrom('\u{e0041}', '\u2066', '\ufeff', '\u0000', '\u007f', '\u0085', '\u2028', '\ud800', '\n', '\t'),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));
const texts = fc.oneof(anything, hostile);

/** Told apart from the library: everything a terminal or an eye could be deceived by. */
const forbidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|\u034f/u;
const visible = fc.string({ unit: 'grapheme' }).filter((text) => !forbidden.test(text) && !/\p{Cs}/u.test(text));

describe('F66 a text made printable', () => {
  test('F66 has nothing a terminal would act on', () => {
    fc.assert(fc.property(texts, (text) => !forbidden.test(printable(text)) && !/\p{Cs}/u.test(printable(text))));
  });

  test('F66 has no line breaks but those that were asked for, and no others then', () => {
    fc.assert(fc.property(texts, (text) => !forbidden.test(printable(text, 'lines').replace(/[\n\t]/g, ''))));
    expect(printable('a\r\nb\n\tc', 'lines')).toBe('a\nb\n\tc');
    expect(printable('a\rb', 'lines')).toBe('a\ufffdb');
    fc.assert(fc.property(texts, (text) => !forbidden.test(toOneLine(text))));
    expect(toOneLine('a\r\n  b\tc')).toBe('a b c');
  });

  test('F66 is on one line in no time, however many blanks it has', () => {
    const started = ownNow();
    expect(toOneLine(`a${' '.repeat(1_000_000)}b`)).toHaveLength(1_000_002);
    expect(ownNow() - started).toBeLessThan(500);
  });

  test('is the same when made printable again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(printable(printable(text))).toBe(printable(text));
        expect(printable(printable(text, 'lines'), 'lines')).toBe(printable(text, 'lines'));
        expect(toOneLine(toOneLine(text))).toBe(toOneLine(text));
      }),
    );
  });

  test('is unchanged when everything in it can be seen, in any script', () => {
    fc.assert(fc.property(visible, (text) => printable(text) === text));
    const samples = ['naïve → ✓', '日本語', 'مرحبا', 'עברית', '😀 ☎️', 'हिन्दी', '\\x1b[31m'];
    for (const sample of samples) expect(printable(sample)).toBe(sample);
  });

  test.each([
    ['a colour', `${ESC}[31mred${ESC}[0m`, '�[31mred�[0m'],
    ['the clipboard (OSC 52)', `${ESC}]52;c;aGk=\u0007`, '�]52;c;aGk=�'],
    ['a device control string', `${ESC}P+q544e${ESC}\\`, '�P+q544e�\\'],
    ['a C1 sequence', '\u009b2J', '�2J'],
    ['a line written over', 'safe\rrm -rf', 'safe�rm -rf'],
    ['a bell and a backspace', 'a\u0007b\u0008c', 'a�b�c'],
    ['a turned direction', 'abc\u202etxt.exe', 'abc�txt.exe'],
    ['a name within a name', 'pay\u200bpal', 'pay�pal'],
    ['a text spelt in tags', `ok${'\u{e0068}\u{e0069}'}`, 'ok��'],
  ])('F66 shows %s instead of obeying it', (_what, text, shown) => expect(printable(text)).toBe(shown));

  test('takes time in proportion to its length', () => {
    const startedAt = ownNow();
    printable(`${ESC}]`.repeat(1_000_000), 'lines');
    expect(ownNow() - startedAt).toBeLessThan(2_000);
  });
});

test('F66 what goes to a logger is one line without control characters', () => {
  const lines: string[] = [];
  const logger: Logger = { warn: (line) => lines.push(line) };
  createPartLogger(logger, 'runner')?.warn?.(`hook said: ${ESC}[2Jgone\n2026-01-01 ERROR forged\r`);
  expect(lines).toEqual(['[hookwright:runner] hook said: �[2Jgone 2026-01-01 ERROR forged ']);
});

test('R680 a text of JSON means the same when what cannot be seen in it is escaped', () => {
  const value = { 'a\u202eb': 'x\u200by\u{e0041}\u2028\u00ad\u0085\ufeff', c: ['\n\t', '𝄞 ok'] };
  for (const json of [JSON.stringify(value), JSON.stringify(value, undefined, 2)]) {
    const visible = escapeUnprintable(json);
    expect(JSON.parse(visible)).toEqual(value);
    expect(visible).not.toMatch(
      /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u,
    );
  }
});
