import { type Answer, type Ended, failed, type Said, said, silent } from '../../answers/answer.ts';
import { filled, firstFilled, objectOf, parseDocument, specificOf } from '../../answers/documents.ts';
import type { AnswerContext, Json } from '../../dialect.ts';
import { isAtLeast } from '../../version.ts';
import { plainName } from './events.ts';

const words: Readonly<Record<string, Said['decision']>> = { allow: 'allow', ask: 'ask', deny: 'deny', block: 'deny' };

const wordOf = (value: unknown): Said['decision'] => (typeof value === 'string' ? words[value] : undefined);

const isProgress = (line: string): boolean => {
  const parsed = line.trim().startsWith('{') ? parseDocument(line) : undefined;
  return parsed !== undefined && 'document' in parsed && parsed.document.type === 'progress';
};

const withoutProgress = (stdout: string): string =>
  stdout
    .split('\n')
    .filter((line) => !isProgress(line))
    .join('\n');

const ofDocument = (document: Json, event: string): Said => {
  const specific = specificOf(document);
  const merged = { ...specific, ...document };
  const decision =
    event === 'permissionRequest'
      ? wordOf(merged.behavior)
      : event === 'agentStop' || event === 'subagentStop'
        ? wordOf(merged.decision)
        : wordOf(merged.permissionDecision);
  return {
    decision,
    reason: firstFilled(merged.permissionDecisionReason, merged.message, merged.reason),
    context: filled(merged.additionalContext),
    toolInput: objectOf(merged.modifiedArgs) ?? objectOf(merged.updatedInput),
  };
};

const parseOutput = (stdout: string): Json | undefined => {
  const parsed = parseDocument(withoutProgress(stdout));
  return 'document' in parsed ? parsed.document : undefined;
};

const onError: Readonly<Record<string, 'denies' | 'nothing'>> = { preToolUse: 'denies' };

export const readAnswer = (ended: Ended, context: AnswerContext): Answer => {
  const event = plainName(context.event);
  if (ended.timedOut === true) return failed('the hook ran out of time; the agent goes on with a warning');
  if (ended.isHttp === true && ended.notStarted !== undefined) return failed(ended.notStarted);
  const document = parseOutput(ended.stdout);
  const stderr = filled(ended.stderr);
  if (ended.exitCode === 0) {
    if (document !== undefined) return said(ofDocument(document, event));
    return filled(ended.stdout) === undefined ? silent : said({}, 'output that is not one JSON document is dropped');
  }
  const from = document === undefined ? {} : ofDocument(document, event);
  if (ended.exitCode === 2) {
    if (event === 'preToolUse' && isAtLeast(context.version, '1.0.70'))
      return said({ ...from, decision: 'deny', reason: from.reason ?? stderr ?? 'Denied by preToolUse hook' });
    if (event === 'permissionRequest') return said({ ...from, decision: 'deny' });
    if (event === 'postToolUseFailure') return said({ context: filled(ended.stdout) });
    if (event !== 'preToolUse') return said({ message: stderr }, `exit code 2 only warns on ${context.event}`);
  }
  const why = ended.notStarted ?? `the hook ended with ${ended.exitCode ?? ended.signal ?? 'a signal'}`;
  if (onError[event] === 'denies' && isAtLeast(context.version, '1.0.57'))
    return said({ decision: 'deny', reason: `Denied by preToolUse hook (hook errored): ${stderr ?? why}` });
  return failed(why);
};

export const copilotBlockIn = (document: Json): string | undefined => {
  const specific = specificOf(document);
  const values = [document, specific].flatMap(({ permissionDecision, behavior, decision }) => [
    permissionDecision,
    behavior,
    decision,
  ]);
  if (!values.some((word) => word === 'deny' || word === 'block')) return undefined;
  return (
    firstFilled(
      document.permissionDecisionReason,
      specific.permissionDecisionReason,
      document.message,
      document.reason,
    ) ?? 'the hook denies'
  );
};
