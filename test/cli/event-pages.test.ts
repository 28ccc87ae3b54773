import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { catalogue, hookEventNames } from '../../src/events/index.ts';
import { createHooks } from '../../src/index.ts';
import { isRecord } from '../../src/kit/index.ts';
import { runNode } from '../examples/support.ts';
import { fn, groupOf } from '../support/engine.ts';
import { runForJson } from './support/run-command.ts';

/** The same with a value of another type for each field. */
const wrong = ({ properties }: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.keys(isRecord(properties) ? properties : {}).map((name) => [name, 7]));

test('R852 the pages of the documentation are those that the catalogue makes', async () => {
  const { code, stdout } = await runNode('scripts/generate-event-docs.mjs', { args: ['--check'] });
  expect([code, stdout]).toEqual([0, 'the pages of the events are up to date\n']);
});

const fields = z.array(z.looseObject({ name: z.string(), type: z.string(), words: z.string() }));
const pageSchema = z.object({ reads: fields, answers: fields, stdin: z.record(z.string(), z.unknown()) });

/** The page as `hookwright events <event> --json` prints it. */
const pageOf = async (eventName: string): Promise<z.infer<typeof pageSchema>> =>
  pageSchema.parse((await runForJson('.', 'events', eventName)).data);

describe.each(hookEventNames)('the page of %s', (eventName) => {
  test('R852 has words and an example for every field', async () => {
    const page = await pageOf(eventName);
    for (const field of [...page.reads, ...page.answers]) {
      expect(field.words, field.name).not.toBe('');
      expect(field.type, field.name).not.toBe('');
      expect(field, field.name).toHaveProperty('example');
    }
  });

  test('R852 shows exactly what a hook reads', async () => {
    const page = await pageOf(eventName);
    const seen: Record<string, unknown>[] = [];
    const hook = fn('reads', (input) => void seen.push({ ...input }));
    const engine = await createHooks({ hooks: { [eventName]: groupOf(hook) }, sessionId: 's1' });
    const read = catalogue[eventName].read(page.stdin);
    if (!read.ok) throw new Error(read.message);
    await engine.system.getEventHandler().fire(eventName, read.payload);
    const { cwd, timestamp, ...rest } = page.stdin;
    expect(seen).toEqual([{ ...rest, cwd: process.cwd(), timestamp: expect.any(String) }]);
  });

  test('R853 has a schema of its payload, which names its fields', async () => {
    const page = await pageOf(eventName);
    const { data } = await runForJson('.', 'events', '--schema', eventName);
    const schema = isRecord(data) ? data : {};
    expect(schema).toMatchObject({ title: eventName, type: 'object' });
    const accepts = new Ajv({ strict: false }).compile(schema);
    expect([accepts(page.stdin), accepts({}), accepts({ ...page.stdin, ...wrong(schema) })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test('the name that another agent has for a moment leads to its page', async () => {
  expect(await runForJson('.', 'events', 'PreToolUse')).toMatchObject({ code: 0, data: { name: 'BeforeTool' } });
});
