// What the search of the site knows: every section of every page, by its words.
import MiniSearch from 'minisearch';
import { ranks } from './contents.mjs';
import { indexOptions } from './search-options.mjs';

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const textOf = (html) =>
  html
    .replace(/<button.*?<\/button>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity])
    .replace(/\s+/g, ' ');

/** The pieces of a page between its headings, each with the text below it. */
const sectionsOf = ({ url, title, group, html, sections }) => {
  const starts = sections.map(({ id, depth }) => html.indexOf(`<h${depth} id="${id}"`));
  return sections.map(({ id, depth, title: section }, place) => ({
    id: `${url}#${id}`,
    url: depth === 1 ? url : `${url}#${id}`,
    section,
    page: title,
    text: textOf(html.slice(starts[place], starts[place + 1])),
    rank: ranks.get(group) ?? 1,
  }));
};

export const searchIndexOf = (rendered) => {
  const index = new MiniSearch(indexOptions);
  index.addAll(rendered.flatMap(sectionsOf));
  return index;
};
