#!/usr/bin/env node
// Many of these may run at once. Each adds its line and counts anew until no line came in between: whoever writes last
// has counted all of them, and nobody needs a lock.
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';

const { ability_id, status, duration_ms } = await json(process.stdin);
const cache = '.system/cache';
const calls = `${cache}/usage.jsonl`;
mkdirSync(cache, { recursive: true });
appendFileSync(calls, `${JSON.stringify({ ability_id, status, duration_ms })}\n`);

const count = (text) => {
  const usage = {};
  // What stands behind the last line break is still being written, and will be counted by whoever writes it.
  for (const line of text.split('\n').slice(0, -1)) {
    const call = JSON.parse(line);
    usage[call.ability_id] ??= { success: 0, failure: 0, partial: 0 };
    usage[call.ability_id][call.status] += 1;
  }
  return usage;
};

let seen;
do {
  const text = readFileSync(calls, 'utf8');
  seen = Buffer.byteLength(text);
  writeFileSync(`${cache}/usage.${process.pid}.tmp`, `${JSON.stringify(count(text), null, 2)}\n`);
  renameSync(`${cache}/usage.${process.pid}.tmp`, `${cache}/usage.json`);
} while (statSync(calls).size > seen);
console.log(JSON.stringify({ usage_recorded: true }));
