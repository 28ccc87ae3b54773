import { afterAll } from 'vitest';
import { removeTemporaryFolders } from './support/temporary-folder.ts';

/**
 * A warning of the process (MaxListenersExceededWarning, a deprecated call) is a bug of ours and fails the run: what is
 * thrown here is an unhandled error to vitest. Node's notices about its own experiments are not ours, and what a host without a
 * logger is warned of (HookwrightWarning) is a promise that has its tests.
 */
const failOnWarning = (warning: Error) => {
  if (!['ExperimentalWarning', 'HookwrightWarning'].includes(warning.name)) throw warning;
};

// A worker runs this before each of its files; one listener serves them all.
const isListening = process.listeners('warning').some(({ name }) => name === failOnWarning.name);
if (!isListening) process.on('warning', failOnWarning);

afterAll(removeTemporaryFolders);
