import type { DialectsOption } from '../../agents/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import type { NoticeCode } from '../../protocol/index.ts';
import type { SettingsDocument } from './document.ts';
import type { FoundFile } from './file-reader.ts';

/** The key, and its older name. */
const keys = ['dialects', 'agents'] as const;
type Key = (typeof keys)[number];

const skip = (document: SettingsDocument, code: NoticeCode, path: string, message: string): void =>
  document.report({ code, skipped: true, path, message }, document.positionOf(path));

const wishesIn = async ({ file, document, exposed }: FoundFile, key: Key): Promise<DialectsOption> => {
  if (document === undefined || file.family !== 'hookwright' || file.scope === 'extensions') return {};
  const value = document.read(key)?.value;
  if (value === undefined) return {};
  if (file.owner === 'project') {
    const message = `${key} has no effect here: only the settings of the user choose whose hooks are read`;
    skip(document, 'no-effect', key, message);
    return {};
  }
  if (exposed !== undefined) return {};
  if (!isRecord(value)) {
    const message = `${key} must be an object such as {"claude-code": true}, found ${describeValue(value)}`;
    skip(document, 'invalid-value', key, message);
    return {};
  }
  const { readWish } = await import('../../agents/engine-api.ts');
  const wishes: [string, DialectsOption[string]][] = [];
  for (const [name, wish] of Object.entries(value)) {
    const read = readWish(name, wish, key);
    if ('mistake' in read) skip(document, read.code, `${key}.${name}`, read.mistake);
    else wishes.push([name, read.wish]);
  }
  return Object.fromEntries(wishes);
};

/** Whose hooks the settings of the user, and of the system, say are read besides. Later files replace earlier ones. */
export const dialectWishes = async (found: readonly FoundFile[]): Promise<DialectsOption> =>
  Object.assign({}, ...(await Promise.all(found.flatMap((file) => keys.map((key) => wishesIn(file, key))))));
