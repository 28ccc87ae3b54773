// Helpers of several packs.
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
