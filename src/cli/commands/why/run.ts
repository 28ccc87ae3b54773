import { isDeepStrictEqual } from 'node:util';
import { localTime } from '../../../kit/index.ts';
import { expectEvent } from '../../arguments/events.ts';
import type { Run } from '../../command.ts';
import { firedText } from '../../rendering/fired-lines.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { styled, type Text } from '../../rendering/text.ts';
import { chooseRecording } from '../../sources/choose-session.ts';
import { findRequest, sessionProblems } from '../../sources/recorded-requests.ts';
import { shortPath } from '../../sources/sessions.ts';
import { UsageError } from '../../usage-error.ts';
import type { whySpec } from './spec.ts';

export const run: Run<typeof whySpec> = async (given, context) => {
  const { request, event, tool, full, denied } = given;
  const { cwd, screen } = context;
  if (event !== undefined) expectEvent(event);
  if (given.list && request !== undefined) throw new UsageError('--list shows all requests; leave out the request');
  if (denied && request !== undefined) throw new UsageError('--denied lists requests; leave out the request');
  const { open } = await chooseRecording('why', given, context);
  const session = open();
  const isList = given.list || denied || (given.since !== undefined && request === undefined);
  if (isList) return (await import('./list.ts')).list(session, { request, event, tool, denied }, context);
  const found = await findRequest(session, { request, event, tool }, cwd);
  const problems = sessionProblems(session);
  const { eventName, subject, line, file, trace, response } = found;
  const place = `${shortPath(file ?? session.file, cwd)}:${line}`;
  const when = trace === undefined ? '' : `  ${localTime(Date.parse(trace.startedAt))}`;
  const name = file === undefined ? line : found.request.correlationId;
  const told = (isFull: boolean): Text => firedText(found, { cwd, width: screen.width, isFull });
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
      ...problemsText(problems, screen.width, cwd),
    ],
  };
};
