// What the search of the site knows: every section of every page, by its words.
import MiniSearch from 'minisearch';
import { ranks } from './contents.mjs';
import { indexOptions } from './search-options.mjs';

const entities = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'" };
/** The text of a section without its heading, which a result shows above it. */
const textOf = (html) =>
  html
    .replace(/^<h\d.*?<\/h\d>/, '')
    .replace(/<button.*?<\/button>/g, '')
    .replace(/<span class="hljs[^>]*>|<\/span>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39|#x27);/g, (entity) => entities[entity])
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:)](?: |$))/g, '')
    .trim();

/** The pieces of a page between its headings, each with the text below it. */
const sectionsOf = ({ url, file, title, group, html, sections }) => {
  const starts = sections.map(({ id, depth }) => html.indexOf(`<h${depth} id="${id}"`));
  return sections.map(({ id, depth, title: section }, place) => ({
    id: `${url}#${id}`,
    url: depth === 1 ? url : `${url}#${id}`,
    section,
    page: title,
    text: textOf(html.slice(starts[place], starts[place + 1])),
    rank: ranks.get(file) ?? ranks.get(group) ?? 1,
  }));
};

export const searchIndexOf = (rendered) => {
  const index = new MiniSearch(indexOptions);
  index.addAll(rendered.flatMap(sectionsOf));
  return index;
};
