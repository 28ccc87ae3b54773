import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeInput } from '../../../src/runners/process/run-process.ts';

/** Takes one piece a turn and notes the most it was ever asked to keep. */
class SlowReader extends Writable {
  readonly pieces: Buffer[] = [];
  mostKept = 0;

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.mostKept = Math.max(this.mostKept, this.writableLength);
    this.pieces.push(piece);
    setImmediate(done);
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

const fed = async (text: string): Promise<SlowReader> => {
  const reader = new SlowReader();
  writeInput(reader, text);
  while (!reader.writableFinished) await nextTurn();
  return reader;
};

test('any text arrives whole, characters that fall on the edge of a piece included', async () => {
  const text = fc
    .tuple(fc.nat(70_000), fc.string({ unit: 'grapheme' }), fc.nat(150_000))
    .map(([before, middle, after]) => `${'x'.repeat(before)}😀${middle}${'😀'.repeat(after)}`);
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      expect((await fed(given)).text === given).toBe(true);
    }),
    { numRuns: 20 },
  );
  expect((await fed('')).text).toBe('');
});

test('P6 of a large text only a piece is kept by the stream', async () => {
  const { mostKept } = await fed('x'.repeat(10_000_000));
  expect(mostKept).toBeLessThanOrEqual(65_536);
});
