// Helpers that several packs use.
import { isAtLeast } from '../agent-version.ts';
import type { Ended, Said } from '../answers/answer.ts';
import type { Call, EventRule, FileRule, JsonObject } from '../rule-types.ts';

export const SECOND = 1_000;

export const handlerKeys = {
  command: ['type', 'command', 'timeout', 'statusMessage'],
  http: ['url', 'headers', 'allowedEnvVars'],
  mcp: ['server', 'tool', 'input'],
} as const;

export const copyMembers =
  (...names: readonly string[]) =>
  ({ input }: Call): JsonObject =>
    Object.fromEntries(names.map((name) => [name, input[name]]));

export const createSystemFile = (linux: string, darwin: string, win32?: string): FileRule => ({
  scope: 'system',
  path: { linux, darwin, ...(win32 === undefined ? {} : { win32 }) },
});

export const pickEventsOfVersion = (
  events: Readonly<Record<string, EventRule>>,
  version: string,
): Record<string, EventRule> =>
  Object.fromEntries(
    Object.entries(events).filter(([, { since }]) => since === undefined || isAtLeast(version, since)),
  );

export const toSessionSource = (source: unknown): unknown => (source === 'compress' ? 'compact' : source);

export const toNotificationType = (type: unknown): unknown => (type === 'ToolPermission' ? 'permission_prompt' : type);

export const describeExit = ({ exitCode, signal }: Ended): string =>
  `the hook ended with ${exitCode ?? signal ?? 'a signal'}`;

/** For agents whose hooks cannot stop the agent. */
export const replaceStopByDenial = (said: Said): Said =>
  said.stop === undefined ? said : { ...said, decision: 'deny', reason: said.stop.reason };

export const isDenialWord = (value: unknown): boolean => value === 'deny' || value === 'block';

export const createDecisionReader =
  (words: Readonly<Record<string, Said['decision']>>) =>
  (value: unknown): Said['decision'] =>
    typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined;

const verdictWords = { allow: 'allow', ask: 'ask', deny: 'deny', block: 'deny' } as const;

export const readVerdict = createDecisionReader(verdictWords);

export const readVerdictOrApproval = createDecisionReader({ ...verdictWords, approve: 'allow' });
