import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordedLine, RecordedLineSplitter } from '../../src/sessions/index.ts';

const split = (bytes: Buffer, sizes: readonly number[], maxBytes = 1_000): RecordedLine[] => {
  const splitter = new RecordedLineSplitter(maxBytes);
  const lines: RecordedLine[] = [];
  let at = 0;
  for (const size of sizes) {
    // One buffer for all pieces, as a file is read.
    const piece = Buffer.from(bytes.subarray(at, at + size));
    lines.push(...splitter.push(piece));
    piece.fill(0);
    at += size;
  }
  lines.push(...splitter.push(bytes.subarray(at)));
  const last = splitter.end();
  return last === undefined ? lines : [...lines, last];
};

const textsOf = (lines: readonly RecordedLine[]): (string | undefined)[] => lines.map(({ text }) => text);

test('lines are the same, in whatever pieces they come', () => {
  const text = fc.array(
    fc.string({ unit: 'binary' }).map((one) => one.replace(/[\r\n]/g, '')),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), (texts, sizes) => {
      const lines = split(Buffer.from(texts.join('\n').replace(/^\ufeff/, '')), sizes);
      const written = texts
        .join('\n')
        .replace(/^\ufeff/, '')
        .split('\n');
      if (written.at(-1) === '') written.pop();
      expect(textsOf(lines)).toEqual(written.map((one) => Buffer.from(one).toString()));
      expect(lines.map(({ number }) => number)).toEqual(written.map((_, index) => index + 1));
    }),
  );
});

test('the last line is incomplete without its line break, and only then', () => {
  expect(split(Buffer.from('a\nb'), []).map(({ isComplete }) => isComplete)).toEqual([true, false]);
  expect(split(Buffer.from('a\nb\n'), []).map(({ isComplete }) => isComplete)).toEqual([true, true]);
  expect(split(Buffer.from(''), [])).toEqual([]);
});

test('a line that is too long is counted, not kept, and ends where it ends', () => {
  const long = 'x'.repeat(1_001);
  for (const sizes of [[], [1], [500, 500], [1_002], Array.from({ length: 1_100 }, () => 1)]) {
    expect(textsOf(split(Buffer.from(`a\n${long}\nb\n${long}`), sizes))).toEqual(['a', undefined, 'b', undefined]);
  }
  expect(textsOf(split(Buffer.from(`${'y'.repeat(1_000)}\n`), [3]))).toEqual(['y'.repeat(1_000)]);
});

test('a byte order mark and carriage returns are no part of a line', () => {
  expect(textsOf(split(Buffer.from('\ufeffa\r\nb\ufeff\r\n\r\nc\r'), [2]))).toEqual(['a', 'b\ufeff', '', 'c']);
});
