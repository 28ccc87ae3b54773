import { isHookEventName } from '../../events/index.ts';
import { describeThrown } from '../../kit/index.ts';
import {
  type AnswerMessage,
  type ConfigProblem,
  type HookExecutionTrace,
  MessageBusType,
} from '../../protocol/index.ts';
import { kindFor } from '../hook-kinds.ts';
import { inputText, shortInput } from './input-text.ts';
import { labelled, paragraph } from './layout.ts';
import { counted } from './problem-lines.ts';
import { failureOf, leftOutBlock, type Page, ranBlock } from './row-lines.ts';
import { shownName } from './shown-name.ts';
import { type Span, styled, type Text } from './text.ts';
import { answerPieces, decisionIn, took, verdictSpan } from './verdict-text.ts';

/** One request and what came of it. */
export interface AnsweredEvent<Answer extends AnswerMessage = AnswerMessage> {
  readonly eventName: string;
  readonly subject?: string | undefined;
  readonly response?: Answer | undefined;
  readonly trace?: HookExecutionTrace | undefined;
  /** Why no person answered its `ask`, and what became of the call. */
  readonly unanswered?: string | undefined;
  /** What it was fired with. */
  readonly payload?: unknown;
  /** Ids of hooks that would have run, had only others not been asked for. */
  readonly leftOut?: ReadonlySet<string> | undefined;
  /** Hooks in the background that still ran at the end and were ended, by name. */
  readonly leftRunning?: readonly string[] | undefined;
  /** Errors of hooks, with those that were found when they were loaded. */
  readonly problems?: readonly ConfigProblem[] | undefined;
  /** Whether settings could not be read, so that there may be unknown hooks. */
  readonly isUnread?: boolean | undefined;
}

const modes = { parallel: 'at once', sequential: 'one after another', none: '' } as const;

const noHooks = (isUnread: boolean): string =>
  isUnread ? 'no hook could be read: correct the settings first' : 'no hook is configured for this event';

const courseText = ({ mode, durationMs, rows }: HookExecutionTrace, isUnread: boolean): string => {
  const ran = rows.filter(({ planned, background }) => planned === 'run' && background !== true).length;
  const skipped = rows.length - ran;
  const how = ran > 1 ? ` ${modes[mode]}` : '';
  const others = skipped === 0 ? '' : `, ${counted(skipped, 'hook')} did not run`;
  return rows.length === 0 ? noHooks(isUnread) : `${counted(ran, 'hook')} ran${how} in ${took(durationMs)}${others}`;
};

/** What failed hooks mean for the call, where no other hook decided it. */
const faultPieces = ({ eventName, response, trace }: AnsweredEvent): (string | Span)[] => {
  const failed = (trace?.rows ?? []).filter(({ outcome }) => outcome === 'faulted');
  const decision =
    response?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? decisionIn(eventName, response.output) : undefined;
  if (failed.length === 0 || response?.error !== undefined || decision?.verdict !== 'none') return [];
  const named = failed.map((row) => `${shownName(row.name)} failed (${failureOf(row)})`);
  const isCall = isHookEventName(eventName) && kindFor(eventName) === 'guard';
  return [styled('red', named.join(', ')), isCall ? ', so the call goes ahead' : ', so the agent goes on'];
};

/** `BeforeTool Bash: no opinion; guard failed (exit code 1), so the call goes ahead`. */
export const headline = (fired: AnsweredEvent): Text[number] => {
  const { eventName, subject, response } = fired;
  const about = styled('bold', subject === undefined || subject === '' ? eventName : `${eventName} ${subject}`);
  const faults = faultPieces(fired);
  // A message that is only the stderr of a hook that failed is no answer.
  const isOnlyFault = faults.length > 0 && fired.trace?.rows.every(({ outcome }) => outcome !== 'answered');
  const answer = isOnlyFault ? [verdictSpan('none')] : answerPieces(response);
  return [about, ': ', ...answer, ...(faults.length === 0 ? [] : ['; ', ...faults])];
};

/** What was decided, and below it what became of each hook. */
export const firedText = (fired: AnsweredEvent, page: Page): Text => {
  const { trace, response, leftOut, isUnread = false } = fired;
  const input = page.isFull ? inputText(fired.eventName, fired.payload) : shortInput(fired.eventName, fired.payload);
  const errors = response?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? response.result.errors : [];
  return [
    headline(fired),
    ...(fired.unanswered === undefined ? [] : paragraph(fired.unanswered, page.width, 2, 2, 'yellow')),
    ...(input === undefined ? [] : labelled('input', input, { width: page.width, indent: 2, labelWidth: 7 })),
    ...paragraph(
      trace === undefined ? 'the recording has no trace for it' : courseText(trace, isUnread),
      page.width,
      2,
    ),
    ...(trace === undefined
      ? errors.flatMap((error) => paragraph(describeThrown(error), page.width, 2, 4, 'red'))
      : []),
    ...(trace?.rows ?? []).flatMap((row) => [
      '',
      ...(leftOut?.has(row.hookId) ? leftOutBlock(row, page) : ranBlock(row, page, fired.subject)),
    ]),
  ];
};
