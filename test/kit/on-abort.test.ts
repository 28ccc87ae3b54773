import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from '../../src/kit/index.ts';

test('F74 a signal carries one listener, however many ask, and none when they are done', () => {
  const { signal } = new AbortController();
  const stops = Array.from({ length: 50 }, () => onAbort(signal, () => undefined));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const stop of stops) stop();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('everybody who still asks is called once', () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push('a'));
  const stop = onAbort(controller.signal, () => called.push('b'));
  const stopThird = onAbort(controller.signal, () => {
    called.push('c');
    stopThird();
  });
  stop();
  stop();
  controller.abort();
  expect(called).toEqual(['a', 'c']);
});
