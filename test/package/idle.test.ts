import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, createConsumer } from './consumer.ts';

const { exports, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.keys(exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => path.replace(/^\./, 'hookwright'));

/** SDKs that listen to the process themselves: what they do is not ours. */
const sdksThatListen: Readonly<Record<string, string>> = { 'hookwright/openai-agents': '@openai/agents' };

/** What is there because of the import alone: what keeps the process alive, and what listens to it. */
const script = `
const listeners = () => Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const [entry, sdk] = process.argv.slice(2);
if (sdk !== undefined) await import(sdk);
const before = listeners();
await import(entry);
await turn();
await turn();
const resources = process.getActiveResourcesInfo().filter((kind) => !['PipeWrap', 'TTYWrap'].includes(kind));
console.log(JSON.stringify({ resources, before, after: listeners(), started: performance.now() }));
process.on('exit', () => console.log(performance.now()));
`;

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer(Object.keys(peerDependencies), afterAll);
  consumer.write('idle.mjs', script);
});

test.each(entries)(
  'F77 importing %s starts nothing, listens to nothing and does not keep the process',
  async (entry) => {
    const [said = '', endedAt] = (await consumer.node('idle.mjs', ...[entry, sdksThatListen[entry] ?? []].flat()))
      .trim()
      .split('\n');
    const { resources, before, after, started } = JSON.parse(said);
    expect(resources).toEqual([]);
    expect(after).toEqual(before);
    expect(Number(endedAt) - started).toBeLessThan(200);
  },
);
