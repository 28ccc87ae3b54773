import { localTime } from '../../../kit/index.ts';
import type { HookExecutionTrace } from '../../../protocol/index.ts';
import type { Session } from '../../../sessions/index.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { shortInput } from '../../rendering/input-text.ts';
import { table } from '../../rendering/layout.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { type Span, styled } from '../../rendering/text.ts';
import { answerPieces } from '../../rendering/verdict-text.ts';
import {
  listRequests,
  type RecordedRequest,
  type RequestSelector,
  sessionProblems,
} from '../../sources/recorded-requests.ts';
import { shortPath } from '../../sources/sessions.ts';

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
export const list = async (
  session: Session,
  wish: RequestSelector,
  { cwd, screen }: Context,
): Promise<CommandOutcome> => {
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
            screen.width,
          )),
      ...problemsText(problems, screen.width, cwd),
      [styled('dim', `${counted(requests.length, 'request')} in ${shortPath(session.file, cwd)}`)],
      ...(requests.length === 0 ? [] : [`details of one: hookwright why <${isJournal ? 'request' : 'line'}>`]),
    ],
  };
};
