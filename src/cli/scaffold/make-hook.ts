/** Writes the files of a new hook and its settings entry, and approves the hook. */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeThrown, isRecord } from '../../kit/index.ts';
import { sha256 } from '../../kit/node.ts';
import type { ReviewedHook } from '../../trust/index.ts';
import { reviewTrust } from '../../trust/internal.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatProblems } from '../rendering/problem-lines.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type TextLine } from '../rendering/text.ts';
import { type FileChangeOptions, readSettingsText, type SettingsFileChange } from '../settings-edit/change-file.ts';
import { formatChange, toChangeData } from '../settings-edit/change-lines.ts';
import type { ScopedFile } from '../settings-edit/settings-files.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { catchAsProblem } from '../trusting/lock-outcome.ts';
import type { HookPlan, NewFile } from './plan-hook.ts';

interface NewHookTarget extends FileChangeOptions {
  readonly file: ScopedFile;
  readonly directory: string;
  readonly enter: (options: FileChangeOptions) => Promise<SettingsFileChange>;
}

interface HookWriteOutcome {
  readonly settings?: Extract<SettingsFileChange, { readonly ok: true }> | undefined;
  readonly isApproved: boolean;
  readonly problems: readonly CliProblem[];
}

const createFailure = (...problems: CliProblem[]): HookWriteOutcome => ({ isApproved: false, problems });

/** An unreadable settings file has been reported already, so a short problem replaces the long one. */
const shortenUnreadableProblem = (problem: CliProblem, { hasUnreadable }: Context): CliProblem => {
  const { severity, file } = problem;
  if (file === undefined || !hasUnreadable(file)) return problem;
  return { severity, file, message: 'nothing was written, because this file cannot be read', hint: 'correct it first' };
};

export const writeHook = async (
  plan: HookPlan,
  { file, directory, enter, home, dryRun }: NewHookTarget,
  context: Context,
): Promise<HookWriteOutcome> => {
  const { files } = plan;
  const tried = await enter({ home, dryRun: true });
  if (!tried.ok) return createFailure(shortenUnreadableProblem(tried.problem, context));
  const obstacles = (await Promise.all(files.map((file) => findObstacle(file, directory)))).flat();
  if (obstacles.length > 0) return createFailure(...obstacles);
  const unwritten = dryRun ? undefined : await createFiles(files);
  if (unwritten !== undefined) return createFailure(unwritten);
  const settings = dryRun ? tried : await enter({ home, dryRun });
  if (!settings.ok) {
    await removeFiles(files.map(({ path }) => path));
    return createFailure(settings.problem);
  }
  if (dryRun || file.scope === 'user') return { settings, isApproved: false, problems: [] };
  let isApproved = false;
  const refused = await catchAsProblem(async () => {
    isApproved = await approveNewHook(plan, file.path, context);
  });
  return { settings, isApproved, problems: refused === undefined ? [] : [refused] };
};

/** A new entry has only these members. Another member means that someone else has changed the entry. */
const ownMembers: readonly string[] = [
  'type',
  'name',
  'command',
  'timeout',
  'onFault',
  'advisory',
  'if',
  'verdict',
  'reason',
  'canary',
];

const isUnchangedHook = (
  { entry, file, script }: ReviewedHook,
  { files, definition }: HookPlan,
  settings: string,
): boolean => {
  const [{ name, command, verdict, reason, canary, if: condition }] = definition.hooks;
  const { hook } = entry;
  const texts = new Map(files.map(({ path, text }) => [basename(path), sha256(text)]));
  return (
    file === settings &&
    isRecord(hook) &&
    Object.keys(hook).every((key) => ownMembers.includes(key)) &&
    hook.name === name &&
    hook.command === command &&
    hook.verdict === verdict &&
    hook.reason === reason &&
    isDeepStrictEqual(hook.if, condition) &&
    isDeepStrictEqual(hook.canary, canary) &&
    (verdict !== undefined || script.files.length > 0) &&
    script.files.every(({ path, sha256: found }) => found !== undefined && texts.get(basename(path)) === found)
  );
};

/** Approves only the new hook, and exactly as written, because the user requested no other hook. */
const approveNewHook = async (plan: HookPlan, settings: string, context: Context): Promise<boolean> => {
  const { config } = await loadSettings(context);
  const review = await reviewTrust(config);
  const own = review.hooks.filter((hook) => isUnchangedHook(hook, plan, settings));
  if (own.length > 0) await review.approve(own.map(({ id }) => id));
  return own.length > 0;
};

const createFileProblem = (file: string, message: string): CliProblem => ({ severity: 'error', file, message });

const findObstacle = async ({ path }: NewFile, mustStayIn: string): Promise<CliProblem | []> => {
  const found = await readSettingsText(path, mustStayIn);
  if (!found.ok) return createFileProblem(path, found.message);
  return found.read.text === undefined ? [] : createFileProblem(path, 'already exists and was left as it is');
};

export const createFiles = async (files: readonly NewFile[]): Promise<CliProblem | undefined> => {
  const made: string[] = [];
  for (const { path, text, mode } of files) {
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx', mode });
      made.push(path);
      if ((mode & 0o100) !== 0) await chmod(path, mode);
    } catch (error) {
      await removeFiles(made);
      return createFileProblem(path, `cannot be written: ${describeThrown(error)}`);
    }
  }
  return undefined;
};

const removeFiles = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(path, { force: true });
};

export const createNewHookOutcome = (
  {
    plan,
    made,
    dryRun,
    head,
    next,
  }: { plan: HookPlan; made: HookWriteOutcome; dryRun: boolean; head: TextLine; next: string[] },
  context: Context,
): CommandOutcome => {
  const { settings, isApproved, problems } = made;
  const change = settings === undefined ? undefined : toChangeData(settings);
  const [{ name, command, if: condition, verdict }] = plan.definition.hooks;
  const paths = plan.files.map(({ path }) => path);
  return {
    findings: problems.length > 0,
    data: {
      name,
      ...(command === undefined ? { if: condition, verdict } : { command }),
      dryRun,
      approved: isApproved,
      files: settings === undefined ? [] : paths,
      settings: change,
    },
    problems,
    text: () => [
      ...(change === undefined
        ? []
        : [
            head,
            ...paths.map((path): TextLine => [createSpan('bold', shortenPath(path, context.cwd)), ', a new file']),
            ...formatChange(change, context.cwd),
          ]),
      ...formatProblems(problems, context),
      ...(isApproved ? ['approved; after you change it, approve it again: hookwright trust'] : []),
      ...(change === undefined || dryRun ? [] : next),
    ],
  };
};
