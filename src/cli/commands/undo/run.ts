import { resolve } from 'node:path';
import type { LoadedConfig } from '../../../settings/index.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import type { SettingsFile } from '../../settings-edit/alter-file.ts';
import { changeData, changeText } from '../../settings-edit/change-lines.ts';
import { undoChange } from '../../settings-edit/change-settings.ts';
import { removeMade } from '../../settings-edit/remove-made.ts';
import { settingsFiles } from '../../settings-edit/settings-files.ts';
import { readSettingsText } from '../../settings-edit/settings-text.ts';
import { type SettingsChange, UndoLog } from '../../settings-edit/undo-log.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { NothingThere } from '../../sources/nothing-there.ts';
import { shortPath } from '../../sources/sessions.ts';
import { styled, type TextLine } from '../../terminal/text.ts';
import { agreeToLose } from './agree.ts';
import type { undoSpec } from './spec.ts';

interface Undoable {
  readonly file: SettingsFile;
  readonly last: SettingsChange;
}

const lastChange = async (file: SettingsFile, log: UndoLog): Promise<Undoable[]> => {
  const found = await readSettingsText(file.path, file.mustStayIn);
  const last = found.ok ? (await log.changesOf(found.read.target)).at(-1) : undefined;
  return last === undefined ? [] : [{ file, last }];
};

const candidates = (config: LoadedConfig, cwd: string, wish: string | undefined): SettingsFile[] => {
  const files = settingsFiles(config);
  if (wish === undefined) return files;
  const path = resolve(cwd, wish);
  return [files.find((file) => file.path === path) ?? { path }];
};

export const run: Run<typeof undoSpec> = async ({ file: wish, 'dry-run': dryRun, yes }, context) => {
  const { config } = await loadSettings(context);
  const home = config.getHome();
  const files = candidates(config, context.cwd, wish);
  const log = new UndoLog(home);
  const undoable = (await Promise.all(files.map((file) => lastChange(file, log)))).flat();
  const [latest] = undoable.sort((a, b) => (a.last.at < b.last.at ? 1 : -1));
  if (latest === undefined) {
    throw new NothingThere(
      `there is nothing to undo in ${wish ?? 'the settings of the user and of this project'}`,
      'it takes back what init, new, import, install, uninstall, enable, disable and warm --apply wrote',
    );
  }
  const { file, last } = latest;
  const what = `${last.verb} ${last.name}`;
  const { width } = context.screen;
  const refused = (problem: CliProblem): CommandOutcome => {
    const data = { file: file.path, undone: what, changed: false, dryRun };
    const text = () => problemsText([problem], width, context.cwd);
    return { findings: true, interrupted: context.signal.aborted, data, problems: [problem], text };
  };
  const preview = await undoChange(file, { home, dryRun: true }, last);
  if (!preview.ok) return refused(preview.problem);
  const lost = [
    ...(preview.after === undefined && preview.before !== undefined ? [file.path] : []),
    ...(await removeMade(last, true)).removed,
  ];
  const isAsked = lost.length > 0 && !dryRun && !yes;
  const objection = isAsked ? await agreeToLose({ what, files: lost }, context) : undefined;
  if (objection !== undefined) return refused(objection);
  const undone = await undoChange(file, { home, dryRun }, last);
  if (!undone.ok) return refused(undone.problem);
  const change = changeData(undone);
  const { removed, kept } = await removeMade(last, dryRun);
  const short = (path: string): string => shortPath(path, context.cwd);
  return {
    data: { undone: what, timestamp: last.at, dryRun, ...change, removed, kept },
    text: () => [
      `${what} ${dryRun ? 'would be' : 'is'} taken back in`,
      ...changeText(change, context.cwd),
      ...removed.map((path): TextLine => [styled('bold', short(path)), ', which goes away']),
      ...kept.map((path): TextLine => [styled('yellow', short(path)), ' was changed since, and was left as it is']),
    ],
  };
};
