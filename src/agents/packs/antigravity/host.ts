import type { Said } from '../../answers/answer.ts';
import { objectOf } from '../../answers/documents.ts';
import { type HostedMoment, type HostRule, NO_REASON, type Written } from '../../hosting/host-rule.ts';
import { given, readShared } from '../../hosting/read.ts';

/** A field too many voids the answer, and before a tool an answer without a decision blocks: each says just what it may. */
const answers: Readonly<Record<string, (said: Said) => Record<string, unknown>>> = {
  PreToolUse: ({ decision = 'allow', reason, toolInput }) =>
    given({
      decision,
      reason: decision === 'deny' ? (reason ?? NO_REASON) : reason,
      overwrite: decision === 'deny' ? undefined : toolInput,
    }),
  Stop: ({ decision, reason }) => (decision === 'deny' ? { decision: 'continue', reason: reason ?? NO_REASON } : {}),
  PreInvocation: ({ context }) => (context === undefined ? {} : { injectSteps: [{ userMessage: context }] }),
  PostInvocation: ({ context }) => (context === undefined ? {} : { injectSteps: [{ userMessage: context }] }),
};

const write = (said: Said, { event }: HostedMoment): Written => {
  const refused: Said =
    said.stop === undefined || event !== 'PreToolUse' ? said : { ...said, decision: 'deny', reason: said.stop.reason };
  return { stdout: answers[event]?.(refused) ?? {}, exitCode: 0 };
};

export const antigravityHost: HostRule = {
  knownBy: { signs: [['conversationId', 'workspacePaths']], variable: 'ANTIGRAVITY_CONVERSATION_ID' },
  // No event stands on stdin; two of them can be told by what only they bring.
  eventOf: (document) => ('executionNum' in document || 'terminationReason' in document ? 'Stop' : undefined),
  read: (document, spot) => {
    const call = objectOf(document.toolCall) ?? {};
    return readShared(
      {
        ...document,
        tool_name: call.name ?? 'unknown',
        tool_input: call.args,
        tool_response: { error: document.error },
      },
      spot,
    );
  },
  write,
  mayHave: ['modelName', 'error', 'stepIdx'],
};
