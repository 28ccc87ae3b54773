/** Settings files and what was approved of them: found, read with every place, judged, followed. */
export type { LookedAt } from './files-source.ts';
export { type LoadConfigOptions, type LoadedFiles, loadConfig, loadWith } from './load-config.ts';
export type { LoadedConfig } from './loaded-config.ts';
export { environmentWishes } from './reading/environment-wishes.ts';
export { readFileSafely } from './reading/file-reader.ts';
export { parseJsonc } from './reading/parse-jsonc.ts';
export { extensionJsonSchema, settingsJsonSchema } from './schema/settings-schema.ts';
export type { ConfigFile } from './source-file.ts';
export { createTrustCheck, placeOfCheck, type TrustPlace } from './trust/index.ts';
export { pauseProblems } from './trust/pause/pause-problems.ts';
export { PauseSwitch } from './trust/pause/pause-switch.ts';
export { approve, checkTrustLock, reviewTrust, revoke, writeTrustLock } from './trust/review/api.ts';
export type { GoneHook, ReviewedHook, ScriptCoverage, TrustDifference } from './trust/review/review-data.ts';
export type { ReviewableConfig, TrustOptions } from './trust/review/survey.ts';
export { namedFiles, type Where } from './trust/scripts/named-files.ts';
export { oneAtATime, TrustStore } from './trust/store/trust-store.ts';
export type { FileState } from './trust/subject.ts';
export { type ConfigWatch, type WatchConfigOptions, watchConfig } from './watch.ts';
