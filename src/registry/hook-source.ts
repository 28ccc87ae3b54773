// The sources from which the registry loads hooks.
import { createSlicer, describeThrown, isRecord } from '../kit/index.ts';
import { ConfigSource, type HostConfig, type HostExtension, type SkipReason } from '../protocol/index.ts';
import { type HookReading, readHooks } from './read-hooks.ts';
import type { TrustCheck } from './trust-check.ts';

export interface HookSource {
  /**
   * Called at each load. `types` are the allowed types of hooks. If the reading is not judged, the registry judges its
   * hooks by `trustCheck` and owns them.
   */
  load(types: readonly string[] | undefined, trustCheck: TrustCheck | undefined): HookReading | Promise<HookReading>;
}

/** A host configuration with settings files that were read before. */
export interface FileConfig extends HostConfig {
  /** @internal The files in order of precedence; they replace the host's settings. */
  getHookFiles?(): readonly HookSource[];
}

export const sourcesOf = (config: FileConfig): readonly HookSource[] => [
  ofSettings(() => config.getRuntimeHooks?.(), ConfigSource.Runtime),
  ...(config.getHookFiles?.() ?? [
    ofSettings(() => config.getHooks(), ConfigSource.Project),
    ofSettings(() => config.getUserHooks?.(), ConfigSource.User),
    ofSettings(() => config.getSystemHooks?.(), ConfigSource.System),
    { load: async (types) => readExtensions(await config.getExtensions?.(), types) },
  ]),
];

const ofSettings = (get: () => unknown, source: ConfigSource): HookSource => ({
  load: async (types) => readHooks(await get(), { source, barriers: [] }, types),
});

/** Yields to the event loop between extensions. */
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
    const barriers: readonly SkipReason[] = extension.isActive !== true ? ['source-inactive'] : [];
    return readHooks(extension.hooks, { source: ConfigSource.Extensions, extension: name, barriers }, types);
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
