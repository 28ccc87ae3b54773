import { isDeepStrictEqual } from 'node:util';
import { readSession } from '../../../sessions/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import { firedText } from '../../rendering/fired-lines.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { findRequest, sessionProblems } from '../../sources/recorded-requests.ts';
import { sessionFile, shortPath } from '../../sources/sessions.ts';
import { styled, type Text } from '../../terminal/text.ts';
import type { whySpec } from './spec.ts';

export const run: Run<typeof whySpec> = async (given, context) => {
  const { request, session: wish, event, tool, full } = given;
  const { cwd, screen } = context;
  if (event !== undefined) expectEvent(event);
  if (given.list && request !== undefined) throw new UsageError('--list shows all requests; leave out the request');
  const session = readSession(sessionFile(cwd, wish));
  if (given.list) return (await import('./list.ts')).list(session, { request, event, tool }, context);
  const found = await findRequest(session, { request, event, tool }, cwd);
  const problems = sessionProblems(session);
  const { eventName, subject, line, trace, response } = found;
  const place = `${shortPath(session.file, cwd)}:${line}`;
  const told = (isFull: boolean): Text => firedText(found, { cwd, width: screen.width, isFull });
  return {
    data: { session: session.file, line, eventName, subject, request: found.request, response, trace },
    problems,
    text: () => [
      ...told(full),
      '',
      [styled('dim', `${place}  ${found.request.correlationId}`)],
      ...(full || isDeepStrictEqual(told(true), told(false))
        ? []
        : [[styled('dim', `long values are cut: hookwright why ${line} --full`)]]),
      ...problemsText(problems, screen.width, cwd),
    ],
  };
};
