import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createLogger, format, transports } from 'winston';
import { createHooks } from '../../src/index.ts';
import type { Logger } from '../../src/protocol/index.ts';

const sink = () => {
  let text = '';
  const stream = new Writable({
    write(piece, _encoding, done) {
      text += String(piece);
      done();
    },
  });
  return { stream, lines: () => text.split('\n').filter((line) => line !== '') };
};

/** What a logger gets of an engine that starts, runs a hook that fails, and ends. */
const use = async (logger: Logger): Promise<void> => {
  const action = () => Promise.reject(new Error('no\nway'));
  const hooks = await createHooks({
    hooks: { BeforeTool: [{ hooks: [{ type: 'runtime', name: 'broken', action }] }] },
    deps: { logger },
  });
  await hooks.beforeTool({ tool: 'shell', input: {} });
  await hooks.close();
  await new Promise((resolve) => setImmediate(resolve));
};

test('R949 pino is taken as it is, with the part as a field', async () => {
  const { stream, lines } = sink();
  await use(pino({ level: 'debug', base: null, timestamp: false }, stream));
  const entries = lines().map((line) => JSON.parse(line));
  expect(entries).toContainEqual({
    level: 20,
    component: 'hookwright:runner',
    msg: expect.stringContaining('fault "threw"'),
  });
  expect(entries).toContainEqual({
    level: 30,
    component: 'hookwright:registry',
    msg: expect.stringContaining('[hookwright:registry] '),
  });
});

test('R949 winston is taken as it is, with the part as a field', async () => {
  const { stream, lines } = sink();
  await use(createLogger({ level: 'debug', format: format.json(), transports: [new transports.Stream({ stream })] }));
  const entries = lines().map((line) => JSON.parse(line));
  expect(entries).toContainEqual({
    level: 'debug',
    component: 'hookwright:runner',
    message: expect.stringContaining('fault "threw"'),
  });
  expect(entries).toContainEqual({
    level: 'info',
    component: 'hookwright:registry',
    message: expect.stringContaining('[hookwright:registry] '),
  });
});

test('R949 the console is taken as it is, and gets one line for each', async () => {
  const { stream, lines } = sink();
  await use(new Console({ stdout: stream, stderr: stream }));
  expect(lines().every((line) => line.startsWith('[hookwright:'))).toBe(true);
  expect(lines().some((line) => line.includes('fault "threw"'))).toBe(true);
});
