import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteCollector } from '../../../src/runners/process/byte-collector.ts';

test('keeps what was added, in order, up to its limit, and says when that was not all', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 })), fc.nat(500), (chunks, limit) => {
      const collector = new ByteCollector(limit);
      let given = 0;
      for (const chunk of chunks) {
        given += chunk.length;
        expect(collector.add(Buffer.from(chunk))).toBe(given <= limit);
      }
      const all = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
      expect(Buffer.from(collector.bytes()).equals(all.subarray(0, limit))).toBe(true);
    }),
  );
});

test('a million single bytes take no more memory than they are', () => {
  const collector = new ByteCollector(1_000_000);
  const byte = Buffer.of(120);
  for (let count = 0; count < 1_000_000; count += 1) collector.add(byte);
  expect(collector.bytes().buffer.byteLength).toBeLessThan(2_100_000);
});
