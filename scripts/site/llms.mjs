// llms.txt: what there is to read, for programs that answer questions about hookwright. A line a page, by what it says first.
import { textUrl } from './markdown-twin.mjs';

const firstSentence = (text) => {
  const paragraph = text
    .replace(/^#.*$/m, '')
    .split(/\n{2,}/)
    .map((piece) => piece.trim())
    .find((piece) => piece !== '' && !/^[#<|`!-]/.test(piece));
  if (paragraph === undefined) return '';
  const plain = paragraph.replace(/\s+/g, ' ').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  return /^.*?[.:?](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
};

export const llmsText = (pages) => {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const lines = groups.flatMap((group) => [
    '',
    `## ${group}`,
    '',
    ...pages
      .filter((page) => page.group === group)
      .map(({ url, title, text }) => `- [${title}](${textUrl(url)}): ${firstSentence(text)}`),
  ]);
  return [
    '# hookwright',
    '',
    '> Hooks for AI agents: scripts and functions that run before a tool call, after it, around the model and around a session.',
    '> The agent gets one merged decision, and an explanation of what each hook did.',
    ...lines,
    '',
  ].join('\n');
};
