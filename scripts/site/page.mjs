// What stands around the text of every page: the menu, the search, what comes next.
import { posix } from 'node:path';
import { closed } from './contents.mjs';
import { escapeHtml } from './render.mjs';

const menuOf = (pages, current, to) => {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return groups
    .map((group) => {
      const members = pages.filter((page) => page.group === group);
      const open = !closed.has(group) || members.some(({ url }) => url === current.url);
      const items = members
        .map(({ url, menuTitle }) => {
          const here = url === current.url ? ' aria-current="page"' : '';
          return `<li><a href="${to(url)}"${here}>${escapeHtml(menuTitle)}</a></li>`;
        })
        .join('\n');
      return `<details${open ? ' open' : ''}><summary>${group}</summary><ul>${items}</ul></details>`;
    })
    .join('\n');
};

const onThisPage = (sections) => {
  const shown = sections.filter(({ depth }) => depth === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join('\n');
  return `<nav class="sections" aria-label="On this page"><details open><summary>On this page</summary><ul>${items}</ul></details></nav>`;
};

const neighbours = (pages, current, to) => {
  const at = pages.findIndex(({ url }) => url === current.url);
  const link = (page, className, word) =>
    page === undefined
      ? '<span></span>'
      : `<a class="${className}" href="${to(page.url)}"><small>${word}</small>${escapeHtml(page.title)}</a>`;
  return at === -1
    ? ''
    : `<nav class="neighbours" aria-label="Pages beside this one">${link(pages[at - 1], 'before', 'Before')}${link(pages[at + 1], 'next', 'Next')}</nav>`;
};

/** A whole page. `current` has `url`, `title`, `html` and `sections`. */
export const pageOf = (pages, current, { version }) => {
  const base = posix.relative(posix.dirname(current.url), '.') || '.';
  const to = (url) => `${base}/${url}`;
  const isFront = current.url === 'index.html';
  const title = isFront ? 'hookwright' : `${current.title} · hookwright`;
  return `<!doctype html>
<html lang="en" data-base="${base}/">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${to('site.css')}">
<link rel="icon" href="data:,">
<script src="${to('theme.js')}"></script>
<script src="${to('site.js')}" defer></script>${current.url === 'playground.html' ? '\n<script src="playground.js" defer></script>' : ''}
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<button id="menu-button" type="button" aria-controls="menu" aria-expanded="false">Menu</button>
<a class="name" href="${to('index.html')}">hookwright</a> <span class="version">${version}</span>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search" aria-label="Search all pages" autocomplete="off" spellcheck="false" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"><kbd>/</kbd>
<ul id="found" role="listbox" aria-label="What was found" hidden></ul>
</div>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
</header>
<div class="columns">
<nav id="menu" aria-label="All pages">
${menuOf(pages, current, to)}
</nav>
${onThisPage(current.sections)}
<main id="content"${isFront ? ' class="front"' : ''}>
${current.html}
${neighbours(pages, current, to)}
</main>
</div>
</body>
</html>
`;
};
