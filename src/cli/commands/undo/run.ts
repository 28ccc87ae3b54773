/** `hookwright undo`: undoes the last change that hookwright made to a settings file. */
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { listAgents } from '../../../agents/cli-api.ts';
import { sha256 } from '../../../kit/node.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import { TrustStore } from '../../../trust/index.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import { type Context, isTypedYes } from '../../context.ts';
import { createProblemOutcome } from '../../rendering/problem-lines.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan, type TextLine } from '../../rendering/text.ts';
import {
  readSettingsText,
  readTextNow,
  type SettingsChange,
  type SettingsFile,
  UndoLog,
} from '../../settings-edit/change-file.ts';
import { formatChange, toChangeData } from '../../settings-edit/change-lines.ts';
import { undoChange } from '../../settings-edit/change-settings.ts';
import { listSettingsFiles } from '../../settings-edit/settings-files.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { NotFoundError } from '../../usage-error.ts';
import type { undoSpec } from './spec.ts';

export const run: CommandMain<typeof undoSpec> = async ({ file: wish, 'dry-run': dryRun, yes }, context) => {
  const { config } = await loadSettings(context);
  const home = config.getHome();
  const files = await listCandidates(config, wish, context);
  const log = new UndoLog(home);
  const undoable = (await Promise.all(files.map((file) => readLastChange(file, log)))).flat();
  const [latest] = undoable.sort((a, b) => (a.last.at < b.last.at ? 1 : -1));
  if (latest === undefined) {
    throw new NotFoundError(
      `there is nothing to undo in ${wish ?? 'the settings of the user and of this project'}`,
      'it takes back what init, new, import, install, uninstall, enable, disable and warm --apply wrote',
    );
  }
  const { file, last } = latest;
  const what = `${last.verb} ${last.name}`;
  const refused = (problem: CliProblem): CommandOutcome => ({
    ...createProblemOutcome({ file: file.path, undone: what, changed: false, dryRun }, [problem], context),
    interrupted: context.signal.aborted,
  });
  const preview = await undoChange(file, { home, dryRun: true }, last);
  if (!preview.ok) return refused(preview.problem);
  const lost = [
    ...(preview.after === undefined && preview.before !== undefined ? [file.path] : []),
    ...(await removeCreatedFiles(last, true)).removed,
  ];
  const mayDelete = lost.length === 0 || dryRun || yes;
  const objection = mayDelete ? undefined : await confirmDeletion(lost, what, context);
  if (objection !== undefined) return refused(objection);
  const undone = await undoChange(file, { home, dryRun }, last);
  if (!undone.ok) return refused(undone.problem);
  const { wasOff } = last;
  // The trust store also records whether the user disabled a hook of the project.
  if (wasOff !== undefined && !dryRun) await new TrustStore(home).setOff(config.getProjectDir(), last.name, wasOff);
  const change = toChangeData(undone);
  const { removed, kept } = await removeCreatedFiles(last, dryRun);
  const short = (path: string): string => shortenPath(path, context.cwd);
  return {
    data: { undone: what, timestamp: last.at, dryRun, ...change, removed, kept },
    text: () => [
      `${what} ${dryRun ? 'would be' : 'is'} taken back in`,
      ...formatChange(change, context.cwd),
      ...removed.map((path): TextLine => [createSpan('bold', short(path)), ', which goes away']),
      ...kept.map((path): TextLine => [createSpan('yellow', short(path)), ' was changed since, and was left as it is']),
    ],
  };
};

const readLastChange = async (file: SettingsFile, log: UndoLog) => {
  const found = await readSettingsText(file.path, file.mustStayIn);
  const last = found.ok ? (await log.changesOf(found.read.target)).at(-1) : undefined;
  return last === undefined ? [] : [{ file, last }];
};

const listCandidates = async (
  config: LoadedConfig,
  wish: string | undefined,
  context: Context,
): Promise<SettingsFile[]> => {
  const agents = await listAgents(context);
  const files: SettingsFile[] = [
    ...listSettingsFiles(config),
    ...agents.flatMap((agent) => [
      { path: agent.pathFor('project'), mustStayIn: agent.projectDir },
      { path: agent.pathFor('user') },
    ]),
  ];
  if (wish === undefined) return files;
  const path = resolve(context.cwd, wish);
  return [files.find((file) => file.path === path) ?? { path }];
};

const removeCreatedFiles = async ({ made = [] }: SettingsChange, dryRun: boolean) => {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const { path, sha256: hash } of made) {
    const text = readTextNow(path);
    if (text === undefined) continue;
    const isOurs = sha256(text) === hash;
    if (isOurs && !dryRun) await rm(path, { force: true });
    (isOurs ? removed : kept).push(path);
  }
  return { removed, kept };
};

const confirmDeletion = async (
  files: readonly string[],
  what: string,
  context: Context,
): Promise<CliProblem | undefined> => {
  const [file] = files;
  const names = files.map((path) => shortenPath(path, context.cwd));
  if (!context.canAsk) {
    const message = `taking back ${what} would delete ${names.join(', ')}; nothing was changed`;
    const hint = 'use hookwright undo --yes to do it, or hookwright undo --dry-run to see it first';
    return { severity: 'error', file, message, hint };
  }
  context.note([`taking back ${what} deletes`, ...names.map((name): TextLine => ['  ', createSpan('bold', name)])]);
  return isTypedYes(await context.ask([`take back ${what}? [y]es, [N]o:`]))
    ? undefined
    : { severity: 'error', file, message: `${what} is not taken back; nothing was changed` };
};
