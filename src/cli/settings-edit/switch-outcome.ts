/** The outcome of `enable` and `disable`: the changes, and whether the hook runs now. */
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatProblems } from '../rendering/problem-lines.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { type ConfiguredEntry, readConfiguration } from '../sources/read-configuration.ts';
import { readSettingsText, type SettingsFile, type SettingsFileChange } from './change-file.ts';
import { formatChange, splitChanges } from './change-lines.ts';
import { type ListPath, readList } from './edit-text.ts';

interface SwitchedHook {
  readonly name: string;
  readonly files: readonly SettingsFileChange[];
  readonly dryRun: boolean;
  readonly wanted: 'on' | 'off';
}

const isOff = ({ row }: ConfiguredEntry): boolean => row.reasons?.includes('disabled') === true;

const formatRemainingReason = ({ row: { name, reason, hint = '' } }: ConfiguredEntry): Text =>
  reason === undefined || reason === 'disabled'
    ? []
    : [[createSpan('yellow', `${name} still does not run: ${reason}`)], [`  ${hint}`]];

/** Reads the settings again, because another file may still switch the hook off. */
export const createSwitchOutcome = async (switched: SwitchedHook, context: Context): Promise<CommandOutcome> => {
  const { name, files, dryRun, wanted } = switched;
  const { hooks, config } = await readConfiguration(context);
  const meant = hooks.filter(({ row }) => row.name === name);
  const { changes: all, refused } = splitChanges(files);
  const changes = all.filter(({ changed }) => changed);
  const stubborn = dryRun || wanted === 'off' ? [] : meant.filter(isOff);
  const others = stubborn.length === 0 || refused.length > 0 ? [] : await listFilesThatDisable(name, config);
  const head = [createSpan('bold', name), ` ${dryRun ? 'would be' : 'is'} switched ${wanted} in`];
  const nothing = `${name} ${wanted === 'off' ? 'was already' : 'is not'} switched off`;
  const problems: CliProblem[] = [
    ...refused,
    ...others.map((file) => ({ severity: 'error' as const, file, message: `${name} is still switched off here` })),
  ];
  return {
    findings: problems.length > 0,
    data: {
      name,
      dryRun,
      files: changes,
      hooks: meant.map((hook) => ({ hookId: hook.row.hookId, enabled: !isOff(hook), reason: hook.row.reason })),
    },
    problems,
    text: () => [
      ...(changes.length > 0 ? [head] : problems.length === 0 ? [nothing] : []),
      ...changes.flatMap((change) => formatChange(change, context.cwd)),
      ...formatProblems(problems, context),
      ...(wanted === 'on' && !dryRun ? meant.flatMap(formatRemainingReason) : []),
    ],
  };
};

export const DISABLED_PATH = ['hooksConfig', 'disabled'] as const satisfies ListPath;
/** Older settings files have the list of disabled hooks at the second path. */
const listPaths: readonly ListPath[] = [DISABLED_PATH, ['hooks', 'disabled']];

interface DisabledList {
  readonly file: SettingsFile;
  readonly path: ListPath;
  readonly names: readonly string[];
}

/** A file that cannot be read is treated as empty, because it is reported elsewhere. */
export const readDisabledLists = async (files: readonly SettingsFile[]): Promise<DisabledList[]> => {
  const lists = files.map(async (file): Promise<DisabledList[]> => {
    const found = await readSettingsText(file.path, file.mustStayIn);
    const text = found.ok ? found.read.text : undefined;
    if (text === undefined) return [];
    return listPaths
      .map((path) => ({ file, path, names: readList(text, path) }))
      .filter(({ names }) => names.length > 0);
  });
  return (await Promise.all(lists)).flat();
};

const listFilesThatDisable = async (name: string, config: LoadedConfig): Promise<string[]> => {
  const files = config
    .getFiles()
    .filter(({ kind, exists, path }) => kind === 'file' && exists && !path.endsWith('hooks.json'));
  const lists = await readDisabledLists(files.map(({ path }) => ({ path })));
  return [...new Set(lists.filter(({ names }) => names.includes(name)).map(({ file }) => file.path))];
};
