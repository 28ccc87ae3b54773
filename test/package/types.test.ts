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

const entryPoints = [
  'abilities',
  'ai-sdk',
  'backtest',
  'claude-agent-sdk',
  'dialects',
  'engine',
  'inspector',
  'recorder',
];
const useAll = [...entryPoints, 'tap', 'testing', 'translators', 'trust', 'worker']
  .map((name, index) => `export * as entry${index} from 'hookwright/${name}';`)
  .join('\n');

test('R2012 every entry point that needs no other SDK type-checks without the types of Node', async () => {
  const plain = { target: 'ES2022', lib: ['ES2022', 'DOM'], types: [] };
  expect(await compile(`${useBoth}\n${useAll}`, { ...nodenext, ...plain }, dependencies)).toBe('');
});

test('hookwright/bus type-checks in a browser project, without the types of Node', async () => {
  expect(await compile(useBus, { ...bundler, ...inBrowsers }, dependencies)).toBe('');
});

test('a mistake is found, so the types are not any', async () => {
  expect(await compile(mistake, { ...nodenext, ...onNode }, withNode)).toContain("not assignable to type 'string'");
});

const wrongAnswers = `
import { createHooks, defineHook } from 'hookwright';
const hooks = await createHooks();
hooks.on('BeforeTool', () => ({ desicion: 'deny' }));
hooks.on('BeforeTool', async () => ({ verdict: 'deny' }));
defineHook({ event: 'BeforeTool', name: 'a', run: () => ({ block: true }) });
hooks.on('BeforeTool', () => ({ decision: 'denied' }));
`;

test('the compiler names a wrong field of an answer, whether or not another field is right', async () => {
  const found = await compile(wrongAnswers, { ...nodenext, ...onNode }, withNode);
  for (const field of ['desicion', 'verdict', 'block'])
    expect(found).toContain(`'"${field} is not a field of this answer"'`);
  expect(found).toContain(
    `'"denied"' is not assignable to type '"allow" | "approve" | "ask" | "block" | "deny" | undefined'`,
  );
});

const useNats = `
import { MessageBus, requestHooks } from 'hookwright';
import { type NatsTransport, natsTransport, readStream, recordStream } from 'hookwright/nats';
const transport: NatsTransport = natsTransport({ servers: 'nats://127.0.0.1:4222', onLost: 'ask', client: { user: 'a', pass: 'b' } });
const bus = new MessageBus({ transport });
export const answer = requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} }, { onLost: 'retry' });
export const session = readStream({ session: 'night' });
export const recording = recordStream(bus, { session: 'night' });
// @ts-expect-error: no such wish
natsTransport({ onLost: 'allow' });
`;

test('hookwright/nats type-checks beside the packages of the broker', async () => {
  const client = ['transport-node', 'jetstream', 'nats-core', 'nkeys', 'nuid'].map((name) => `@nats-io/${name}`);
  expect(await compile(useNats, { ...nodenext, ...onNode }, [...withNode, ...client])).toBe('');
});
