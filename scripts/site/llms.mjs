// llms.txt: what there is to read, for programs that answer questions about hookwright. A line a page, by what it says first.
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
      .map(({ url, title, text }) => `- [${title}](${url.replace(/html$/, 'md')}): ${firstSentence(text)}`),
  ]);
  return [
    '# hookwright',
    '',
    '> The hook engine an AI agent embeds: commands, functions, workers and HTTP endpoints that people attach to moments of an',
    '> agent’s life, such as "before a tool runs". The agent asks, and gets one merged answer and a row for every hook.',
    ...lines,
    '',
  ].join('\n');
};
