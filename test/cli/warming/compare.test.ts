import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createProject } from '../hook-tests/support.ts';
import { runCommand, runForJson } from '../support/run-command.ts';

const value = z.optional(z.unknown());
const difference = z.object({ what: z.string(), cold: value, warm: value });

/** What `hookwright bench --warm --json` prints of a hook. */
const printedSchema = z.object({
  hooks: z.tuple([
    z.object({
      comparison: z.discriminatedUnion('state', [
        z.object({ state: z.literal('equal'), blocked: z.boolean() }),
        z.object({ state: z.literal('differs'), differences: z.array(difference) }),
        z.object({ state: z.literal('unsteady'), differences: z.array(difference) }),
        z.object({ state: z.literal('not-served'), why: z.string() }),
      ]),
    }),
  ]),
});

const compare = async (command: string) => {
  const { cwd } = createProject({ AfterTool: [{ hooks: [{ name: 'it', command }] }] });
  await runCommand(cwd, 'trust', '--yes');
  const { data } = await runForJson(cwd, 'bench', '--warm', 'it');
  return printedSchema.parse(data).hooks[0].comparison;
};

const whetherInputWaits = 'sleep 0.1; read -t 0 && waits=yes || waits=no; cat > /dev/null;';

// What differs here is when a process gets its input: on a busy machine that may be late once.
describe.skipIf(process.platform === 'win32')('a hook that is compared', { retry: 2, timeout: 20_000 }, () => {
  test('R798 that only reads and answers is equal', async () => {
    expect(await compare('cat > /dev/null; echo said >&2; exit 3')).toMatchObject({ state: 'equal', blocked: false });
  });

  test('R798 that denies is known as one that blocks', async () => {
    expect(await compare('cat > /dev/null; echo no >&2; exit 2')).toMatchObject({ state: 'equal', blocked: true });
  });

  test.each([
    ['answer', `${whetherInputWaits} echo "{\\"systemMessage\\": \\"$waits\\"}"`],
    ['stderr', `${whetherInputWaits} echo $waits >&2`],
    ['exit code', `${whetherInputWaits} test $waits = yes`],
  ])('R798 whose %s is another when it was started ahead differs, and both are told', async (what, command) => {
    const comparison = await compare(command);
    expect(comparison.state).toBe('differs');
    if (comparison.state !== 'differs') return;
    const told = comparison.differences.find((difference) => difference.what === what);
    expect(told?.cold).toBeDefined();
    expect(told?.cold).not.toEqual(told?.warm);
  });

  test('R798 that is another at each run is not said to differ when it is started ahead', async () => {
    expect(await compare('cat > /dev/null; date +%s%N >&2')).toMatchObject({ state: 'unsteady' });
  });

  test('R798 that acts before it reads is told by what it did', async () => {
    expect(await compare('echo early; cat > /dev/null')).toMatchObject({
      state: 'not-served',
      why: expect.stringContaining('wrote something'),
    });
  });
});
