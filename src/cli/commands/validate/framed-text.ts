import { readRegular } from '../../../kit/node.ts';
import { Redactor } from '../../../sessions/index.ts';
import type { CliProblem } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { oneLine, styled, type Text } from '../../rendering/text.ts';
import { beginning, widthOf } from '../../rendering/width.ts';
import { leadsOut } from '../../sources/leads-out.ts';

/** Each problem with the line it is about, unless a link may have led us to its file. */
export const framedText = (
  problems: readonly CliProblem[],
  { screen: { width }, cwd }: Context,
  projectDir = cwd,
): Text => {
  const frames = new CodeFrames(projectDir);
  return problems.flatMap((problem) => [...problemsText([problem], width, cwd), ...frames.frame(problem, width), '']);
};

/** A file that is larger was not written by hand, and its lines are no help. */
const MAX_BYTES = 1_000_000;
/** What is shown in front of the place, when the line is long. */
const BEFORE = 30;
const INDENT = 4;

const linesOf = (file: string, projectDir: string): readonly string[] => {
  // The problem itself says what is wrong with a file that cannot be read.
  const found = leadsOut(projectDir, file) === undefined ? readRegular(file, { maxBytes: MAX_BYTES }) : undefined;
  return found !== undefined && 'bytes' in found ? found.bytes.toString('utf8').split('\n') : [];
};

/** Shows where in their files problems are. A file is read once. */
class CodeFrames {
  readonly #projectDir: string;
  readonly #files = new Map<string, readonly string[]>();
  readonly #redactor = new Redactor(undefined);

  constructor(projectDir: string) {
    this.#projectDir = projectDir;
  }

  /** The line of a problem with a mark below the place; nothing where there is no line, or a secret in it. */
  frame({ file, line, column }: CliProblem, width: number): Text {
    if (file === undefined || line === undefined || column === undefined) return [];
    const lines = this.#files.get(file) ?? linesOf(file, this.#projectDir);
    this.#files.set(file, lines);
    const text = lines[line - 1]?.trimEnd();
    if (text === undefined || text.trim() === '' || this.#holdsSecret(text)) return [];
    return frameOf(text, line, column, width);
  }

  #holdsSecret(text: string): boolean {
    return this.#redactor.redact({ text }, JSON.stringify({ text })) !== undefined;
  }
}

const frameOf = (text: string, line: number, column: number, width: number): Text => {
  const gutter = `${' '.repeat(INDENT)}${line} │ `;
  const blank = `${' '.repeat(gutter.length - 2)}│ `;
  // A long line is shown from shortly before the place; what is blank in front of a short one is of no use.
  const from = Math.max(column - 1 - BEFORE, 0, Math.min(text.search(/\S/), column - 1));
  const shown = beginning(oneLine(text.slice(from)), Math.min(width, 100) - gutter.length);
  const at = widthOf(oneLine(text.slice(from, column - 1)));
  return [
    [styled('dim', gutter), shown],
    [styled('dim', blank), styled('red', `${' '.repeat(at)}^`)],
  ];
};
