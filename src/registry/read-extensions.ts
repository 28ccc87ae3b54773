import { describeThrown, inSlices, isRecord } from '../kit/index.ts';
import { ConfigSource, type HostExtension, type SkipReason } from '../protocol/index.ts';
import type { HookIds } from './hook-id.ts';
import { type Reading, readHooks } from './read-hooks.ts';

const readExtension = (
  extension: unknown,
  index: number,
  ids: HookIds,
  types: readonly string[] | undefined,
): Reading => {
  const fallback = `#${index + 1}`;
  try {
    if (!isRecord(extension)) throw new TypeError('an extension must be an object');
    const name = typeof extension.name === 'string' ? extension.name : fallback;
    const barriers: readonly SkipReason[] = extension.isActive !== true ? ['source-inactive'] : [];
    return readHooks(extension.hooks, { source: ConfigSource.Extensions, extension: name, barriers }, ids, types);
  } catch (error) {
    const message = `extension ${fallback} cannot be read: ${describeThrown(error)}`;
    const problem = {
      code: 'invalid-value',
      severity: 'warning',
      skipped: true,
      path: `extensions[${index}]`,
      message,
    } as const;
    return { hooks: [], problems: [{ ...problem, source: ConfigSource.Extensions }] };
  }
};

/** The hooks of all extensions, giving others a turn between them. */
export const readExtensions = async (
  extensions: readonly HostExtension[] | undefined,
  ids: HookIds,
  types: readonly string[] | undefined,
): Promise<Reading[]> => {
  if (!Array.isArray(extensions)) return [];
  const giveTurn = inSlices();
  const readings: Reading[] = [];
  for (const [index, extension] of extensions.entries()) {
    readings.push(readExtension(extension, index, ids, types));
    await giveTurn();
  }
  return readings;
};
