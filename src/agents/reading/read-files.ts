import type { Dialect, Platform } from '../dialect.ts';
import { type DialectReading, type ReadFile, readDialectFile } from './read-file.ts';

export interface ReadTogether<File extends ReadFile> {
  readonly file: File;
  readonly reading: DialectReading;
}

/** Reads all files of a dialect: what switches hooks off may stand in another file than they do. */
export const readDialectFiles = <File extends ReadFile>(
  dialect: Dialect,
  files: readonly File[],
  options: { readonly version?: string; readonly platform?: Platform } = {},
): ReadTogether<File>[] => {
  const read = files.map((file) => ({ file, reading: readDialectFile(dialect, file, options) }));
  const { switches, refine } = dialect;
  const switched = ({ file: { path, scope, form }, reading: { root = {} } }: ReadTogether<File>) => ({
    path,
    scope,
    form,
    root,
  });
  const all = read.map(switched);
  const whyOff = switches?.(all);
  const refined = refine?.(all);
  return read.map((one) => {
    const { off: alone, ...rest } = one.reading;
    const off = whyOff === undefined ? alone : whyOff(switched(one));
    const reading = refined === undefined ? rest : { ...rest, entries: rest.entries.map(refined) };
    const said = dialect.besides?.(switched(one), all);
    const at = { severity: 'warning', file: one.file.path, path: '', line: 1, column: 1 } as const;
    const problems = said === undefined ? reading.problems : [...reading.problems, { ...at, ...said }];
    return { file: one.file, reading: { ...reading, problems, ...(off === undefined ? {} : { off }) } };
  });
};
