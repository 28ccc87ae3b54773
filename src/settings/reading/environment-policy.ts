/** Reads from user and system settings which environment variables hooks of projects may see. */
import { findSettingsFiles } from '../find-files.ts';
import { SettingsFileReader } from './file-reader.ts';
import { readSwitches } from './switches.ts';

export interface EnvironmentPolicy {
  /** Variables that hooks of projects see even if they look like secrets. */
  readonly allowedEnv: readonly string[];
  readonly isEnvListed: boolean;
}

/** For hooks outside of settings files, such as those of abilities. */
export const readEnvironmentPolicy = async (home: string, root: string): Promise<EnvironmentPolicy> => {
  const place = { cwd: root, home, projectDir: root, outer: [], isHome: false, env: process.env };
  const { files } = findSettingsFiles({ ...place, platform: process.platform }, undefined);
  const reader = new SettingsFileReader();
  const found = await Promise.all(
    files.filter(({ scope }) => scope === 'user' || scope === 'system').map((file) => reader.read(file, home)),
  );
  const switches = found.flatMap(({ document, exposed }) =>
    document === undefined || exposed !== undefined ? [] : [readSwitches(document)],
  );
  return {
    allowedEnv: switches.flatMap((one) => one.allowedEnv.map(({ name }) => name)),
    isEnvListed: switches.some((one) => one.projectEnv?.on === true),
  };
};
