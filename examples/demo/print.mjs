// Text for a terminal of 80 columns: a story in three columns, and tables.
import { printable } from 'hookwright';

const WIDTH = 80;
const FIRST = 13;
const SECOND = 16;

const { stdout, env } = process;
const isTerminal = stdout.isTTY === true && env.TERM !== 'dumb';
const hasColours = isTerminal && (env.NO_COLOR ?? '') === '';

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 };

const paint = (colour, text) => (hasColours && colour !== undefined ? `\x1b[${codes[colour]}m${text}\x1b[0m` : text);

/** Lines of at most `width` characters, broken at blanks; a longer word is cut. */
const wrap = (text, width) => {
  const lines = [''];
  // What hooks and tools wrote is shown, never obeyed.
  for (const word of printable(text.trim().replace(/\s+/g, ' ')).split(' ')) {
    const part = word.length > width ? `${word.slice(0, width - 1)}…` : word;
    const line = lines.at(-1);
    if (line === '') lines[lines.length - 1] = part;
    else if (line.length + 1 + part.length <= width) lines[lines.length - 1] = `${line} ${part}`;
    else lines.push(part);
  }
  return lines;
};

// Whoever reads may stop reading, as `head` does.
stdout.on('error', () => process.exit());

let isLineOpen = false;

const print = (line) => {
  if (isLineOpen) stdout.write('\r\x1b[K');
  isLineOpen = false;
  stdout.write(`${line}\n`);
};

export const say = {
  title: (text) => print(`\n${paint('bold', text)}`),
  line: (text = '') => print(text),

  paragraph(text) {
    for (const line of wrap(text, WIDTH - 2)) print(`  ${line}`);
  },

  /** Who, about what, and what happened. */
  story(who, what, text, colour) {
    const [head, ...rest] = wrap(text, WIDTH - 2 - FIRST - SECOND);
    print(`  ${paint('dim', who.padEnd(FIRST))}${printable(what).padEnd(SECOND)}${paint(colour, head)}`);
    for (const line of rest) print(`${' '.repeat(2 + FIRST + SECOND)}${paint(colour, line)}`);
  },

  /** What goes on at this moment, on a terminal only: the next line takes its place. */
  progress(text) {
    if (!isTerminal) return;
    stdout.write(`\r\x1b[K  ${paint('dim', printable(text).slice(0, WIDTH - 3))}`);
    isLineOpen = true;
  },

  /** Columns are `{title, width}`; texts that are too long go on in the next line. */
  table(columns, rows) {
    const lineOf = (cells) =>
      columns
        .map(({ width }, index) => (cells[index] ?? '').padEnd(width))
        .join('  ')
        .trimEnd();
    print(`  ${paint('bold', lineOf(columns.map(({ title }) => title)))}`);
    print(`  ${lineOf(columns.map(({ width }) => '─'.repeat(width)))}`);
    for (const { cells, colour } of rows) {
      const wrapped = cells.map((cell, index) => wrap(cell, columns[index].width));
      const height = Math.max(...wrapped.map(({ length }) => length));
      for (let at = 0; at < height; at += 1) print(`  ${paint(colour, lineOf(wrapped.map((lines) => lines[at])))}`);
    }
  },
};
