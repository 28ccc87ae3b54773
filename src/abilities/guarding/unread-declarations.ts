// Problems about declarations that were not read, and guards that may be among them.
import { join } from 'node:path';
import type { ConfiguredAbilityHook } from '../../planner/index.ts';
import { type AbilityOnFault, type ConfigProblem, ConfigSource } from '../../protocol/index.ts';
import type { ConfiguredAbilities } from '../configure.ts';
import { createFileProblem } from '../declaration/problems.ts';
import type { FoundHooks } from '../find-hooks.ts';
import type { ApprovedDeclarations } from './judge-files.ts';
import { type ApprovedDeclaration, createMissingGuard } from './missing-guard.ts';

export interface UnreadOptions {
  readonly trustsFolder: boolean;
  readonly onFault: AbilityOnFault | undefined;
}

const UNVISITED_MESSAGE =
  'this folder is a link, or is nested too deep: its hooks are not read; move them to the others';
const MISNAMED_MESSAGE = 'this is not read: declarations are files in .system/hooks whose names end with .yaml or .yml';
const NO_DECLARATION_MESSAGE = 'this is no declaration of an ability hook: it has none of id, event_type and handler';

const createPathWarnings = (paths: readonly string[], message: string, skipped = false): ConfigProblem[] =>
  paths.map((path) => ({ ...createFileProblem(path, 'unreadable-file', message), severity: 'warning', skipped }));

/** In an unreadable folder, creates a guard for each approved hook; in a trusted folder, one guard for all hooks. */
const createHiddenGuards = (
  { directory: file, problem }: FoundHooks,
  gone: readonly ApprovedDeclaration[],
  { trustsFolder, onFault }: UnreadOptions,
): ConfiguredAbilityHook[] => {
  if (problem === undefined) return [];
  const message = `${file}:1 cannot be used: the folder ${problem}`;
  const absent = { file, line: 1, code: 'invalid-config', message, remains: {} } as const;
  const source = { kind: ConfigSource.Project, file, line: 1 };
  return (trustsFolder ? [undefined] : gone).flatMap((approved, index) => {
    const missing = createMissingGuard({ ...absent, approved }, onFault);
    if (missing === undefined) return [];
    const row = { hookId: `unread-${index + 1}`, name: missing.id, eventName: approved?.eventType ?? '' };
    return [{ ...row, source, skipReasons: ['invalid-config'], detail: message, missing }];
  });
};

const describeGoneHook = ({ id, file = 'its file' }: ApprovedDeclaration): string =>
  `"${id}" was approved, but ${file} is gone, so it no longer runs. If this is intended: hookwright trust --revoke ${id}`;

/** Returns guards for hooks in an unreadable folder, and problems of all other files without a readable hook. */
export const reportUnreadDeclarations = (
  found: FoundHooks,
  forms: ApprovedDeclarations | undefined,
  options: UnreadOptions,
): ConfiguredAbilities => {
  const gone = forms?.gone ?? [];
  const { directory, problem } = found;
  const problems =
    problem === undefined
      ? gone
          .filter(({ enabled, blocking }) => enabled && blocking)
          .map((approved) => {
            const file = approved.file === undefined ? directory : join(found.root, approved.file);
            return createFileProblem(file, 'removed', describeGoneHook(approved));
          })
      : [createFileProblem(directory, 'unreadable-file', `the folder ${problem}`)];
  return {
    hooks: createHiddenGuards(found, gone, options),
    problems: [
      ...problems,
      ...createPathWarnings(found.unvisited, UNVISITED_MESSAGE, true),
      ...createPathWarnings(found.misnamed, MISNAMED_MESSAGE),
      ...createPathWarnings(found.others, NO_DECLARATION_MESSAGE),
    ],
  };
};
