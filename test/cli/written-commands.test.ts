import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCommand } from '../../src/cli/arguments/find-command.ts';
import { commands } from '../../src/cli/index.ts';

const pagesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => join(entry.parentPath, entry.name));

/** A page about the past says what was typed then. */
const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...pagesIn('docs'), 'examples/ci/hooks.yml'].filter(
  (file) => !file.includes('decisions'),
);

const BLOCK = /^```\w*\n(.*?)^```$/gms;
const INLINE = /`((?:npx )?hookwright [^`]+)`/g;

/** What a shell would make of it, as far as pages need: words, quotes, and an end at `#`, `|`, `>`, `<`, `&` and `;`. */
const wordsOf = (line: string): string[] => {
  // Where columns explain the commands, two blanks stand before what is said of one.
  const [command = ''] = /^(?:'[^']*'|"[^"]*"|<[^>\s]+>|[^'"#|<>&;])*/.exec(line.split(/ {2,}/)[0] ?? '') ?? [];
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/^'(.*)'$|^"(.*)"$/s, '$1$2'),
  );
};

const commandLine = /^(?:\$ |! |- run: )?(?:npx )?hookwright (.+)$/;

const written = pages.flatMap((file) => {
  const text = readFileSync(file, 'utf8');
  const lines = file.endsWith('.yml') ? [text] : [...text.matchAll(BLOCK)].map(([, code = '']) => code);
  const inBlocks = lines.flatMap((code) => code.split('\n'));
  const inText = [...text.replace(BLOCK, '').matchAll(INLINE)].map(([, code = '']) => code.replace(/\s+/g, ' '));
  return [...inBlocks, ...inText]
    .map((line) => commandLine.exec(line.trim())?.[1])
    .filter((line) => line !== undefined)
    .map((line) => ({ file, line }));
});

/** A name alone is the command as such: `hookwright mcp-proxy`, whatever it needs. */
const names = new Set(commands.map(({ spec }) => spec.name));

/** `<event>`, `…` and the like and `[flags]` stand for what a reader puts there. */
const isPlaceholder = (word: string): boolean => /[<…]/.test(word);

const complaint = (line: string): string | undefined => {
  const words = wordsOf(line);
  if (
    words.length === 0 ||
    names.has(words.join(' ')) ||
    isPlaceholder(words[0] ?? '') ||
    /^-|^help$/.test(words[0] ?? '')
  )
    return undefined;
  try {
    const found = findCommand(words, commands);
    found?.command.prepare(found.words.filter((word) => !/^…$|^\[.*\]$/.test(word)));
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return words.some(isPlaceholder) && message.includes('must be one of') ? undefined : message;
  }
};

test('there are command lines to look at', () => {
  expect(written.length).toBeGreaterThan(100);
  expect(complaint('explain BeforeTool --tol Bash')).toMatch(/no flag --tol/);
  expect(complaint('exlain BeforeTool')).toMatch(/no command/);
});

test.each(pages)('every command line in %s is one that hookwright takes', (file) => {
  const wrong = written
    .filter((one) => one.file === file)
    .flatMap(({ line }) => {
      const message = complaint(line);
      return message === undefined ? [] : [`${line}: ${message}`];
    });
  expect(wrong).toEqual([]);
});
