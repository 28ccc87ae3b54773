import { dirname, resolve } from 'node:path';
import type { Dialect } from './dialect.ts';
import type { DialectEntry } from './reading/read-file.ts';

/** Stands for the directory of the project, to see which variables hold it. */
const PROJECT = '/the/project';

/** Variables that hold the directory of the project, or the one the agent works in. */
const projectNames = ({ process, latest: version }: Dialect): string[] =>
  Object.entries(process.environment({ projectDir: PROJECT, cwd: PROJECT, sessionId: '', version }))
    .filter(([, value]) => value === PROJECT)
    .map(([name]) => name);

export interface LineTarget {
  readonly title: string;
  /** What stands for the project's directory in a line. */
  readonly projectDir: string;
  /** Variables that hold it. */
  readonly names: readonly string[];
}

export const lineTargetOf = (dialect: Dialect): LineTarget => ({
  title: dialect.title,
  projectDir: dialect.writes.projectDir,
  names: projectNames(dialect),
});

export interface ConvertedLine {
  readonly line: string;
  readonly notes: readonly string[];
}

/** A line whose agent starts it where its settings are, told where that was. */
const fromSettings = (line: string, { file, scope }: DialectEntry, { process }: Dialect): string =>
  process.cwd === 'settings' && scope !== 'project'
    ? line.replace(/^\.{1,2}\/[^\s"'$`\\]*/, (path) => JSON.stringify(resolve(dirname(file), path)))
    : line;

/** A line of one agent as another would start it: the directory of the project has another name there, or none. */
export const convertLine = (line: string, entry: DialectEntry, from: Dialect, to: LineTarget): ConvertedLine => {
  const strange = projectNames(from).filter((name) => !to.names.includes(name));
  const used = strange.filter((name) => new RegExp(`\\$\\{?${name}\\b`).test(line));
  const converted = used.reduce(
    (text, name) => text.replaceAll(new RegExp(`\\$(?:\\{${name}\\}|${name}\\b)`, 'g'), () => to.projectDir),
    fromSettings(line, entry, from),
  );
  return {
    line: converted,
    notes: used.map(
      (name) =>
        `${to.title} sets no ${name}: the line says ${to.projectDir} in its place, and a script that reads it finds nothing`,
    ),
  };
};
