import type { Session } from '../../../sessions/index.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { shortInput } from '../../rendering/input-text.ts';
import { table } from '../../rendering/layout.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { answerPieces } from '../../rendering/verdict-text.ts';
import {
  listRequests,
  type RecordedRequest,
  type RequestSelector,
  sessionProblems,
} from '../../sources/recorded-requests.ts';
import { shortPath } from '../../sources/sessions.ts';
import { type Span, styled } from '../../terminal/text.ts';

const columns = [
  { title: 'line' },
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

const dataOf = ({ line, request, eventName, subject, payload, response }: RecordedRequest): object => ({
  line,
  correlationId: request.correlationId,
  eventName,
  ...(subject === undefined ? {} : { subject }),
  payload,
  ...(response === undefined ? {} : { response }),
});

/** All requests of a session, a line each. */
export const list = async (
  session: Session,
  wish: RequestSelector,
  { cwd, screen }: Context,
): Promise<CommandOutcome> => {
  const requests = await listRequests(session, wish);
  const problems = sessionProblems(session);
  return {
    data: { session: session.file, requests: requests.map(dataOf) },
    problems,
    text: () => [
      ...(requests.length === 0
        ? []
        : table(
            columns,
            requests.map(({ line, eventName, subject, payload, response }) => [
              String(line),
              { text: eventName, style: 'bold' },
              subject ?? '',
              shortInput(eventName, payload) ?? '',
              asCell(answerPieces(response)),
            ]),
            screen.width,
          )),
      ...problemsText(problems, screen.width, cwd),
      [styled('dim', `${counted(requests.length, 'request')} in ${shortPath(session.file, cwd)}`)],
      ...(requests.length === 0 ? [] : ['details of one: hookwright why <line>']),
    ],
  };
};
