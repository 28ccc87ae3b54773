import { type HookExecutionResult, isBlocking } from '../../protocol/index.ts';

const plural = (count: number): string => (count === 1 ? '1 hook' : `${count} hooks`);

const subjectText = (subject: string | undefined): string => (subject === undefined ? '' : ` for '${subject}'`);

/** Whether a hook did what it is for. One that exits with 2 to block has. */
export const isHealthy = ({ success, code, output }: HookExecutionResult): boolean =>
  code === undefined && (success || isBlocking(output?.decision));

/** The debug line of an event that ran hooks. */
export const firedLine = (
  eventName: string,
  subject: string | undefined,
  results: readonly HookExecutionResult[],
  durationMs: number,
  changed: string,
): string => {
  const health = results.every(isHealthy) ? 'success' : 'failure';
  const told = `${plural(results.length)}, ${Math.round(durationMs)}ms, ${health}${changed}`;
  return `${eventName} fired${subjectText(subject)}: ${told}`;
};

/** The debug line of an event for which nothing ran. */
export const skippedLine = (eventName: string, subject: string | undefined): string =>
  `${eventName} fired${subjectText(subject)}: 0 hooks matched, skipped`;
