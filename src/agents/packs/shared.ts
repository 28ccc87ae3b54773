// Helpers of several packs.
import type { Said } from '../answers/answer.ts';
import type { Call, FileRule, JsonObject } from '../rule-types.ts';

export const SECOND = 1_000;

/** Keys of handlers by type, of agents that took them from Claude Code. */
export const handlerKeys = {
  command: ['type', 'command', 'timeout', 'statusMessage'],
  http: ['url', 'headers', 'allowedEnvVars'],
  mcp: ['server', 'tool', 'input'],
} as const;

/** Members of stdin that an input of ours has under the same names. */
export const members =
  (...names: readonly string[]) =>
  ({ input }: Call): JsonObject =>
    Object.fromEntries(names.map((name) => [name, input[name]]));

/** A settings file of an administrator. */
export const systemFile = (linux: string, darwin: string, win32?: string): FileRule => ({
  scope: 'system',
  path: { linux, darwin, ...(win32 === undefined ? {} : { win32 }) },
});

/** Reads a decision by the words that an agent knows. */
export const decisionBy =
  (words: Readonly<Record<string, Said['decision']>>) =>
  (value: unknown): Said['decision'] =>
    typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined;

const verdicts = { allow: 'allow', ask: 'ask', deny: 'deny', block: 'deny' } as const;

/** `allow`, `ask`, `deny` or `block`. */
export const verdictOf = decisionBy(verdicts);

/** The same, or `approve`. */
export const verdictOrApproval = decisionBy({ ...verdicts, approve: 'allow' });
