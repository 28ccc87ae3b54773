import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createConsumer } from './consumer.ts';

const script = `
import { createHooks } from 'hookwright';
import { captureTraffic, describeBus, fixtureHook, hookMatchers, hostCoverage } from 'hookwright/testing';
const guard = fixtureHook.answers({ decision: 'deny', reason: 'no' }, { name: 'guard' });
const hooks = await createHooks({ hooks: { SessionEnd: [{ hooks: [guard] }] } });
const traffic = captureTraffic(hooks.bus);
const report = await hostCoverage({ hooks, endSession: (reason) => hooks.sessionEnd({ reason }) });
let refusal;
try { describeBus('a bus', () => hooks.bus, { inline: true }); } catch ({ code, message }) { refusal = { code, message }; }
const { pass } = hookMatchers.toHaveBlocked(traffic, 'SessionEnd', { by: 'guard' });
console.log(JSON.stringify({ ok: report.ok, pass, refusal }));
await hooks.close();
`;

const worked = {
  ok: true,
  pass: true,
  refusal: {
    code: 'not_supported',
    message: 'describeBus writes tests for vitest; call it in a file that vitest runs',
  },
};

test('hookwright/testing works without vitest; only describeBus cannot, and says so', async () => {
  const consumer = await createConsumer();
  consumer.write('index.mjs', script);
  expect(JSON.parse(await consumer.node('index.mjs'))).toEqual(worked);
});

const commonJs = `
const { captureTraffic, describeBus, fixtureHook, hookMatchers } = require('hookwright/testing');
const { createHooks, HookwrightError } = require('hookwright');
const guard = fixtureHook.answers({ decision: 'deny', reason: 'no' }, { name: 'guard' });
createHooks({ hooks: { SessionEnd: [{ hooks: [guard] }] } }).then(async (hooks) => {
  const traffic = captureTraffic(hooks.bus);
  await hooks.sessionEnd({ reason: 'exit' });
  const { pass } = hookMatchers.toHaveBlocked(traffic, 'SessionEnd', { by: 'guard' });
  let refusal;
  try { describeBus('a bus', () => hooks.bus, { inline: true }); } catch (error) { refusal = error; }
  console.log(JSON.stringify({ pass, ours: refusal instanceof HookwrightError, message: refusal.message }));
  await hooks.close();
});
`;

test('CommonJS requires hookwright/testing, and is told to import it where it needs vitest', async () => {
  const consumer = await createConsumer();
  consumer.write('index.cjs', commonJs);
  expect(JSON.parse(await consumer.node('index.cjs'))).toEqual({
    pass: true,
    ours: true,
    message:
      'describeBus writes tests for vitest; call it in a file that vitest runs, which must import it: ' +
      "`await import('hookwright/testing')`, not `require`",
  });
});

test('no entry point holds a copy of vitest, and only hookwright/testing asks for it', async () => {
  const { directory } = await createConsumer();
  const dist = join(directory, 'node_modules/hookwright/dist');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const read = (file: string): string => readFileSync(join(dist, file), 'utf8');
  expect(files.filter((file) => /(?:\bfrom|\bimport\()\s*["'`]vitest["'`]/.test(read(file)))).toEqual(['testing.js']);
  expect(files.filter((file) => /node_modules\/@?vitest/.test(read(file)))).toEqual([]);
});

const vitestFile = `
import { expect, test } from 'vitest';
import { MessageBus } from 'hookwright';
import { captureTraffic, describeBus } from 'hookwright/testing';

describeBus('MessageBus', () => new MessageBus(), { inline: true });

test('the matchers are there without being asked for', () => {
  expect(captureTraffic(new MessageBus())).not.toHaveBlocked('BeforeTool');
});
`;

test('the vitest of a user finds the matchers and runs the tests of describeBus', { timeout: 60_000 }, async () => {
  const consumer = await createConsumer(['vitest']);
  consumer.write('bus.test.js', vitestFile);
  consumer.write('vitest.config.js', 'export default { test: { reporters: ["json"], outputFile: "out.json" } };');
  await consumer.node(resolve('node_modules/vitest/vitest.mjs'), 'run');
  const report = JSON.parse(readFileSync(join(consumer.directory, 'out.json'), 'utf8'));
  expect(report).toMatchObject({ success: true, numFailedTests: 0 });
  expect(report.numPassedTests).toBeGreaterThan(50);
});

const types = `
import { createHooks } from 'hookwright';
import { captureTraffic, fixtureHook, hostCoverage } from 'hookwright/testing';
const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [fixtureHook.answers({ decision: 'deny' })] }] } });
export const requests: number = captureTraffic(hooks.bus).requests.length;
export const report = await hostCoverage({ hooks, endSession: (reason) => hooks.sessionEnd({ reason }) });
`;

const matchers = `
import { expect } from 'vitest';
${types}
expect(captureTraffic(hooks.bus)).toHaveBlocked('BeforeTool', { tool: 'shell', reason: /no/, by: 'guard' });
expect(captureTraffic(hooks.bus)).not.toHaveRun('guard', { event: 'BeforeTool', outcome: 'answered', times: 1 });
expect(captureTraffic(hooks.bus)).toHaveSkipped('guard', { reason: 'disabled' });
`;

const compile = async (code: string, skipLibCheck: boolean, packages: readonly string[]): Promise<string> => {
  const consumer = await createConsumer(['rxjs', 'zod', '@types/node', 'undici-types', ...packages]);
  consumer.write('index.ts', code);
  const settings = { module: 'nodenext', target: 'ES2023', lib: ['ES2023'], types: ['node'] };
  const compilerOptions = { strict: true, noEmit: true, skipLibCheck, ...settings };
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['index.ts'] }));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  return consumer.node(compiler, '-p', 'tsconfig.json').catch((error: { stdout: string }) => error.stdout);
};

test('its types check where there is no vitest, even with skipLibCheck off', async () => {
  expect(await compile(types, false, [])).toBe('');
});

test('the matchers have types in the vitest of a user, and a mistake is found', async () => {
  expect(await compile(matchers, true, ['vitest'])).toBe('');
  const mistaken = matchers.replace("reason: 'disabled'", "reason: 'switched-off'");
  expect(await compile(mistaken, true, ['vitest'])).toContain('"switched-off"');
});
