/** Classes that `loadConfig` imports on demand. */
export { FilesSource } from './files-source.ts';
export { LoadedConfig } from './loaded-config.ts';
