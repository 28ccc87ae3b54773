// Helpers that several packs use.
import type { Said } from '../answers/answer.ts';
import type { Call, FileRule, JsonObject } from '../rule-types.ts';

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

export const createDecisionReader =
  (words: Readonly<Record<string, Said['decision']>>) =>
  (value: unknown): Said['decision'] =>
    typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined;

const verdictWords = { allow: 'allow', ask: 'ask', deny: 'deny', block: 'deny' } as const;

export const readVerdict = createDecisionReader(verdictWords);

export const readVerdictOrApproval = createDecisionReader({ ...verdictWords, approve: 'allow' });
