/** The part of `loadConfig` that is loaded on demand. */
export { FilesSource } from './files-source.ts';
export { LoadedConfig } from './loaded-config.ts';
