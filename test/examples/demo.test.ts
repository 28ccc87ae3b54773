import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage, type Run, runNode } from './support.ts';

/** Runs the demo with a directory for temporary files of its own, and says what is left in there. */
const runDemo = async (env: NodeJS.ProcessEnv = {}): Promise<Run & { left: string[] }> => {
  const directory = temporaryFolder('examples');
  try {
    const run = await runNode('examples/demo.mjs', { env: { TMPDIR: directory, ...env } });
    return { ...run, left: readdirSync(directory) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const findCommand = (name: string): string | undefined => {
  const directory = (process.env.PATH ?? '').split(delimiter).find((one) => namesIn(one).includes(name));
  return directory === undefined ? undefined : join(directory, name);
};

/** Fills a directory that serves as PATH: with these commands, where there are any, and Node. */
const linkCommands = (directory: string, names: readonly string[]): void => {
  mkdirSync(directory);
  symlinkSync(process.execPath, join(directory, 'node'));
  for (const name of names) {
    const file = findCommand(name);
    if (file !== undefined) symlinkSync(file, join(directory, name));
  }
};

/** Says the parts in this order; columns and line breaks do not matter. */
const expectInOrder = (text: string, parts: readonly (string | RegExp)[]): void => {
  let rest = text.replace(/\s+/g, ' ');
  for (const part of parts) {
    const at = typeof part === 'string' ? rest.indexOf(part) : rest.search(part);
    expect(at, `"${part}" should be in: ${rest}`).toBeGreaterThan(-1);
    rest = rest.slice(at + 1);
  }
};

describe.skipIf(process.platform === 'win32')('the demo', () => {
  let run: Awaited<ReturnType<typeof runDemo>>;

  beforeAll(async () => {
    buildPackage();
    run = await runDemo();
  }, 90_000);

  test('runs to its end, complains about nothing and leaves nothing behind', () => {
    expect(run).toMatchObject({ code: 0, stderr: '', left: [] });
  });

  test('tells the session in order', () => {
    expectInOrder(run.stdout, [
      'SessionStart project-notes context: Greetings are written in full.',
      'Turn 1',
      'BeforeModel model-budget change: temperature = 0',
      'model temperature 0 "I will look at the file first."',
      'BeforeTool allow-reads allow: reading changes nothing',
      'secrets no opinion',
      "tool read_file ran: // Says hello. / console.log('Helo, world');",
      'Turn 2',
      'allow-reads allow',
      'secrets deny: .env holds secrets',
      'did not run: Tool call blocked by hook: .env holds secrets',
      'Turn 3',
      'ask-first ask: it can change files',
      'is asked about edit_file (it can change files) and says yes',
      'ran: replaced "Helo" by "Hello"',
      'Turn 4',
      'ask-first ask',
      'time-limit change: timeout_seconds = 10',
      'usage-report fault: exit-code 1',
      /slow-audit fault: timeout after \d+ ms/,
      'no-rm no opinion',
      'no-rm asked again: no opinion',
      'ran: Hello, world',
      'Turn 5',
      'no-rm deny: deleting recursively is for people, not for agents',
      'did not run: Tool call blocked by hook: deleting recursively is for people, not for agents',
      'Turn 6',
      'BeforeModel model-budget stop: five turns are enough for a demo',
      'agent ends its work: five turns are enough for a demo',
      'The observer, an extension that holds only the bus, has counted 29 requests, 29 responses;',
    ]);
  });

  test('ends with the trace of the blocked call, and what to try next', () => {
    const end = run.stdout.slice(run.stdout.indexOf('Why was'));
    const expected = readFileSync('examples/demo.expected.txt', 'utf8');
    expect(end.replace(/after \d{3} ms/, 'after 300 ms')).toBe(expected);
  });

  test('fits 80 columns and has no colours where there is no terminal', () => {
    expect(run.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(run.stdout).not.toContain('\x1b');
  });

  test('runs a hook in python3', ({ skip }) => {
    if (findCommand('python3') === undefined) skip('python3 was not found');
    expectInOrder(run.stdout, ['AfterTool line-count context: greeting.mjs now has 2 lines.']);
  });

  test('says so when python3 is missing, and does without', { timeout: 30_000 }, async () => {
    const directory = temporaryFolder('path');
    try {
      const PATH = join(directory, 'bin');
      linkCommands(PATH, ['sh', 'bash', 'env', 'grep', 'sleep', 'rm', 'ls']);
      const { code, stdout, stderr } = await runDemo({ PATH });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expectInOrder(stdout, ['python3 was not found: line-count.py is left out', 'no-rm user deny:', 'Try next']);
      expect(stdout).not.toContain('AfterTool');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
