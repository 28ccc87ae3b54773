import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** Hooks of a test keep nothing in the home of the person who runs it, once for each worker; npm goes on with its own files. */
const marker = 'hookwright-home-';
if (!homedir().includes(marker)) {
  const { npm_config_cache = join(homedir(), '.npm'), npm_config_userconfig = join(homedir(), '.npmrc') } = process.env;
  const home = mkdtempSync(join(tmpdir(), marker));
  Object.assign(process.env, { npm_config_cache, npm_config_userconfig, HOME: home, USERPROFILE: home });
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
}

afterAll(removeTemporaryFolders);
