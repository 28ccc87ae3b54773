#!/usr/bin/env node
// Has Node look at every service that was changed, without running it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';

const { changed_files, tasks_summary } = await json(process.stdin);
const services = changed_files.filter((path) => path.endsWith('.mjs') && existsSync(path));
const broken = services.filter((path) => spawnSync(process.execPath, ['--check', path]).status !== 0);
const failed = tasks_summary.filter(({ status }) => status === 'failure').map(({ task_key }) => task_key);
mkdirSync('.system/cache', { recursive: true });
const result = { ok: broken.length + failed.length === 0, checked: services, broken, failed_tasks: failed };
writeFileSync('.system/cache/build.json', `${JSON.stringify(result, null, 2)}\n`);
console.log(JSON.stringify({ logs: [`${services.length} checked, ${broken.length} broken`] }));
