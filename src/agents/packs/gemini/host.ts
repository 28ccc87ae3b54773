import type { Said } from '../../answers/answer.ts';
import type { JsonObject } from '../../dialect.ts';
import { type HostedMoment, type HostRule, NO_REASON, namedEvent, type Written } from '../../hosting/host-rule.ts';
import { given, readShared } from '../../hosting/read.ts';

const documentOf = ({
  decision,
  reason,
  stop,
  context,
  message,
  suppressOutput,
  toolInput,
  specific,
}: Said): JsonObject => {
  const inner = given({ ...specific, additionalContext: context, tool_input: toolInput });
  return given({
    decision,
    reason: decision === 'deny' ? (reason ?? NO_REASON) : reason,
    ...(stop === undefined ? {} : given({ continue: false, stopReason: stop.reason || undefined })),
    systemMessage: message,
    suppressOutput,
    hookSpecificOutput: Object.keys(inner).length === 0 ? undefined : inner,
  });
};

/** What our hooks say is what theirs say. */
export const writeGemini =
  (asks: boolean): HostRule['write'] =>
  (wanted: Said, { rule }: HostedMoment): Written => {
    const cannotAsk = wanted.decision === 'ask' && !asks;
    const said: Said = cannotAsk
      ? {
          ...wanted,
          decision: 'deny',
          reason: `a person has to be asked, and hooks cannot: ${wanted.reason ?? NO_REASON}`,
        }
      : wanted;
    const stdout = documentOf(said);
    const isBlocked = said.decision === 'deny' && rule.blocks;
    return {
      ...(Object.keys(stdout).length === 0 ? {} : { stdout }),
      ...(isBlocked ? { stderr: said.reason ?? NO_REASON, exitCode: 2 } : { exitCode: 0 }),
    };
  };

export const geminiHost: HostRule = {
  knownBy: { signs: [['hook_event_name']], variable: 'GEMINI_CLI' },
  eventOf: namedEvent,
  read: readShared,
  write: writeGemini(true),
  mayHave: ['mcp_context', 'original_request_name', 'trigger', 'recheck'],
};
