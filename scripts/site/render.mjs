// Markdown to the inside of a page: anchors as on the pages that show Markdown, links between pages, colours in code.
import { posix } from 'node:path';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked } from 'marked';

const languages = { bash, javascript, json, python, typescript, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
const aliases = new Map([
  ...[
    ['js', 'javascript'],
    ['mjs', 'javascript'],
    ['ts', 'typescript'],
    ['py', 'python'],
  ],
  ...[
    ['sh', 'bash'],
    ['jsonc', 'json'],
    ['yml', 'yaml'],
    ['jsonl', 'json'],
    ['conf', 'bash'],
  ],
]);

export const escapeHtml = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

export const highlighted = (code, word) => {
  const language = aliases.get(word) ?? word;
  return hljs.getLanguage(language) === undefined ? escapeHtml(code) : hljs.highlight(code, { language }).value;
};

const codeBlock = (code, word) => {
  const copy = '<button class="copy" type="button" aria-label="Copy this code">Copy</button>';
  return `<div class="code"><pre tabindex="0"><code>${highlighted(code, word)}</code></pre>${copy}</div>\n`;
};

/** Languages that show the same script: blocks in them that follow one another become tabs. */
const TABS = new Map([
  ['sh', 'sh'],
  ['js', 'JavaScript'],
  ['python', 'Python'],
]);

/** Each run of at least two blocks in different languages of TABS as one token; the other tokens stay as they are. */
const groupTabs = (tokens) => {
  const grouped = [];
  let tabs = [];
  let spaces = [];
  const flush = () => {
    if (tabs.length > 1) grouped.push({ type: 'tabs', raw: '', tabs });
    else grouped.push(...tabs);
    grouped.push(...spaces);
    tabs = [];
    spaces = [];
  };
  for (const token of tokens) {
    if (token.type === 'space' && tabs.length > 0) spaces.push(token);
    else if (token.type === 'code' && TABS.has(token.lang)) {
      if (tabs.some(({ lang }) => lang === token.lang)) flush();
      tabs.push(token);
      spaces = [];
    } else {
      flush();
      grouped.push(token);
    }
  }
  flush();
  return grouped;
};

/** Without scripts all blocks stand one below the other; client.mjs shows one of them. */
const tabbed = (tabs, group) => {
  const buttons = tabs.map(
    ({ lang }, at) =>
      `<button type="button" role="tab" id="tab-${group}-${at}" aria-controls="panel-${group}-${at}" data-language="${lang}">${TABS.get(lang)}</button>`,
  );
  const panels = tabs.map(
    ({ text, lang }, at) =>
      `<div role="tabpanel" id="panel-${group}-${at}" aria-labelledby="tab-${group}-${at}">${codeBlock(text, lang)}</div>`,
  );
  return `<div class="tabs"><div role="tablist" aria-label="Language">${buttons.join('')}</div>${panels.join('\n')}</div>\n`;
};

/** The tags a page may write by hand. Any other stops the build: as HTML it would swallow the text that follows it. */
const KNOWN_TAGS = new Set(['a', 'br', 'details', 'summary', 'kbd', 'sub', 'sup', 'img', 'strong', 'em']);

const checkedHtml = (file, html) => {
  const unknown = [...html.matchAll(/<\/?([a-z][\w-]*)/gi)].find(([, name]) => !KNOWN_TAGS.has(name.toLowerCase()));
  if (unknown !== undefined)
    throw new Error(`${file}: ${unknown[0]}> is not a tag of these pages; write \\< or \`code\``);
  return html;
};

/**
 * The body of a page and the sections in it. `follow(path)` says where a link to a file of the project leads on the site, or
 * undefined for a file that is in the repository only.
 */
export const renderPage = ({ file, text }, follow) => {
  const sections = [];
  const seen = new Map();
  const marked = new Marked({ gfm: true });
  let groups = 0;
  const target = (href) => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
    const [path, anchor] = href.split('#');
    const url = follow(posix.join(posix.dirname(file), path));
    return url === undefined ? undefined : `${url}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  marked.use({
    hooks: { processAllTokens: groupTabs },
    extensions: [
      {
        name: 'tabs',
        renderer: ({ tabs }) => {
          groups += 1;
          return tabbed(tabs, groups);
        },
      },
    ],
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const words = this.parser.parseInline(tokens, this.parser.textRenderer);
        const wanted = anchorOf(words);
        const before = seen.get(wanted) ?? 0;
        seen.set(wanted, before + 1);
        const id = before === 0 ? wanted : `${wanted}-${before}`;
        sections.push({ id, depth, title: words });
        const link = depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${id}">${html}${link}</h${depth}>\n`;
      },
      code({ text: code, lang }) {
        return codeBlock(code, (lang ?? '').split(' ')[0]);
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const url = target(href);
        return url === undefined
          ? `<span class="elsewhere" title="In the repository: ${escapeHtml(href)}">${html}</span>`
          : `<a href="${escapeHtml(url)}">${html}</a>`;
      },
      html({ text: html }) {
        return checkedHtml(file, html);
      },
      image({ href, text: alt }) {
        const url = escapeHtml(target(href) ?? href);
        // On a phone the picture is wider than the screen: it scrolls, and the link shows it alone.
        return `<a class="picture" href="${url}"><img src="${url}" alt="${escapeHtml(alt)}" loading="lazy"></a>`;
      },
      table({ header, rows }) {
        const cells = (row, tag) =>
          row
            .map(({ text: words, tokens }) => {
              // A head without words is none: a screen reader would announce it.
              const name = words === '' ? 'td' : tag;
              return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
            })
            .join('');
        const head = header.every(({ text: words }) => words === '')
          ? ''
          : `<thead><tr>${cells(header, 'th')}</tr></thead>`;
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return { html: marked.parse(text), sections };
};
