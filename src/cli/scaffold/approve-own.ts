import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../kit/index.ts';
import { sha256 } from '../../kit/node.ts';
import type { ReviewedHook } from '../../settings/index.ts';
import { reviewTrust } from '../../settings/internal.ts';
import type { Context } from '../context.ts';
import { loadSettings } from '../sources/load-settings.ts';
import type { HookPlan } from './plan.ts';

/** What an entry of ours may say; what else changes what is started is nobody's word but somebody else's. */
const ours: readonly string[] = [
  'type',
  'name',
  'command',
  'timeout',
  'onFault',
  'advisory',
  'if',
  'verdict',
  'reason',
  'canary',
];

/** Whether a hook is the entry that was written, in the file that was written, and its files have the bytes that were. */
const isWritten = (
  { entry, file, script }: ReviewedHook,
  { files, definition }: HookPlan,
  settings: string,
): boolean => {
  const [{ name, command, verdict, reason, canary, if: condition }] = definition.hooks;
  const { hook } = entry;
  const texts = new Map(files.map(({ path, text }) => [basename(path), sha256(text)]));
  return (
    file === settings &&
    isRecord(hook) &&
    Object.keys(hook).every((key) => ours.includes(key)) &&
    hook.name === name &&
    hook.command === command &&
    hook.verdict === verdict &&
    hook.reason === reason &&
    isDeepStrictEqual(hook.if, condition) &&
    isDeepStrictEqual(hook.canary, canary) &&
    (verdict !== undefined || script.files.length > 0) &&
    script.files.every(({ path, sha256: found }) => found !== undefined && texts.get(basename(path)) === found)
  );
};

/**
 * Approves the hook that this command has just written, as it wrote it, and nothing that only resembles it: whoever asked
 * for it has said that it may run. What its author changes in it later is looked at as any other change.
 */
export const approveOwn = async (plan: HookPlan, settings: string, context: Context): Promise<boolean> => {
  const { config } = await loadSettings(context);
  const review = await reviewTrust(config);
  const own = review.hooks.filter((hook) => isWritten(hook, plan, settings));
  if (own.length > 0) await review.approve(own.map(({ id }) => id));
  return own.length > 0;
};
