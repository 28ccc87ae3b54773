// The text of a page as Markdown, for programs that read: its links lead to the other pages as Markdown, and to examples as code.
import { posix } from 'node:path';

const FENCED = /(^```.*?^```$)/ms;
/** A link or a picture; the words may contain brackets of their own. */
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** From the address of a page on the site to that of its text. */
export const textUrl = (url) =>
  /(^|\/)examples\//.test(url) ? url.replace(/\.html$/, '') : url.replace(/\.html$/, '.md');

/** `follow` is that of renderPage; a link to a file that only the repository has becomes plain words. */
export const twinOf = ({ file, text }, follow) => {
  const linked = (link, words, href) => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return link;
    const [path, anchor] = href.split('#');
    const url = follow(posix.join(posix.dirname(file), path));
    if (url === undefined) return words;
    return `[${words}](${textUrl(url)}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return text
    .split(FENCED)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(LINK, linked)))
    .join('');
};
