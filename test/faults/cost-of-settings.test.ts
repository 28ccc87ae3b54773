import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../src/kit/index.ts';
import { createPlace, OWN } from '../settings/support.ts';
import { buildHost } from '../support/hosts.ts';

/** Of a processor, which a busy machine shares among others: what breaks the promise of a second breaks this by far. */
const MAX_CPU_MS = 2_000;
const MAX_BYTES = 100 * 2 ** 20;

const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const hooks = (count: number, hook: (index: number) => object): string =>
  JSON.stringify({ hooks: { BeforeTool: [{ hooks: numbered(count, hook) }] } });

const settings: Readonly<Record<string, string>> = {
  'a hundred thousand hooks': `{"hooks":{"BeforeTool":[{"hooks":[${'{"command":"x"},'.repeat(60_000)}{}]}]}}`,
  'long commands': hooks(500, (index) => ({ name: `hook-${index}`, command: 'x'.repeat(1_900) })),
  'thousands of unknown names beside hundreds of similar ones': JSON.stringify({
    hooksConfig: { disabled: numbered(4_000, (index) => `similar-name-of-a-hook-${index}`) },
    hooks: {
      BeforeTool: [{ hooks: numbered(480, (index) => ({ name: `similar-name-of-hooks-${index}`, command: 'x' })) }],
    },
  }),
  'env -S two hundred times in each of hundreds of lines': hooks(480, (index) => ({
    command: `env -S ${"'env -S ".repeat(200)}./x${index}`,
  })),
  'hundreds of quotes in each of a hundred lines': hooks(120, (index) => ({
    command: `"a b=c,d:e '`.repeat(600) + index,
  })),
};

interface Cost {
  readonly ms: number;
  readonly bytes: number;
}

describe.skipIf(process.platform === 'win32')('R820 a settings file of at most 1 MiB', () => {
  let host: string;
  let least: Cost;

  const costOf = async (text: string): Promise<Cost> => {
    const { project, home, write } = createPlace();
    write(OWN, text);
    const { stdout } = await promisify(execFile)(process.execPath, [host, project, home]);
    const read: unknown = JSON.parse(stdout);
    if (!isRecord(read)) throw new Error(stdout);
    return { ms: Number(read.ms), bytes: Number(read.maxRssKb) * 1_024 };
  };

  beforeAll(async () => {
    host = await buildHost('loads');
  });

  test.each(Object.entries(settings))(
    'with %s costs at most a second and 100 MB to load, to explain and to review',
    { retry: 2, timeout: 30_000 },
    async (_what, text) => {
      least ??= await costOf('{}');
      const { ms, bytes } = await costOf(text);
      expect(ms).toBeLessThan(MAX_CPU_MS);
      expect(bytes - least.bytes).toBeLessThan(MAX_BYTES);
    },
  );
});
