#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';

const { path, find, replace } = (await json(process.stdin)).input;
const text = readFileSync(path, 'utf8');
if (text.includes(find)) {
  writeFileSync(path, text.replace(find, replace));
  console.log(JSON.stringify({ output_summary: `replaced "${find}" by "${replace}" in ${path}` }));
} else {
  console.log(JSON.stringify({ status: 'failure', error_message: `${path} does not contain "${find}"` }));
}
