import type { ConfigProblem } from '../../protocol/index.ts';
import { counted } from '../rendering/problem-lines.ts';
import { styled, type Text, type TextLine } from '../rendering/text.ts';
import { isAboutFile } from '../sources/ability-hooks.ts';
import type { Tools } from './open.ts';

const note = (count: number, where: string, command: string): TextLine[] =>
  count === 0
    ? []
    : [[styled('yellow', counted(count, 'problem')), ` in ${where}; ${command} shows ${count === 1 ? 'it' : 'them'}`]];

/** A hook that does not run, or is gone. Advice about hooks that do run is shown elsewhere. */
const isMissing = ({ skipped, code }: ConfigProblem): boolean => skipped || code === 'removed';

/** One line where the files of hooks are not the question. */
export const hookProblemsNote = ({ hooks }: Tools): Text =>
  note(
    hooks.problems.filter((problem) => isMissing(problem) && isAboutFile(problem)).length,
    'the files of ability hooks',
    'hookwright validate',
  );

/** Where what was done is the answer, nothing of what is wrong in files is told in full. */
export const problemsNotes = (tools: Tools): Text => [
  ...note(tools.abilityProblems.length, 'the files of abilities', 'hookwright ability list'),
  ...hookProblemsNote(tools),
];
