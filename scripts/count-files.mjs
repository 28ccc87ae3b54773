// Counts the files on the way of a BeforeTool request with one command hook, from its publication on the bus to its answer.
// - Those that lead from one station to the next: the stages, and what is on the stack when the request is planned, when its
//   hooks are due, when the process is started, when results are merged and when the answer has come. How often a file is
//   entered is counted on each of these stacks; handlers/engine.ts, the table of contents, stands between any two stages.
// - All in which any function is called, if only to answer a question, as V8 counts them.
// What the hook needs to be loaded is not among them.
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
const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [{ command, name: 'one' }] }] } });
const ask = () => requestHooks(hooks.bus, 'BeforeTool', { tool_name: 'read', tool_input: {} });
await ask();
const base = pathToFileURL(outdir).href;

/** The files on each of the stacks, from the outermost in; neighbours that are the same file are one. */
const stacks = [];
const spied = [];
const spy = (owner, method) => {
  const original = owner[method];
  owner[method] = function (...args) {
    const files = [...new Error().stack.matchAll(/(file:[^\s)]*):\d+:\d+/g)]
      .map(([, url]) => url)
      .filter((url) => url.startsWith(base))
      .map((url) => url.slice(base.length + 1).replace(/\.js$/, '.ts'))
      .reverse();
    stacks.push(files.filter((file, index) => file !== files[index - 1]));
    return Reflect.apply(original, this, args);
  };
  spied.push(() => {
    owner[method] = original;
  });
};
const modulesOf = async (file) => import(pathToFileURL(join(outdir, file)).href);
Error.stackTraceLimit = 300;
spy((await modulesOf('planner/planner.js')).HookPlanner.prototype, 'createExecutionPlan');
spy(globalThis, 'queueMicrotask');
spy(childProcess, 'spawn');
spy((await modulesOf('aggregator/aggregator.js')).HookAggregator.prototype, 'aggregateResults');
spy((await modulesOf('bus/pending-requests.js')).PendingRequests.prototype, 'receive');
syncBuiltinESMExports();
await ask();
for (const end of spied) end();
syncBuiltinESMExports();
const onStacks = new Set(stacks.flat());
const entriesOf = (file) => Math.max(...stacks.map((stack) => stack.filter((one) => one === file).length));
const oftenEntered = [...onStacks].filter((file) => file !== 'handlers/engine.ts' && entriesOf(file) > 2);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await ask();
const { result } = await session.post('Profiler.takePreciseCoverage');
await hooks.close();

const entered = result
  .filter(({ url, functions }) => url.startsWith(base) && functions.some(({ ranges: [range] }) => range.count > 0))
  .map(({ url }) => url.slice(base.length + 1).replace(/\.js$/, '.ts'))
  .sort();
const leading = entered.filter((file) => onStacks.has(file) || file.startsWith('handlers/stages/'));
const rooms = new Map();
for (const file of entered) {
  const [room] = file.split('/');
  rooms.set(room, (rooms.get(room) ?? 0) + 1);
}
if (process.argv.includes('--list')) {
  console.log(`${stacks.map((stack) => stack.join(' > ')).join('\n\n')}\n`);
  console.log(`${entered.map((file) => `${leading.includes(file) ? '→' : ' '} ${file}`).join('\n')}\n`);
}
console.log([...rooms].map(([room, count]) => `${room} ${count}`).join(', '));
console.log(
  `${leading.length} files lead a BeforeTool request with one command hook from its publication to its answer`,
);
const often = oftenEntered.map((file) => `${file} ${entriesOf(file)}`).join(', ');
console.log(`entered more than twice on one of these ways: ${often || 'none'}`);
console.log(`${entered.length} files have a function that is called, those included that only answer a question`);
