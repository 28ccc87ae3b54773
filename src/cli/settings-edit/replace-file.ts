import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { describeThrown } from '../../kit/index.ts';
import { readRegular, replaceWhole } from '../../kit/node.ts';
import { MAX_BYTES, type SettingsText } from './settings-text.ts';

const textNow = async (target: string): Promise<string | undefined> => {
  const found = readRegular(target, { maxBytes: MAX_BYTES });
  // Not there, or not to be read any more: in any case not what was read before.
  return 'bytes' in found ? found.bytes.toString('utf8') : undefined;
};

const refuse = (file: string, why: string, cause?: unknown): HookwrightError =>
  new HookwrightError('invalid_config', `${file} ${why}`, { details: { file }, cause });

/**
 * Puts a new text in the place of a file, as a whole or not at all: beside it first, on the disk, then in its place.
 * The file keeps its mode and the links that lead to it. Refuses when the file was changed since it was read.
 */
export const replaceFile = async ({ file, target, text: before, mode }: SettingsText, text: string): Promise<void> => {
  const check = async (): Promise<void> => {
    if ((await textNow(target)) !== before)
      throw refuse(file, 'changed in the meantime; nothing was written, run it again');
  };
  try {
    await mkdir(dirname(target), { recursive: true });
    await replaceWhole({ path: target, text, mode: mode ?? 0o644, exactMode: mode !== undefined, check });
  } catch (error) {
    if (HookwrightError.is(error)) throw error;
    throw refuse(file, `could not be written: ${describeThrown(error)}`, error);
  }
};

/** Takes away a file that is as it was read. */
export const removeFile = async ({ file, target, text }: SettingsText): Promise<void> => {
  if ((await textNow(target)) !== text) throw refuse(file, 'changed in the meantime; it stays, run it again');
  try {
    await rm(target);
  } catch (error) {
    throw refuse(file, `could not be removed: ${describeThrown(error)}`, error);
  }
};
