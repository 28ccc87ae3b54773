import type { HookEventName } from '../events/catalogue.ts';
import type { DefaultHookOutput } from '../events/outputs.ts';
import type { AggregatedHookResult } from '../protocol/run.ts';

const plural = (count: number): string => (count === 1 ? '1 hook' : `${count} hooks`);

const subjectText = (subject: string | undefined): string => (subject === undefined ? '' : ` for '${subject}'`);

/** The debug line of an event that ran hooks. */
export const firedLine = (
  eventName: HookEventName,
  subject: string | undefined,
  hooks: number,
  durationMs: number,
  result: AggregatedHookResult<DefaultHookOutput>,
): string => {
  const health = result.success ? 'success' : 'failure';
  const modified = result.finalOutput?.hookSpecificOutput?.llm_request === undefined ? '' : ' (modified request)';
  return `${eventName} fired${subjectText(subject)}: ${plural(hooks)}, ${Math.round(durationMs)}ms, ${health}${modified}`;
};

/** The debug line of an event for which nothing ran. */
export const skippedLine = (eventName: HookEventName, subject: string | undefined): string =>
  `${eventName} fired${subjectText(subject)}: 0 hooks matched, skipped`;
