/// <reference lib="esnext.disposable" preserve="true" />

// `watchConfig`: reloads a configuration when its files change. The watcher itself is imported on demand.
import { createInvalidArgument } from '../errors.ts';
import { describeValue, isRecord, onAbort } from '../kit/index.ts';
import type { LoadedConfig } from './loaded-config.ts';
import type { WatchConfigOptions } from './watching/watcher.ts';

export type { WatchConfigOptions };

export interface ConfigWatch {
  /** Resolves when every later change is noticed. */
  readonly ready: Promise<void>;
  /** Resolves after a running reload has finished. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const expectArguments = (config: unknown, options: unknown): void => {
  if (!isRecord(config) || typeof config.getFiles !== 'function' || typeof config.reload !== 'function') {
    throw createInvalidArgument(`watchConfig takes the config that loadConfig made; got ${describeValue(config)}`);
  }
  if (!isRecord(options))
    throw createInvalidArgument(`watchConfig takes an object of options; got ${describeValue(options)}`);
  const { debounceMs } = options;
  if (debounceMs === undefined || (typeof debounceMs === 'number' && debounceMs >= 0)) return;
  throw createInvalidArgument(`watchConfig needs debounceMs as milliseconds; got ${describeValue(debounceMs)}`);
};

/**
 * Reloads the configuration when settings files (existing or new), approvals or scripts of approved hooks change. A
 * reload takes effect between two events. Does not keep the process alive.
 */
export const watchConfig = (config: LoadedConfig, options: WatchConfigOptions = {}): ConfigWatch => {
  expectArguments(config, options);
  const { signal } = options;
  let isClosed = signal?.aborted === true;
  const starting = isClosed
    ? undefined
    : import('./watching/watcher.ts').then(async ({ ConfigWatcher }) => {
        const watcher = new ConfigWatcher(config, options);
        if (!isClosed) await watcher.start();
        return watcher;
      });
  const close = async (): Promise<void> => {
    isClosed = true;
    stopListening?.();
    await (await starting)?.close();
  };
  const stopListening = signal && !isClosed ? onAbort(signal, () => void close()) : undefined;
  return { ready: Promise.resolve(starting).then(() => undefined), close, [Symbol.asyncDispose]: close };
};
