import type { UnderlyingSource } from 'node:stream/web';
import { expect, onTestFinished, test } from 'vitest';
import { hookedModel } from '../../src/adapters/ai-sdk/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';

const text = (delta: string) => ({ type: 'text-delta', id: 't', delta });
const parts = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 't' },
  text('One, '),
  text('two.'),
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
];

const withHooks = async (): Promise<Hooks> => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  return hooks;
};

/** A hooked model that streams what the source gives, and the stream of its answer. */
const streamed = async (hooks: Hooks, source: UnderlyingSource<unknown>): Promise<ReadableStream<unknown>> => {
  const model = hookedModel(hooks, {
    specificationVersion: 'v3',
    modelId: 'stub',
    doGenerate: () => Promise.reject(new Error('everything is streamed here')),
    doStream: async (_options: object) => ({ stream: new ReadableStream(source) }),
  });
  const { stream } = await model.doStream({ prompt: [] });
  return stream;
};

const all = (
  start: (controller: { enqueue: (part: unknown) => void; close: () => void; error: (reason: Error) => void }) => void,
): UnderlyingSource<unknown> => ({
  start,
});

const told = async (stream: ReadableStream<unknown>): Promise<unknown[]> => {
  const seen: unknown[] = [];
  for await (const part of stream) seen.push(part);
  return seen;
};

const whole = all((controller) => {
  for (const part of parts) controller.enqueue(part);
  controller.close();
});

test('R926 a streamed answer that no hook has a word about is passed on part by part, each of them as it is', async () => {
  const seen = await told(await streamed(await withHooks(), whole));
  expect(seen).toHaveLength(parts.length);
  for (const [index, part] of seen.entries()) expect(part).toBe(parts[index]);
});

test('R926 it is read no faster than it is asked for, and who stops to read stops the model', async () => {
  let given = 0;
  let cancelled: unknown;
  const stream = await streamed(await withHooks(), {
    pull: (controller) => {
      controller.enqueue(parts[1]);
      given += 1;
    },
    cancel: (reason) => {
      cancelled = reason;
    },
  });
  const reader = stream.getReader();
  await reader.read();
  await reader.read();
  await new Promise(setImmediate);
  expect(given).toBeLessThanOrEqual(3);
  await reader.cancel('enough');
  expect(cancelled).toBe('enough');
});

test('R926 what breaks the stream of a model breaks it for its reader', async () => {
  const failing = all((controller) => {
    controller.enqueue(parts[0]);
    queueMicrotask(() => controller.error(new Error('the line is dead')));
  });
  const stream = await streamed(await withHooks(), failing);
  await expect(told(stream)).rejects.toThrow('the line is dead');
});

test('R926 a hook that comes while an answer is streamed is shown the whole, and can only say that it came too late', async () => {
  const hooks = await withHooks();
  const stream = await streamed(hooks, whole);
  const reader = stream.getReader();
  await reader.read();
  const shown: unknown[] = [];
  hooks.on('AfterModel', ({ llm_response }) => {
    shown.push(llm_response.text);
    return { decision: 'deny', reason: 'kept back' };
  });
  const rest: unknown[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) rest.push(next.value);
  expect(shown).toEqual(['One, two.']);
  expect(rest).toMatchObject([
    { type: 'text-start' },
    text('One, '),
    text('two.'),
    { type: 'text-end' },
    { type: 'error', error: { code: 'blocked' } },
    { type: 'finish', finishReason: { unified: 'error' } },
  ]);
});

test.each([
  ['ends without its last part', parts.slice(0, -1), [{ type: 'error', error: { code: 'blocked' } }]],
  [
    'has an error among its parts',
    [...parts.slice(0, 4), { type: 'error', error: 'lost' }],
    [{ type: 'error', error: 'lost' }],
  ],
])(
  'R1995 an answer that %s is withheld while there are AfterModel hooks, which cannot judge it',
  async (_how, given, rest) => {
    const hooks = await withHooks();
    const broken = all((controller) => {
      for (const part of given) controller.enqueue(part);
      controller.close();
    });
    expect(await told(await streamed(hooks, broken))).toEqual(given);
    const shown: unknown[] = [];
    hooks.on('AfterModel', ({ llm_response }) => void shown.push(llm_response));
    expect(await told(await streamed(hooks, broken))).toMatchObject(rest);
    expect(shown).toEqual([]);
  },
);
