import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createConsumer } from './consumer.ts';

const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
const entries = Object.keys(exports)
  .filter((path) => !path.endsWith('.json'))
  .map((path) => path.replace(/^\./, 'hookwright'));

/** What is there because of the import alone: what keeps the process alive, and what listens to it. */
const script = `
const listeners = () => Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const before = listeners();
await import(process.argv[2]);
await turn();
await turn();
const resources = process.getActiveResourcesInfo().filter((kind) => !['PipeWrap', 'TTYWrap'].includes(kind));
console.log(JSON.stringify({ resources, before, after: listeners(), started: performance.now() }));
process.on('exit', () => console.log(performance.now()));
`;

test.each(entries)(
  'F77 importing %s starts nothing, listens to nothing and does not keep the process',
  async (entry) => {
    const consumer = await createConsumer();
    consumer.write('idle.mjs', script);
    const [said = '', endedAt] = (await consumer.node('idle.mjs', entry)).trim().split('\n');
    const { resources, before, after, started } = JSON.parse(said);
    expect(resources).toEqual([]);
    expect(after).toEqual(before);
    expect(Number(endedAt) - started).toBeLessThan(200);
  },
);
