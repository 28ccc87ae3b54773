#!/usr/bin/env node
// Compares the request with the words each routing document names.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';

const { user_raw_input } = await json(process.stdin);
const words = new Set(user_raw_input.toLowerCase().match(/[a-z]+/g));
const directory = 'docs/routing';

const read = (path) => {
  const text = readFileSync(path, 'utf8');
  const field = (name) => text.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1] ?? '';
  return { path, ability: field('ability'), words: field('words').split(', '), reason: field('reason') };
};

const found = readdirSync(directory)
  .sort()
  .map((name) => read(join(directory, name)))
  .map((route) => ({ ...route, hits: route.words.filter((word) => words.has(word)).length }))
  .filter(({ hits }) => hits > 0)
  .sort((a, b) => b.hits / b.words.length - a.hits / a.words.length);

const suggested_abilities = found.map(({ ability: id, reason, hits, words }) => {
  return { id, reason, confidence: Math.round((100 * hits) / words.length) / 100 };
});
const suggested_documents = found.map(({ path, reason }) => ({ path, reason }));
const payload = { suggested_abilities, suggested_documents };
const signal = { kind: 'routing_hint', code: 'ROUTE_SUGGESTION', severity: 'info', payload };
console.log(JSON.stringify({ hook_signals: found.length > 0 ? [signal] : [] }));
