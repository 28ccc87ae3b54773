/** Finds settings files, reads them with source locations, and watches them. */
export type { LookedAt } from './files-source.ts';
export { type LoadConfigOptions, type LoadedFiles, loadConfig, loadConfigWith } from './load-config.ts';
export type { LoadedConfig } from './loaded-config.ts';
export { readEnvironmentPolicy } from './reading/environment-policy.ts';
export { readFileSafely } from './reading/file-reader.ts';
export { parseJsonc } from './reading/parse-jsonc.ts';
export { extensionJsonSchema, settingsJsonSchema } from './schema/settings-schema.ts';
export type { ConfigFile } from './source-file.ts';
export { type ConfigWatch, type WatchConfigOptions, watchConfig } from './watch.ts';
