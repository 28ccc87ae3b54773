import { paragraph } from '../rendering/layout.ts';
import { counted } from '../rendering/problem-lines.ts';
import { took } from '../rendering/verdict-text.ts';
import { styled, type Text, type TextLine } from '../terminal/text.ts';
import type { WarmComparison, WarmDifference } from './compare.ts';

/** What there is to say about one hook. */
export interface WarmReport {
  readonly hookId: string;
  readonly name: string;
  /** It says `"warm": true` already. */
  readonly isWarm: boolean;
  /** Why it was not run. */
  readonly skipped?: string;
  readonly comparison?: WarmComparison;
  readonly inputs?: { readonly from: 'recording' | 'sample'; readonly count: number };
  readonly canBlock?: boolean;
}

const sources = { recording: 'recorded input', sample: 'plain input' };

const shown = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));

const differenceText = (differences: readonly WarmDifference[], [one, other]: readonly [string, string]): TextLine[] =>
  differences.flatMap(({ what, cold, warm }) => [
    `    ${what}, ${one}: ${shown(cold)}`,
    `    ${what}, ${other}: ${shown(warm)}`,
  ]);

const headOf = ({ name, comparison, inputs, skipped }: WarmReport): TextLine => {
  const tried = inputs === undefined ? '' : ` over ${counted(inputs.count, sources[inputs.from])}`;
  if (comparison === undefined) return [styled('dim', `- ${name} was not run: ${skipped ?? 'it cannot be read'}`)];
  switch (comparison.state) {
    case 'equal':
      return [
        styled('green', '✓ '),
        styled('bold', name),
        ` is the same${tried}: ${took(comparison.coldMs)} cold, ${took(comparison.warmMs)} warm`,
      ];
    case 'differs':
      return [styled('red', '✗ '), styled('bold', name), ' is another when it is started ahead'];
    case 'unsteady':
      return [styled('yellow', '? '), styled('bold', name), ' is another at each run, so nothing can be compared'];
    case 'not-served':
      return [styled('red', '✗ '), styled('bold', name), ' cannot be started ahead'];
  }
};

const detailsOf = ({ comparison, canBlock, isWarm }: WarmReport, gates: boolean, width: number): Text => {
  switch (comparison?.state) {
    case 'differs':
      return differenceText(comparison.differences, ['cold', 'warm']);
    case 'unsteady':
      return differenceText(comparison.differences, ['once', 'again']);
    case 'not-served':
      return paragraph(comparison.why, width, 4);
    case 'equal':
      if (isWarm) return ['    it is started ahead already'];
      return canBlock === true && !gates ? ['    it can block: proposed with --gates only'] : [];
    default:
      return [];
  }
};

export const reportText = (reports: readonly WarmReport[], gates: boolean, width: number): Text =>
  reports.flatMap((report) => [headOf(report), ...detailsOf(report, gates, width)]);
