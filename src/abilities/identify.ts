import { basename } from 'node:path';
import { ConfigSource } from '../protocol/index.ts';
import { HookIds } from '../registry/index.ts';
import type { HookFile } from './declaration/read-hook-file.ts';

export interface IdentifiedFile {
  readonly file: HookFile;
  readonly hookId: string;
}

/** Gives every file its id; those of files that cannot be read are by their names. */
export const identify = (files: readonly HookFile[]): IdentifiedFile[] => {
  const ids = new HookIds();
  return files.map((file) => {
    const { id: name = basename(file.file), eventType: eventName = '' } = file;
    return { file, hookId: ids.idFor({ source: ConfigSource.Project, eventName }, file.file, { name }) };
  });
};
