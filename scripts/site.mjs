// npm run docs: makes a site of docs/, in site/ or in a directory of your choice. Needs no network, and neither do its pages.
//   node scripts/site.mjs [directory] [--serve [port]]
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, posix, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { llmsText } from './site/llms.mjs';
import { textUrl, twinOf } from './site/markdown-twin.mjs';
import { pageOf } from './site/page.mjs';
import { readPages, urlOf } from './site/read-pages.mjs';
import { escapeHtml, highlighted, renderPage } from './site/render.mjs';
import { searchIndexOf } from './site/search-index.mjs';
import { root } from './tools.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { serve: { type: 'boolean', default: false }, port: { type: 'string', default: '4173' } },
});
const output = resolve(root, positionals[0] ?? 'site');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Only a directory that we made, or none, is emptied. */
const begin = () => {
  if (existsSync(output) && !existsSync(join(output, 'llms.txt'))) {
    throw new Error(`${output} is there and is no site of ours: name another directory, or remove it`);
  }
  rmSync(output, { recursive: true, force: true });
};

const write = (url, content) => {
  const file = join(output, url);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

const pages = readPages(root);
const byFile = new Map(pages.map((page) => [page.file, page]));
/** Files that a page links to and that are shown, as code, or copied, as pictures. */
const shown = new Set();
const pictures = new Set();

/** Where a link from `page` to a file of the project leads; undefined where only the repository has it. */
const followFrom = (page) => (path) => {
  const to = (url) => posix.relative(posix.dirname(page.url), url) || posix.basename(url);
  if (byFile.has(path)) return to(byFile.get(path).url);
  const index = posix.join(path, 'README.md');
  if (byFile.has(index)) return to(byFile.get(index).url);
  const first = pages.find(({ file }) => posix.dirname(file) === posix.normalize(`${path}/.`).replace(/\/$/, ''));
  if (first !== undefined) return to(first.url);
  if (!existsSync(join(root, path))) throw new Error(`${page.file}: the link to ${path} leads nowhere`);
  if (statSync(join(root, path)).isDirectory()) return undefined;
  if (/\.(png|svg)$/.test(path)) {
    pictures.add(path);
    return to(urlOf(path));
  }
  if (!path.startsWith('examples/')) return undefined;
  shown.add(path);
  return to(`${path}.html`);
};

const examplePage = (file) => {
  const code = highlighted(readFileSync(join(root, file), 'utf8'), extname(file).slice(1));
  const block = `<div class="code"><pre tabindex="0"><code>${code}</code></pre><button class="copy" type="button" aria-label="Copy this code">Copy</button></div>`;
  const title = file.slice('examples/'.length);
  return { url: `${file}.html`, title, html: `<h1>${escapeHtml(title)}</h1>\n${block}`, sections: [] };
};

/** The playground runs parts of the engine that name modules of Node; a browser needs only these two members of them. */
const withoutNode = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node' }));
    const contents = 'module.exports = { isUtf8: () => true, constants: { signals: {} } };';
    onLoad({ filter: /./, namespace: 'node' }, () => ({ contents }));
  },
};

const bundle = (entry, name) =>
  build({
    entryPoints: [join(root, 'scripts/site', entry)],
    outfile: join(output, name),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [withoutNode],
  });

const makeSite = async () => {
  begin();
  const rendered = pages.map((page) => ({ ...page, ...renderPage(page, followFrom(page)) }));
  for (const page of rendered) {
    write(page.url, pageOf(pages, page, { version }));
    // The same page for programs that read: llms.txt names these.
    write(textUrl(page.url), twinOf(page, followFrom(page)));
  }
  for (const file of shown) {
    write(`${file}.html`, pageOf(pages, examplePage(file), { version }));
    write(file, readFileSync(join(root, file)));
  }
  for (const file of pictures) write(urlOf(file), readFileSync(join(root, file)));
  write('search-index.js', `globalThis.hookwrightIndex = ${JSON.stringify(searchIndexOf(rendered))};\n`);
  write('llms.txt', llmsText(rendered));
  for (const name of ['site.css', 'theme.js']) copyFileSync(join(root, 'scripts/site', name), join(output, name));
  await bundle('client.mjs', 'site.js');
  await bundle('playground/page.mjs', 'playground.js');
  console.log(`${rendered.length} pages in ${output}`);
};

const types = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const serve = (port) =>
  createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = join(output, decodeURIComponent(pathname).replace(/\/$/, '/index.html'));
    const isThere = file.startsWith(output + sep) && existsSync(file) && statSync(file).isFile();
    const type = types[extname(file)] ?? 'text/plain';
    response.writeHead(isThere ? 200 : 404, { 'content-type': `${isThere ? type : 'text/plain'}; charset=utf-8` });
    response.end(isThere ? readFileSync(file) : 'There is no such page.\n');
  }).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/ until you press Ctrl-C`));

try {
  await makeSite();
  if (values.serve) serve(Number(values.port));
  else console.log(`open ${join(output, 'index.html')}, or: npm run docs -- --serve`);
} catch (error) {
  // What comes from a page, marked takes for a mistake of its own.
  console.error(error.message.split('\nPlease report this')[0]);
  process.exitCode = 1;
}
