import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runNode } from './support.ts';

const parent = temporaryFolder('site');
const site = join(parent, 'site');

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));

const page = (url: string): string => readFileSync(join(site, url), 'utf8');
const linksIn = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
const withoutMenu = (html: string): string =>
  html.slice(html.indexOf('<main'), html.indexOf('<nav class="neighbours"'));

beforeAll(async () => {
  const { code, stderr } = await runNode('scripts/site.mjs', { args: [site] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}, 60_000);

describe('the site of the documentation', () => {
  test('has every page of docs/, and every link and anchor in it leads somewhere', () => {
    const html = filesIn(site).filter((file) => file.endsWith('.html'));
    expect(html.length).toBeGreaterThanOrEqual(filesIn('docs').filter((file) => file.endsWith('.md')).length);
    const ids = new Map(
      html.map((url) => [url, new Set([...page(url).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const dead = html.flatMap((url) =>
      linksIn(page(url))
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => {
          const [path = '', anchor] = href.split('#');
          const target = path === '' ? url : relative(site, resolve(site, dirname(url), path));
          return !existsSync(join(site, target)) || (anchor !== undefined && ids.get(target)?.has(anchor) !== true);
        })
        .map((href) => `${url}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  test('R1760 the text of each page links to other texts, to code and to pictures that are on the site', () => {
    const text = filesIn(site).filter((file) => file.endsWith('.md'));
    const links = text.flatMap((url) =>
      [
        ...page(url)
          .replace(/^```.*?^```$/gms, '')
          .matchAll(/\]\(([^)\s]+)\)/g),
      ]
        .map(([, href = '']) => href)
        .filter((href) => !/^[a-z]+:/.test(href))
        .map((href) => ({ url, href })),
    );
    expect(links.length).toBeGreaterThan(500);
    const dead = links.filter(({ url, href }) => {
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? url : join(dirname(url), path);
      if (!existsSync(join(site, target)) || target.endsWith('.html')) return true;
      return anchor !== undefined && !page(target.replace(/md$/, 'html')).includes(` id="${anchor}"`);
    });
    expect(dead).toEqual([]);
  });

  test('loads nothing from elsewhere', () => {
    for (const url of filesIn(site).filter((file) => file.endsWith('.html'))) {
      const loaded = [...page(url).matchAll(/<(?:script|link|img|iframe)\b[^>]*(?:src|href)="([^"]+)"/g)];
      expect(loaded.filter(([, from = '']) => /^(?:https?:)?\/\//.test(from)).map(([tag]) => tag)).toEqual([]);
    }
    expect(page('site.css')).not.toMatch(/https?:|@import/);
  });

  test.each([
    ['how to install', 'install.html', 'npm install'],
    ['with OpenAI', 'sdks.html', 'client.chat.completions.create'],
    ['with Anthropic', 'sdks.html', 'client.messages.create'],
    ['with the AI SDK', 'sdks.html', 'hookedModel'],
    ['what JSON does my hook get', 'events/BeforeTool.html', 'tool_input'],
    ['I come from Claude Code', 'coming-from/claude-code.html', 'PreToolUse'],
    ['in CI', 'ci.html', '--reporter github'],
  ])('answers %s, one click from its front page', (_question, url, answer) => {
    expect(linksIn(withoutMenu(page('index.html'))).map((href) => href.replace('./', ''))).toContain(url);
    expect(withoutMenu(page(url)).replace(/<[^>]+>/g, '')).toContain(answer);
  });

  test.each([
    ['install', 'install.html'],
    ['hook does not fire', 'troubleshooting.html#my-hook-does-not-fire'],
    ['openai', 'sdks.html#openai'],
    ['from claude code', 'coming-from/claude-code.html'],
    ['PreToolUse', 'coming-from/'],
    ['github workflow', 'ci.html#a-workflow-to-copy'],
    ['why did my hook not fire', 'troubleshooting.html#my-hook-does-not-fire'],
    ['trust', 'cli/trust.html'],
    ['mcp', 'adapters/mcp.html'],
    ['exit code 2', 'reasons.html#exit-code'],
    ['onFault', 'recipes.html#refuse-a-command'],
    ['how do I disable a hook', 'cli/disable.html'],
    ['block a command', 'recipes.html#refuse-a-command'],
    ['matcher-mismatch', 'reasons.html#matcher-mismatch'],
  ])('finds "%s" among the first five', async (words, url) => {
    const { find, indexOptions } = await import(pathToFileURL(resolve('scripts/site/search-options.mjs')).href);
    const [, index = ''] = /^globalThis\.hookwrightIndex = (.*);\n$/s.exec(page('search-index.js')) ?? [];
    const found: { url: string }[] = find(MiniSearch.loadJSON(index, indexOptions), words);
    expect(found.slice(0, 5).map((hit) => hit.url.slice(0, url.length))).toContain(url);
  });

  test('a result of the search shows the text of its section, without the heading and without entities', async () => {
    const { find, indexOptions } = await import(pathToFileURL(resolve('scripts/site/search-options.mjs')).href);
    const [, index = ''] = /^globalThis\.hookwrightIndex = (.*);\n$/s.exec(page('search-index.js')) ?? [];
    const [first]: { text: string }[] = find(MiniSearch.loadJSON(index, indexOptions), 'why did my hook not fire');
    expect(first?.text).toMatch(/^npx hookwright explain BeforeTool --tool Bash shows every reason/);
    expect(index).not.toMatch(/&(?:#x27|#39|lt|gt|quot);/);
  });

  test('stops at a tag that the pages do not use, because as HTML it would hide the text after it', async () => {
    const { renderPage } = await import(pathToFileURL(resolve('scripts/site/render.mjs')).href);
    const render = (text: string) => renderPage({ file: 'docs/a.md', text }, () => undefined).html;
    expect(render('one <br> two')).toContain('<br>');
    expect(render('`<script>` and \\<script>')).not.toContain('<script>');
    for (const text of ['<script>', 'text <time> text', '<style>\n\nafter']) {
      expect(() => render(text)).toThrow(/^docs\/a\.md: <\w+> is not a tag of these pages/);
    }
  });

  test('R1681 shows blocks of one script in several languages as tabs, and any other block by itself', async () => {
    const { renderPage } = await import(pathToFileURL(resolve('scripts/site/render.mjs')).href);
    const block = (language: string) => `\`\`\`${language}\nword-${language}\n\`\`\`\n`;
    const render = (...parts: string[]): string =>
      renderPage({ file: 'docs/a.md', text: parts.join('\n') }, () => undefined).html;
    const tabs = (html: string) => [...html.matchAll(/data-language="(\w+)"/g)].map(([, language]) => language);
    expect(tabs(render(block('sh'), block('js'), block('python')))).toEqual(['sh', 'js', 'python']);
    expect(tabs(render(block('sh'), 'text', block('js')))).toEqual([]);
    expect(tabs(render(block('sh'), block('sh'), block('json')))).toEqual([]);
    for (const language of ['sh', 'js', 'python']) {
      expect(render(block('sh'), block('js'), block('python'))).toContain(`word-${language}`);
    }
    expect(tabs(page('recipes.html')).length).toBeGreaterThanOrEqual(21);
  });

  test('R1762 the playground has its own script, which no other page loads', () => {
    const loads = filesIn(site).filter((file) => file.endsWith('.html') && page(file).includes('playground.js'));
    expect(loads).toEqual(['playground.html']);
    expect(page('playground.js')).not.toContain('node:');
    const start = ['index.html', 'site.css', 'site.js', 'theme.js', 'images/agent.svg'];
    expect(start.reduce((sum, file) => sum + page(file).length, 0)).toBeLessThan(150_000);
  });

  test('names every page in llms.txt, as Markdown that is there', () => {
    const listed = [...page('llms.txt').matchAll(/\]\(([^)]+)\): (.+)$/gm)].map(([, url = '']) => url);
    const expected = filesIn(site).filter((file) => file.endsWith('.md'));
    expect(listed.sort()).toEqual(expected.sort());
  });

  test('does not take the place of a directory that is no site', async () => {
    writeFileSync(join(parent, 'mine.txt'), 'precious');
    const { code, stderr } = await runNode('scripts/site.mjs', { args: [parent] });
    expect(code).toBe(1);
    expect(stderr).toContain('is no site of ours');
    expect(readFileSync(join(parent, 'mine.txt'), 'utf8')).toBe('precious');
  });
});
