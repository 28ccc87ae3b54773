import { objectOf } from '../../answers/documents.ts';
import type { DialectEntry } from '../../reading/entry.ts';
import { listOf, onlyListedUrls } from '../../reading/refine.ts';
import type { SwitchSource } from '../../reading/switch-files.ts';

const SECOND = 1_000;
const MOST_AT_END = 60 * SECOND;

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What hooks of the end of a session share: as much as the one that asks for most. */
const shareAtEnd = (files: readonly SwitchSource[]): number => {
  const wishes = files
    .flatMap(({ root }) => listIn(objectOf(root.hooks)?.SessionEnd))
    .flatMap((group) => listIn(objectOf(group)?.hooks))
    .flatMap((handler) => objectOf(handler)?.timeout ?? [])
    .filter((timeout) => typeof timeout === 'number');
  return Math.min(MOST_AT_END, Math.max(0, ...wishes) * SECOND);
};

/** What other settings make of a handler of Claude Code. */
export const refineClaude = (files: readonly SwitchSource[]): ((entry: DialectEntry) => DialectEntry) => {
  const listed = onlyListedUrls(
    'allowedHttpHookUrls',
    listOf(files, ({ allowedHttpHookUrls }) => allowedHttpHookUrls),
  );
  const names = listOf(files, ({ httpHookAllowedEnvVars }) => httpHookAllowedEnvVars)?.items;
  const share = shareAtEnd(files);
  const timed = (entry: DialectEntry): DialectEntry => {
    const { handler, event, written } = entry;
    if (handler === undefined || event !== 'SessionEnd' || written.timeout !== undefined) return entry;
    return { ...entry, handler: { ...handler, timeoutMs: Math.max(handler.timeoutMs, share) } };
  };
  return (entry) => {
    const { handler } = entry;
    if (handler?.allowedEnvVars === undefined || names === undefined) return listed(timed(entry));
    const allowedEnvVars = handler.allowedEnvVars.filter((name) => names.includes(name));
    return listed(timed({ ...entry, handler: { ...handler, allowedEnvVars } }));
  };
};
