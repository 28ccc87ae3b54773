// What a page of the site does beside being read: search, menu, light or dark, copying of code. Needs no network.
import MiniSearch from 'minisearch';
import { find, indexOptions } from './search-options.mjs';

const root = document.documentElement;
const { base } = root.dataset;
const input = document.getElementById('search');
const found = document.getElementById('found');
const menuButton = document.getElementById('menu-button');

let index;
/** The index comes as a script, which a page opened from a disk may load, too. */
const loadIndex = () => {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${base}search-index.js`;
    script.onload = () => resolve(MiniSearch.loadJS(globalThis.hookwrightIndex, indexOptions));
    script.onerror = () => reject(new Error('the index of the search could not be loaded'));
    document.head.append(script);
  });
  return index;
};

let marked = -1;
const options = () => [...found.querySelectorAll('a')];
const mark = (at) => {
  marked = at;
  options().forEach((option, place) => {
    const isIt = place === at;
    option.setAttribute('aria-selected', String(isIt));
    if (isIt) {
      option.scrollIntoView({ block: 'nearest' });
      input.setAttribute('aria-activedescendant', option.id);
    }
  });
};
const close = () => {
  found.hidden = true;
  input.setAttribute('aria-expanded', 'false');
  input.removeAttribute('aria-activedescendant');
};
const open = (items) => {
  found.replaceChildren(...items);
  found.hidden = false;
  input.setAttribute('aria-expanded', 'true');
  mark(options().length > 0 ? 0 : -1);
};
const note = (words) => {
  const item = document.createElement('li');
  item.className = 'note';
  item.textContent = words;
  return item;
};
/** The words around the first one that was looked for, so that a result can be judged before it is opened. */
const snippetOf = (text, terms) => {
  const lower = text.toLowerCase();
  const at = Math.min(...terms.map((term) => lower.indexOf(term)).filter((index) => index >= 0));
  if (at === Number.POSITIVE_INFINITY) return text.slice(0, 120);
  const from = text.lastIndexOf(' ', Math.max(0, at - 50)) + 1;
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 130)}…`;
};
const item = ({ url, section, page, text, terms }, place) => {
  const entry = document.createElement('li');
  entry.role = 'presentation';
  const link = document.createElement('a');
  link.href = `${base}${url}`;
  link.id = `found-${place}`;
  link.role = 'option';
  const [first, second] = section === page ? [page, ''] : [section, page];
  link.append(first);
  if (second !== '') {
    const small = document.createElement('small');
    small.textContent = second;
    link.append(small);
  }
  const snippet = document.createElement('span');
  snippet.className = 'snippet';
  snippet.textContent = snippetOf(text, terms);
  link.append(snippet);
  entry.append(link);
  return entry;
};

const search = async () => {
  const words = input.value.trim();
  if (words === '') return close();
  try {
    const hits = find(await loadIndex(), words).slice(0, 12);
    if (words !== input.value.trim()) return undefined;
    return open(hits.length === 0 ? [note(`Nothing about “${words}”. Fewer words find more.`)] : hits.map(item));
  } catch (error) {
    return open([note(error.message)]);
  }
};

input.addEventListener('input', search);
input.addEventListener('focus', search);
input.addEventListener('keydown', (event) => {
  const count = options().length;
  if (event.key === 'ArrowDown' && count > 0) mark((marked + 1) % count);
  else if (event.key === 'ArrowUp' && count > 0) mark((marked - 1 + count) % count);
  else if (event.key === 'Enter' && !found.hidden) {
    options()[marked]?.click();
    close();
  } else if (event.key === 'Escape') {
    close();
    input.blur();
  } else return;
  event.preventDefault();
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
  const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
  if (!isAsked) return;
  event.preventDefault();
  input.focus();
});

menuButton.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  menuButton.setAttribute('aria-expanded', String(isOpen));
});
/** "On this page" is folded where it stands above the text instead of beside it. */
const contents = document.querySelector('.sections details');
const isNarrow = matchMedia('(max-width: 80rem)');
const fold = () => contents?.toggleAttribute('open', !isNarrow.matches);
isNarrow.addEventListener('change', fold);
fold();
document.querySelector('#menu [aria-current]')?.scrollIntoView({ block: 'nearest' });

document.getElementById('theme').addEventListener('click', () => {
  const isDark = root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const next = isDark === 'dark' ? 'light' : 'dark';
  root.dataset.theme = next;
  try {
    localStorage.setItem('theme', next);
  } catch {
    // No storage: it holds for this page.
  }
});

/** Code in several languages: the choice holds for every group of tabs, and for the next page. */
const tabGroups = [...document.querySelectorAll('.tabs')];
const tabsOf = (group) => [...group.querySelectorAll('[role=tab]')];
const showLanguage = (language) => {
  for (const group of tabGroups) {
    const tabs = tabsOf(group);
    const chosen = tabs.find((tab) => tab.dataset.language === language) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')).hidden = tab !== chosen;
    }
  }
};
const chooseLanguage = (tab) => {
  const { top } = tab.getBoundingClientRect();
  showLanguage(tab.dataset.language);
  // Groups above may have changed their height: what the user looks at stays where it is.
  scrollBy(0, tab.getBoundingClientRect().top - top);
  try {
    localStorage.setItem('language', tab.dataset.language);
  } catch {
    // No storage: the choice holds for this page.
  }
};
for (const group of tabGroups) {
  const list = group.querySelector('[role=tablist]');
  list.addEventListener('click', ({ target }) => {
    if (target.role === 'tab') chooseLanguage(target);
  });
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const tabs = tabsOf(group);
    const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
    chooseLanguage(next);
    next.focus();
    event.preventDefault();
  });
}
const storedLanguage = () => {
  try {
    return localStorage.getItem('language');
  } catch {
    return null;
  }
};
showLanguage(storedLanguage() ?? 'sh');

document.addEventListener('click', async ({ target }) => {
  if (!target.matches('.copy')) return;
  const code = target.parentElement.querySelector('code').textContent;
  try {
    await navigator.clipboard.writeText(code);
    target.textContent = 'Copied';
  } catch {
    target.textContent = 'Select it';
    getSelection().selectAllChildren(target.parentElement.querySelector('code'));
  }
  setTimeout(() => {
    target.textContent = 'Copy';
  }, 1500);
});
