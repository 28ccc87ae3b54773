import { readSession } from '../../../recorder/read-session.ts';
import type { Run } from '../../command.ts';
import { expectEvent } from '../../events.ts';
import { firedText } from '../../fired-lines.ts';
import { problemsText } from '../../problem-lines.ts';
import { findRequest, sessionProblems } from '../../recorded-requests.ts';
import { sessionFile, shortPath } from '../../sessions.ts';
import { styled } from '../../text.ts';
import type { whySpec } from './spec.ts';

export const run: Run<typeof whySpec> = async ({ request, session: wish, event, tool }, { cwd, screen }) => {
  if (event !== undefined) expectEvent(event);
  const session = readSession(sessionFile(cwd, wish));
  const found = await findRequest(session, { request, event, tool }, cwd);
  const problems = sessionProblems(session);
  const page = { cwd, width: screen.width };
  const { eventName, subject, line, trace, response } = found;
  return {
    data: { session: session.file, line, eventName, subject, request: found.request, response, trace },
    problems,
    text: () => [
      ...firedText(found, page),
      '',
      [styled('dim', `${shortPath(session.file, cwd)}:${line}  ${found.request.correlationId}`)],
      ...problemsText(problems, screen.width, cwd),
    ],
  };
};
