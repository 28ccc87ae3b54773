// Counts the files on the way of a BeforeTool request with one command hook: those in which any function is called between
// its publication on the bus and its answer, as V8 counts them. What the hook needs to be loaded is not among them.
//   node scripts/count-files.mjs            the figures
//   node scripts/count-files.mjs --list     the files as well
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
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

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
await ask();
const { result } = await session.post('Profiler.takePreciseCoverage');
await hooks.close();

const base = pathToFileURL(outdir).href;
const entered = result
  .filter(({ url, functions }) => url.startsWith(base) && functions.some(({ ranges: [range] }) => range.count > 0))
  .map(({ url }) => url.slice(base.length + 1).replace(/\.js$/, '.ts'))
  .sort();
const rooms = new Map();
for (const file of entered) {
  const [room] = file.split('/');
  rooms.set(room, (rooms.get(room) ?? 0) + 1);
}
if (process.argv.includes('--list')) console.log(`${entered.join('\n')}\n`);
console.log([...rooms].map(([room, count]) => `${room} ${count}`).join(', '));
console.log(`${entered.length} files on the way of a BeforeTool request with one command hook`);
