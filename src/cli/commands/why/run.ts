/** `hookwright why`: explains one recorded request hook by hook, or lists requests. */
import { isDeepStrictEqual } from 'node:util';
import { formatLocalTime } from '../../../kit/index.ts';
import type { Session } from '../../../sessions/index.ts';
import { expectHookEvent } from '../../arguments/events.ts';
import type { CommandMain } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { formatFiredEvent, formatShortInput } from '../../rendering/fired-lines.ts';
import { formatItemTable, type ItemColumn } from '../../rendering/layout.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan, type Span, type Text, toPlainText } from '../../rendering/text.ts';
import { formatAnswerPieces } from '../../rendering/verdict-text.ts';
import { chooseRecording } from '../../sources/choose-session.ts';
import {
  findRequest,
  listRequests,
  listSessionProblems,
  type RecordedRequest,
  type RequestSelector,
} from '../../sources/recorded-requests.ts';
import { UsageError } from '../../usage-error.ts';
import type { whySpec } from './spec.ts';

export const run: CommandMain<typeof whySpec> = async (options, context) => {
  const { request, event, tool, full, denied } = options;
  const { cwd, width } = context;
  if (event !== undefined) expectHookEvent(event);
  if (options.list && request !== undefined) throw new UsageError('--list shows all requests; leave out the request');
  if (denied && request !== undefined) throw new UsageError('--denied lists requests; leave out the request');
  const { open } = await chooseRecording('why', options, context);
  const session = open();
  const isList = options.list || denied || (options.since !== undefined && request === undefined);
  if (isList) return showList(session, { request, event, tool, denied }, context);
  const found = await findRequest(session, { request, event, tool }, cwd);
  const problems = listSessionProblems(session);
  const { eventName, subject, line, file, trace, response } = found;
  const location = `${shortenPath(file ?? session.file, cwd)}:${line}`;
  const name = file === undefined ? line : found.request.correlationId;
  const when = file === undefined || trace === undefined ? [] : [formatTime(found)];
  const textOf = (isFull: boolean): Text => formatFiredEvent(found, { cwd, width, isFull });
  return {
    data: { session: file ?? session.file, line, eventName, subject, request: found.request, response, trace },
    problems,
    text: () => [
      ...textOf(full),
      '',
      [createSpan('dim', [location, found.request.correlationId, ...when].join('  '))],
      ...(full || isDeepStrictEqual(textOf(true), textOf(false))
        ? []
        : [[createSpan('dim', `long values are cut: hookwright why ${name} --full`)]]),
      ...formatProblems(problems, context),
    ],
  };
};

const formatTime = ({ trace }: RecordedRequest): string =>
  trace === undefined ? '' : formatLocalTime(Date.parse(trace.startedAt));

const createColumns = (isJournal: boolean): readonly ItemColumn<RecordedRequest>[] => [
  ...(isJournal
    ? [
        { title: 'request', cell: ({ request }: RecordedRequest) => request.correlationId },
        { title: 'when', cell: formatTime },
      ]
    : [{ title: 'line', cell: ({ line }: RecordedRequest) => String(line) }]),
  { title: 'event', cell: ({ eventName }) => createSpan('bold', eventName) },
  { title: 'about', min: 5, cell: ({ subject = '' }) => subject },
  { title: 'input', min: 12, cell: ({ eventName, payload }) => formatShortInput(eventName, payload) ?? '' },
  { title: 'result', min: 12, cell: ({ response }) => toCell(formatAnswerPieces(response)) },
];

const toCell = (pieces: readonly (string | Span)[]): Span => {
  const [first] = pieces;
  return { text: toPlainText(pieces), style: typeof first === 'object' ? first.style : undefined };
};

const toRequestData = ({ line, file, request, eventName, subject, payload, response }: RecordedRequest): object => {
  const { correlationId } = request;
  return { line, file, correlationId, eventName, subject, payload, response };
};

const showList = async (session: Session, wish: RequestSelector, context: Context): Promise<CommandOutcome> => {
  const requests = await listRequests(session, wish);
  const isJournal = requests.some(({ file }) => file !== undefined);
  const problems = listSessionProblems(session);
  return {
    data: { session: session.file, requests: requests.map(toRequestData) },
    problems,
    text: () => [
      ...formatItemTable(createColumns(isJournal), requests, context.width),
      ...formatProblems(problems, context),
      [createSpan('dim', `${formatCount(requests.length, 'request')} in ${shortenPath(session.file, context.cwd)}`)],
      ...(requests.length === 0 ? [] : [`details of one: hookwright why <${isJournal ? 'request' : 'line'}>`]),
    ],
  };
};
