import type { SkipReason } from '../../protocol/index.ts';
import type { FileFormat, SourceFile } from '../source-file.ts';
import type { FoundFile } from './file-reader.ts';
import type { ListedName, Switches } from './switches.ts';

/** A file with what it says beside its hooks. */
export interface SwitchedFile extends FoundFile {
  readonly switches: Switches;
}

/** Why the hooks of a file do not run, and what to do about it. */
export interface Off {
  readonly barrier: SkipReason;
  readonly hint: string;
}

/** The settings of the user and of the system: their word holds beyond their own file. */
export const speaksForAll = ({ scope }: SourceFile): boolean => scope === 'user' || scope === 'system';

const off = (hint: string): Off => ({ barrier: 'hooks-disabled', hint });

const said = ({ file, switches: { enabledAt } }: SwitchedFile): string => `${file.path} says ${enabledAt?.name}.`;

const findSwitch = (files: readonly SwitchedFile[], family: FileFormat, enabled: boolean): SwitchedFile | undefined =>
  files.find(({ file, switches }) => speaksForAll(file) && file.family === family && switches.enabled === enabled);

/**
 * What keeps the hooks of a file from running, if anything does. Files are on unless one says off, ours and those of Gemini
 * CLI, where that is so since January 2026. What a project says holds for the project only.
 */
export const whyOff = (one: SwitchedFile, all: readonly SwitchedFile[]): Off | undefined => {
  const everything = findSwitch(all, 'hookwright', false);
  if (everything !== undefined) return off(said(everything));
  if (one.switches.enabled === false) return off(said(one));
  if (one.file.family === 'hookwright') return undefined;
  const never = findSwitch(all, 'gemini', false);
  return never === undefined ? undefined : off(said(never));
};

/** Names that are switched off wherever the hook comes from. */
export const disabledForAll = (files: readonly SwitchedFile[]): ListedName[] =>
  files.filter(({ file }) => speaksForAll(file)).flatMap(({ switches }) => switches.disabled);

/** What the hooks of events may take: by the word of the user and the system, and by that of projects. Later files replace earlier. */
export interface Budgets {
  readonly forAll: ReadonlyMap<string, number>;
  readonly ofProject: ReadonlyMap<string, number>;
}

export const settleBudgets = (files: readonly SwitchedFile[]): Budgets => {
  const of = (some: readonly SwitchedFile[]): ReadonlyMap<string, number> =>
    new Map(some.flatMap(({ switches }) => [...switches.budgets]));
  return {
    forAll: of(files.filter(({ file }) => speaksForAll(file))),
    ofProject: of(files.filter(({ file }) => file.scope === 'project')),
  };
};

/** Names that projects switch off: among their own. */
export const disabledForProject = (files: readonly SwitchedFile[]): ListedName[] =>
  files.filter(({ file }) => file.scope === 'project').flatMap(({ switches }) => switches.disabled);
