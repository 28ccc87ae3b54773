// Measures the way of a BeforeTool request with one command and one function hook, from its publication on the bus to its answer:
// the files in which a function is called and the functions, as V8 counts them; the frames above `spawn`, those of the engine and
// all; and the files on the stack at the stations of the way. What the hooks need to be loaded is not among them.
//   node scripts/count-files.mjs            the figures
//   node scripts/count-files.mjs --list     the files as well

import childProcess from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './tools.mjs';

// Each file of src becomes a module of its own, so that they can be told apart.
const outdir = mkdtempSync(join(root, 'node_modules', '.count-files-'));
process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
const sources = readdirSync(join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'));
await build({
  absWorkingDir: root,
  entryPoints: sources.map((file) => join('src', file)),
  outdir,
  outbase: 'src',
  format: 'esm',
  logLevel: 'error',
});
for (const file of sources) {
  const path = join(outdir, file.replace(/\.ts$/, '.js'));
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(["']\.{1,2}\/[^"']*)\.ts(["'])/g, '$1.js$2'));
}
writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');

const { createHooks, requestHooks } = await import(pathToFileURL(join(outdir, 'index.js')).href);
const command = `${process.execPath} -e 0`;
const action = () => ({ decision: 'allow' });
const one = { command, name: 'one' };
const hooks = await createHooks({
  hooks: { BeforeTool: [{ hooks: [one, { type: 'runtime', name: 'two', action }] }] },
});
const ask = () => requestHooks(hooks.bus, 'BeforeTool', { tool_name: 'read', tool_input: {} });
await ask();
const base = pathToFileURL(outdir).href;

/** The files on the stack at each station, from the outermost in; neighbours that are the same file are one. */
const stacks = new Map();
let framesAtSpawn;
const spied = [];
const spy = (owner, method) => {
  const original = owner[method];
  owner[method] = function (...args) {
    const frames = [...new Error().stack.matchAll(/^ +at .*?([^\s(]+):\d+:\d+\)?$/gm)].map(([, url]) => url).slice(1);
    const files = frames
      .filter((url) => url.startsWith(base))
      .map((url) => url.slice(base.length + 1).replace(/\.js$/, '.ts'))
      .reverse();
    if (method === 'spawn') framesAtSpawn ??= { ours: files.length, all: frames.length };
    if (!stacks.has(method))
      stacks.set(
        method,
        files.filter((file, index) => file !== files[index - 1]),
      );
    return Reflect.apply(original, this, args);
  };
  spied.push(() => {
    owner[method] = original;
  });
};
const modulesOf = async (file) => import(pathToFileURL(join(outdir, file)).href);
Error.stackTraceLimit = 1_000;
spy((await modulesOf('planner/planner.js')).HookPlanner.prototype, 'createExecutionPlan');
spy(childProcess, 'spawn');
spy((await modulesOf('merging/merge.js')).HookAggregator.prototype, 'aggregateResults');
spy((await modulesOf('bus/pending-requests.js')).PendingRequest.prototype, 'receive');
syncBuiltinESMExports();
await ask();
for (const end of spied) end();
syncBuiltinESMExports();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await ask();
const { result } = await session.post('Profiler.takePreciseCoverage');
await hooks.close();

const called = result
  .filter(({ url }) => url.startsWith(base))
  .map(({ url, functions }) => ({
    file: url.slice(base.length + 1).replace(/\.js$/, '.ts'),
    functions: functions.filter(({ ranges: [range] }) => range.count > 0).length,
  }))
  .filter(({ functions }) => functions > 0)
  .sort((a, b) => (a.file < b.file ? -1 : 1));
const rooms = new Map();
for (const { file } of called) {
  const [room] = file.split('/');
  rooms.set(room, (rooms.get(room) ?? 0) + 1);
}
if (process.argv.includes('--list')) {
  for (const [station, stack] of stacks) console.log(`${station}: ${stack.join(' > ')}\n`);
  console.log(`${called.map(({ file, functions }) => `${String(functions).padStart(4)} ${file}`).join('\n')}\n`);
}
const onStacks = new Set([...stacks.values()].flat());
const functions = called.reduce((sum, one) => sum + one.functions, 0);
console.log([...rooms].map(([room, count]) => `${room} ${count}`).join(', '));
console.log(`${called.length} files have a function that is called, ${functions} functions in all`);
console.log(`${framesAtSpawn.all} frames lie above spawn, ${framesAtSpawn.ours} of them of the engine`);
console.log(`${onStacks.size} files lead from the publication to the answer`);
