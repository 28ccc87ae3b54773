import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TerminalLines } from '../../src/kit/node.ts';

const never = new AbortController().signal;

test('answers are taken line by line, also those that were typed ahead', async () => {
  const input = new PassThrough();
  const answers = new TerminalLines(input);
  input.write('yes\nno\n');
  await turn();
  expect(await answers.next(never)).toBe('yes');
  expect(await answers.next(never)).toBe('no');
  const third = answers.next(never);
  input.write('perhaps\r\n');
  expect(await third).toBe('perhaps');
});

test('there is no answer after the end of the input', async () => {
  const input = new PassThrough();
  const answers = new TerminalLines(input);
  const asked = answers.next(never);
  input.end();
  expect(await asked).toBeUndefined();
  expect(await answers.next(never)).toBeUndefined();
});

test('an interruption ends the waiting, and what is typed then answers the next question', async () => {
  const input = new PassThrough();
  const answers = new TerminalLines(input);
  const stop = new AbortController();
  const asked = answers.next(stop.signal);
  stop.abort();
  expect(await asked).toBeUndefined();
  expect(await answers.next(stop.signal)).toBeUndefined();
  input.write('late\n');
  await turn();
  expect(await answers.next(never)).toBe('late');
});
