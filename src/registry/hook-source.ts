// The sources from which the registry loads hooks: code, settings, extensions.
import { createSlicer, describeThrown, isRecord } from '../kit/index.ts';
import { ConfigSource, type HostConfig, type HostExtension, type SkipReason } from '../protocol/index.ts';
import { type HookReading, readHooks } from './read-hooks.ts';
import type { TrustCheck } from './trust-check.ts';

/** Loaded with the sources, in one file. */
export { createApprovalProblem, waitsForApproval, withTrust } from './trust-check.ts';

export interface HookSource {
  /** Called at each load. If the result is not `isJudged`, the registry applies `trustCheck` itself. */
  load(types: readonly string[] | undefined, trustCheck: TrustCheck | undefined): HookReading | Promise<HookReading>;
}

export interface FileConfig extends HostConfig {
  /** @internal Files in order of precedence; they replace the hooks of `getHooks` and the other sources. */
  getHookFiles?(): readonly HookSource[];
}

export const listSources = (config: FileConfig): readonly HookSource[] => [
  createSettingsSource(() => config.getRuntimeHooks?.(), ConfigSource.Runtime),
  ...(config.getHookFiles?.() ?? [
    createSettingsSource(() => config.getHooks(), ConfigSource.Project),
    createSettingsSource(() => config.getUserHooks?.(), ConfigSource.User),
    createSettingsSource(() => config.getSystemHooks?.(), ConfigSource.System),
    { load: async (types) => readExtensions(await config.getExtensions?.(), types) },
  ]),
];

const createSettingsSource = (get: () => unknown, source: ConfigSource): HookSource => ({
  load: async (types) => readHooks(await get(), { source, skipReasons: [] }, types),
});

const readExtensions = async (
  extensions: readonly HostExtension[] | undefined,
  types: readonly string[] | undefined,
): Promise<HookReading> => {
  const reading: HookReading = { hooks: [], problems: [] };
  if (!Array.isArray(extensions)) return reading;
  const giveTurn = createSlicer();
  for (const [index, extension] of extensions.entries()) {
    const { hooks, problems } = readExtension(extension, index, types);
    reading.hooks.push(...hooks);
    reading.problems.push(...problems);
    await giveTurn();
  }
  return reading;
};

const readExtension = (extension: unknown, index: number, types: readonly string[] | undefined): HookReading => {
  const fallback = `#${index + 1}`;
  try {
    if (!isRecord(extension)) throw new TypeError('an extension must be an object');
    const name = typeof extension.name === 'string' ? extension.name : fallback;
    const skipReasons: readonly SkipReason[] = extension.isActive !== true ? ['source-inactive'] : [];
    return readHooks(extension.hooks, { source: ConfigSource.Extensions, extension: name, skipReasons }, types);
  } catch (error) {
    const message = `extension ${fallback} cannot be read: ${describeThrown(error)}`;
    const path = `extensions[${index}]`;
    const source = ConfigSource.Extensions;
    return {
      hooks: [],
      problems: [{ code: 'invalid-value', severity: 'warning', skipped: true, path, source, message }],
    };
  }
};
