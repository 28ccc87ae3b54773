// From the files of docs/ to the pages of the site: where each lies, what it is called, and who comes before and after.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups } from './contents.mjs';

/** Where a file of the project lies on the site: docs/README.md is the front page, docs/hooks.md is hooks.html. */
export const urlOf = (file) =>
  file
    .replace(/^README\.md$/, 'readme.html')
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.html')
    .replace(/\.md$/, '.html');

const markdownIn = (directory) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name));

const filesOf = (name, all) => {
  if (!name.endsWith('/*')) return [name.startsWith('../') ? name.slice(3) : `docs/${name}`];
  const folder = `docs/${name.slice(0, -1)}`;
  return all.filter((file) => file.startsWith(folder)).sort();
};

/** In the menu the group need not be said again, and the front page is not called like the whole. */
const menuTitleOf = (file, title, group) =>
  file === 'docs/README.md'
    ? 'Overview'
    : file === 'README.md'
      ? 'All on one page'
      : title.startsWith(`${group} `)
        ? title.slice(group.length + 1)
        : group === 'Commands'
          ? title.replace(/^hookwright /, '')
          : title;

const titleOf = (file, text) => {
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${file} has no title: begin it with a line "# …"`);
  return title.replaceAll('`', '');
};

export const readPages = (root) => {
  const all = markdownIn(join(root, 'docs')).map((file) => file.slice(root.length));
  const pages = groups.flatMap(({ title: group, pages: names }) =>
    // What is named by itself comes where it is named, and not a second time with its folder.
    [...new Set(names.flatMap((name) => filesOf(name, all)))].map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const title = titleOf(file, text);
      return { file, group, text, title, url: urlOf(file), menuTitle: menuTitleOf(file, title, group) };
    }),
  );
  const listed = new Set(pages.map(({ file }) => file));
  const forgotten = all.filter((file) => !listed.has(file));
  if (forgotten.length > 0) {
    throw new Error(`${forgotten.join(', ')}: on no menu of the site; add it to scripts/site/contents.mjs`);
  }
  return pages;
};
