import { readSession } from '../../../recorder/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import type { Run } from '../../command.ts';
import { firedText } from '../../rendering/fired-lines.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { findRequest, sessionProblems } from '../../sources/recorded-requests.ts';
import { sessionFile, shortPath } from '../../sources/sessions.ts';
import { styled } from '../../terminal/text.ts';
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
