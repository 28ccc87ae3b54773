import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createConsumer } from './consumer.ts';

const compiler = resolve('node_modules/typescript/bin/tsc');

/** Compiles the consumer's only file with the settings of a strict user, who also has our declarations checked. */
const compile = async (code: string, settings: object, packages: readonly string[]): Promise<string> => {
  const consumer = await createConsumer(packages);
  consumer.write('index.ts', code);
  const compilerOptions = { strict: true, noEmit: true, target: 'ES2023', skipLibCheck: false, ...settings };
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['index.ts'] }));
  return consumer.node(compiler, '-p', 'tsconfig.json').catch((error: { stdout: string }) => error.stdout);
};

const useBus = `
import { MessageBus } from 'hookwright/bus';
import { map, type Observable } from 'rxjs';
const bus: MessageBus = new MessageBus();
export const types: Observable<string> = bus.stream('hook-execution-request').pipe(map((message) => message.type));
`;

const useBoth = `${useBus}
import { MessageBus as FromRoot } from 'hookwright';
export const other: MessageBus = new FromRoot();
`;

const mistake = `
import { MessageBus } from 'hookwright';
export const wrong: string = new MessageBus();
`;

const onNode = { lib: ['ES2023'], types: ['node'] };
const inBrowsers = { lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] };
const nodenext = { module: 'nodenext', moduleResolution: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
/** What is installed with it, and nothing else. */
const dependencies = ['rxjs', 'tslib'];
const withNode = [...dependencies, '@types/node', 'undici-types'];

test('both entry points type-check with moduleResolution nodenext', async () => {
  expect(await compile(useBoth, { ...nodenext, ...onNode }, withNode)).toBe('');
});

test('both entry points type-check with moduleResolution bundler', async () => {
  expect(await compile(useBoth, { ...bundler, ...onNode }, withNode)).toBe('');
});

test('the types bring along what they need beyond the libraries a project names', async () => {
  const older = { target: 'ES2022', lib: ['ES2022', 'DOM'], types: [] };
  expect(await compile(useBoth, { ...nodenext, ...older }, dependencies)).toBe('');
});

test('hookwright/bus type-checks in a browser project, without the types of Node', async () => {
  expect(await compile(useBus, { ...bundler, ...inBrowsers }, dependencies)).toBe('');
});

test('a mistake is found, so the types are not any', async () => {
  expect(await compile(mistake, { ...nodenext, ...onNode }, withNode)).toContain("not assignable to type 'string'");
});
