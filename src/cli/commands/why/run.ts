/** `hookwright why`: explains one recorded request hook by hook, or lists requests. */
import { isDeepStrictEqual } from 'node:util';
import { formatLocalTime } from '../../../kit/index.ts';
import type { Session } from '../../../sessions/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import type { RunCommand } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { firedText, shortInput } from '../../rendering/fired-lines.ts';
import { type ItemColumn, itemTable } from '../../rendering/layout.ts';
import { problemsText, withCount } from '../../rendering/problem-lines.ts';
import { shortPath } from '../../rendering/short-path.ts';
import { plainText, type Span, styled, type Text } from '../../rendering/text.ts';
import { answerPieces } from '../../rendering/verdict-text.ts';
import { chooseRecording } from '../../sources/choose-session.ts';
import {
  findRequest,
  listRequests,
  type RecordedRequest,
  type RequestSelector,
  sessionProblems,
} from '../../sources/recorded-requests.ts';
import { UsageError } from '../../usage-error.ts';
import type { whySpec } from './spec.ts';

export const run: RunCommand<typeof whySpec> = async (options, context) => {
  const { request, event, tool, full, denied } = options;
  const { cwd, width } = context;
  if (event !== undefined) expectEvent(event);
  if (options.list && request !== undefined) throw new UsageError('--list shows all requests; leave out the request');
  if (denied && request !== undefined) throw new UsageError('--denied lists requests; leave out the request');
  const { open } = await chooseRecording('why', options, context);
  const session = open();
  const isList = options.list || denied || (options.since !== undefined && request === undefined);
  if (isList) return list(session, { request, event, tool, denied }, context);
  const found = await findRequest(session, { request, event, tool }, cwd);
  const problems = sessionProblems(session);
  const { eventName, subject, line, file, trace, response } = found;
  const location = `${shortPath(file ?? session.file, cwd)}:${line}`;
  const name = file === undefined ? line : found.request.correlationId;
  const textOf = (isFull: boolean): Text => firedText(found, { cwd, width, isFull });
  return {
    data: { session: file ?? session.file, line, eventName, subject, request: found.request, response, trace },
    problems,
    text: () => [
      ...textOf(full),
      '',
      [
        styled(
          'dim',
          `${location}  ${found.request.correlationId}${file === undefined || trace === undefined ? '' : `  ${formatTime(found)}`}`,
        ),
      ],
      ...(full || isDeepStrictEqual(textOf(true), textOf(false))
        ? []
        : [[styled('dim', `long values are cut: hookwright why ${name} --full`)]]),
      ...problemsText(problems, context),
    ],
  };
};

const formatTime = ({ trace }: RecordedRequest): string =>
  trace === undefined ? '' : formatLocalTime(Date.parse(trace.startedAt));

const columnsFor = (isJournal: boolean): readonly ItemColumn<RecordedRequest>[] => [
  ...(isJournal
    ? [
        { title: 'request', cell: ({ request }: RecordedRequest) => request.correlationId },
        { title: 'when', cell: formatTime },
      ]
    : [{ title: 'line', cell: ({ line }: RecordedRequest) => String(line) }]),
  { title: 'event', cell: ({ eventName }) => styled('bold', eventName) },
  { title: 'about', min: 5, cell: ({ subject = '' }) => subject },
  { title: 'input', min: 12, cell: ({ eventName, payload }) => shortInput(eventName, payload) ?? '' },
  { title: 'result', min: 12, cell: ({ response }) => asCell(answerPieces(response)) },
];

const asCell = (pieces: readonly (string | Span)[]): Span => {
  const [first] = pieces;
  return { text: plainText(pieces), style: typeof first === 'object' ? first.style : undefined };
};

const dataOf = ({ line, file, request, eventName, subject, payload, response }: RecordedRequest): object => ({
  line,
  ...(file === undefined ? {} : { file }),
  correlationId: request.correlationId,
  eventName,
  ...(subject === undefined ? {} : { subject }),
  payload,
  ...(response === undefined ? {} : { response }),
});

const list = async (session: Session, wish: RequestSelector, context: Context): Promise<CommandOutcome> => {
  const requests = await listRequests(session, wish);
  const isJournal = requests.some(({ file }) => file !== undefined);
  const problems = sessionProblems(session);
  return {
    data: { session: session.file, requests: requests.map(dataOf) },
    problems,
    text: () => [
      ...(requests.length === 0 ? [] : itemTable(columnsFor(isJournal), requests, context.width)),
      ...problemsText(problems, context),
      [styled('dim', `${withCount(requests.length, 'request')} in ${shortPath(session.file, context.cwd)}`)],
      ...(requests.length === 0 ? [] : [`details of one: hookwright why <${isJournal ? 'request' : 'line'}>`]),
    ],
  };
};
