import { suggestion } from '../../kit/index.ts';
import type { NoticeCode } from '../../protocol/index.ts';
import type { SourceFile } from '../source-file.ts';
import { MAX_UNKNOWN_NAMES } from './file-limits.ts';
import type { SwitchedFile } from './settle-switches.ts';

/** The hooks of a file, as far as their names are concerned. */
interface NamedHooks {
  readonly file: SourceFile;
  readonly rows: readonly { readonly name: string }[];
}

/** Reports switches without effect: of a project for hooks that are not its own, and names that no hook has. */
export const checkDisabledNames = (files: readonly SwitchedFile[], shares: readonly NamedHooks[]): void => {
  const namesOf = (wanted: readonly NamedHooks[]): string[] =>
    wanted.flatMap(({ rows }) => rows.map(({ name }) => name));
  const own = new Set(namesOf(shares.filter(({ file }) => file.owner === 'project')));
  const others = new Set(namesOf(shares.filter(({ file }) => file.owner !== 'project')));
  for (const { file, document, switches } of files) {
    const isProject = file.owner === 'project';
    const report = (code: NoticeCode, path: string, message: string, position: object | undefined): void =>
      document?.report({ code, skipped: true, path, message: `${path} ${message}` }, position);
    const known = [...own, ...(isProject ? [] : others)];
    const idle = switches.disabled.filter(({ name }) => !own.has(name) && (isProject || !others.has(name)));
    for (const { name, path, position } of idle.slice(0, MAX_UNKNOWN_NAMES)) {
      const quoted = JSON.stringify(name);
      if (others.has(name)) {
        const whose = 'which the project does not bring; only settings of the user or the system can';
        report('no-effect', path, `cannot switch off ${quoted}, ${whose}`, position);
        continue;
      }
      const near = suggestion(name, known);
      if (near !== '') report('unknown-name', path, `names no hook: there is no ${quoted}${near}`, position);
    }
    const more = idle[MAX_UNKNOWN_NAMES];
    if (more !== undefined) {
      const message = `has ${idle.length - MAX_UNKNOWN_NAMES} more names without effect`;
      report('limit-reached', more.path, message, more.position);
    }
    if (!isProject) continue;
    for (const { path, position } of switches.allowedEnv.slice(0, 1)) {
      const list = path.replace(/\[0\]$/, '');
      report(
        'no-effect',
        list,
        'has no effect in a project: only settings of the user or the system can let hooks see more',
        position,
      );
    }
    for (const { path, position } of switches.required.slice(0, 1)) {
      const why = 'has no effect in a project: only the settings of the user or the system can require a guard';
      report('no-effect', path, why, position);
    }
    if (switches.journal !== undefined) {
      const { path, position } = switches.journal;
      const why = 'has no effect in a project: only the settings of the user or the system switch the journal off';
      report('no-effect', path, why, position);
    }
    const { enabled, enabledAt } = switches;
    if (enabled === false && enabledAt !== undefined && others.size > 0) {
      const message = 'switches off the hooks of this file only; those of the user and the system stay on';
      const { path, position } = enabledAt;
      document?.report({ code: 'no-effect', skipped: false, path, message: `${path} ${message}` }, position);
    }
  }
};
