import { isDeepStrictEqual } from 'node:util';
import { localTime } from '../../../kit/index.ts';
import type { HookExecutionTrace } from '../../../protocol/index.ts';
import type { Session } from '../../../sessions/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import type { Run } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { firedText, shortInput } from '../../rendering/fired-lines.ts';
import { table } from '../../rendering/layout.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { shortPath } from '../../rendering/short-path.ts';
import { type Span, styled, type Text } from '../../rendering/text.ts';
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

export const run: Run<typeof whySpec> = async (given, context) => {
  const { request, event, tool, full, denied } = given;
  const { cwd, width } = context;
  if (event !== undefined) expectEvent(event);
  if (given.list && request !== undefined) throw new UsageError('--list shows all requests; leave out the request');
  if (denied && request !== undefined) throw new UsageError('--denied lists requests; leave out the request');
  const { open } = await chooseRecording('why', given, context);
  const session = open();
  const isList = given.list || denied || (given.since !== undefined && request === undefined);
  if (isList) return list(session, { request, event, tool, denied }, context);
  const found = await findRequest(session, { request, event, tool }, cwd);
  const problems = sessionProblems(session);
  const { eventName, subject, line, file, trace, response } = found;
  const place = `${shortPath(file ?? session.file, cwd)}:${line}`;
  const when = trace === undefined ? '' : `  ${localTime(Date.parse(trace.startedAt))}`;
  const name = file === undefined ? line : found.request.correlationId;
  const told = (isFull: boolean): Text => firedText(found, { cwd, width, isFull });
  return {
    data: { session: file ?? session.file, line, eventName, subject, request: found.request, response, trace },
    problems,
    text: () => [
      ...told(full),
      '',
      [styled('dim', `${place}  ${found.request.correlationId}${file === undefined ? '' : when}`)],
      ...(full || isDeepStrictEqual(told(true), told(false))
        ? []
        : [[styled('dim', `long values are cut: hookwright why ${name} --full`)]]),
      ...problemsText(problems, context),
    ],
  };
};

/** How a request is named: by its line in a file, by its id in a journal, which is many files. */
const columnsFor = (isJournal: boolean) => [
  { title: isJournal ? 'request' : 'line' },
  ...(isJournal ? [{ title: 'when' }] : []),
  { title: 'event' },
  { title: 'about', min: 5 },
  { title: 'input', min: 12 },
  { title: 'result', min: 12 },
];

/** Pieces as one: a cell has one style, that of what it begins with. */
const asCell = (pieces: readonly (string | Span)[]): Span => {
  const [first] = pieces;
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('');
  return { text, style: typeof first === 'object' ? first.style : undefined };
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

const whenOf = (trace: HookExecutionTrace | undefined): string =>
  trace === undefined ? '' : localTime(Date.parse(trace.startedAt));

/** All requests of a session, a line each. */
const list = async (session: Session, wish: RequestSelector, context: Context): Promise<CommandOutcome> => {
  const requests = await listRequests(session, wish);
  const isJournal = requests.some(({ file }) => file !== undefined);
  const problems = sessionProblems(session);
  return {
    data: { session: session.file, requests: requests.map(dataOf) },
    problems,
    text: () => [
      ...(requests.length === 0
        ? []
        : table(
            columnsFor(isJournal),
            requests.map(({ line, request, eventName, subject, payload, response, trace }) => [
              ...(isJournal ? [request.correlationId, whenOf(trace)] : [String(line)]),
              { text: eventName, style: 'bold' },
              subject ?? '',
              shortInput(eventName, payload) ?? '',
              asCell(answerPieces(response)),
            ]),
            context.width,
          )),
      ...problemsText(problems, context),
      [styled('dim', `${counted(requests.length, 'request')} in ${shortPath(session.file, context.cwd)}`)],
      ...(requests.length === 0 ? [] : [`details of one: hookwright why <${isJournal ? 'request' : 'line'}>`]),
    ],
  };
};
