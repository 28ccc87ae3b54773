import { extensionFileKeys, settingsFileKeys, settingsSections } from '../../protocol/index.ts';
import type { SourceFile } from './source-file.ts';

/** What may stand in a file of ours, or in a section of it. Sections that are not ours have no keys. */
export const settingsKeys = ({ scope }: SourceFile, section: string | undefined): readonly string[] => {
  if (section !== undefined) {
    const sections: Readonly<Record<string, object>> = settingsSections();
    return Object.keys(sections[section] ?? {});
  }
  return scope === 'extensions' ? extensionFileKeys : settingsFileKeys;
};
