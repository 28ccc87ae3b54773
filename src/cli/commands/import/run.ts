/** `hookwright import`: copies the hooks of another agent into the settings. */
import { mkdirSync } from 'node:fs';
import { type Import, importHooks, type Loss } from '../../../agents/index.ts';
import { toPathWithin } from '../../../kit/node.ts';
import { shortenHookName } from '../../../protocol/index.ts';
import { agentNameChoices, expectHomeDirectory } from '../../agents/agent-flags.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { formatParagraph } from '../../rendering/layout.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { type FileChangeData, formatChange, splitChanges } from '../../settings-edit/change-lines.ts';
import { changeSettings, EMPTY_SETTINGS } from '../../settings-edit/change-settings.ts';
import type { EditResult } from '../../settings-edit/edit-text.ts';
import { checkHookStarts } from '../../sources/check-starts.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { importSpec } from './spec.ts';

export const run: CommandMain<typeof importSpec> = async (
  { from, to, 'agent-version': version, rewrite, 'dry-run': dryRun },
  context,
) => {
  if (from === undefined) throw new UsageError('--from is missing', `whose hooks: ${agentNameChoices.join(', ')}`);
  const { config } = await loadSettings(context);
  expectHomeDirectory(context);
  const { cwd, home, env } = context;
  const found = await importHooks({ from, to, version, rewrite, cwd, home, env });
  const altered = [];
  for (const { path, before = EMPTY_SETTINGS, after } of found.changes) {
    const mustStayIn = toPathWithin(config.getProjectDir(), path) === undefined ? undefined : config.getProjectDir();
    const edit = (text: string): EditResult =>
      text === before ? { ok: true, text: after } : { ok: false, problem: changedMeanwhile };
    altered.push(await changeSettings({ path, mustStayIn }, { home, dryRun }, { verb: 'import', name: from, edit }));
  }
  if (!dryRun) for (const folder of found.dataFolders) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { changes: files, refused } = splitChanges(altered);
  const unstartable = dryRun || files.length === 0 ? [] : await findStartProblems(files, context);
  const problems = [...refused, ...unstartable, ...found.losses.map(toProblem), ...listOtherProblems(found)];
  const isOurs = to === undefined || to === 'hookwright';
  const brought = found.changes.reduce((sum, { hooks }) => sum + hooks, 0);
  return {
    findings: found.losses.length > 0 || problems.some(({ severity }) => severity === 'error'),
    data: { from, to: to ?? 'hookwright', dryRun, read: found.files, hooks: brought, files, losses: found.losses },
    problems,
    text: (): Text => [
      ...(files.length === 0
        ? [explainNoHooks(from, found, refused.length > 0)]
        : [[createSpan('bold', formatCount(brought, 'hook')), dryRun ? ' would be written to' : ' written to']]),
      ...files.flatMap((file) => formatChange(file, context.cwd)),
      ...formatProblems(problems, context),
      ...(files.length === 0 ? [] : formatOpenPoints(found, context)),
      ...(files.length === 0 || dryRun ? [] : ['', ...listNextSteps(from, files, isOurs, context.cwd)]),
    ],
  };
};

/** Another command may have written the file after `importHooks` read it. */
const changedMeanwhile = { message: 'changed in the meantime; nothing was written, run it again', line: 1, column: 1 };

const titleByKind: Readonly<Record<Loss['kind'], string>> = {
  'left-out': 'not brought',
  changed: 'changed',
  kept: 'not rewritten',
};

const toProblem = ({ file, line, path, kind, message }: Loss): CliProblem => ({
  severity: kind === 'left-out' ? 'error' : 'warning',
  file,
  line,
  message: `${titleByKind[kind]}: ${path}: ${message}`,
});

const listOtherProblems = ({ problems, losses }: Import): CliProblem[] =>
  problems
    .filter(({ path, line }) => !losses.some((loss) => loss.path === path && loss.line === line))
    .map(({ severity, file, line, column, message, fix }) => ({ severity, file, line, column, message, hint: fix }));

const listNextSteps = (from: string, files: readonly FileChangeData[], isOurs: boolean, cwd: string): string[] =>
  isOurs
    ? [
        'review and approve them:     hookwright trust',
        `behind that agent:           hookwright install --into ${from}`,
        'in an agent of your own:     createHooks({ load: true, tools: … }); tools maps the names of its tools',
        'take it back:                hookwright undo',
      ]
    : files.map(({ file }) => `take it back:  hookwright undo ${shortenPath(file, cwd)}`);

const formatOpenPoints = ({ open }: Import, { width }: Context): Text =>
  open.length === 0
    ? []
    : [
        '',
        [createSpan('yellow', 'calls go on'), ' if one of these fails, or changed since its approval:'],
        ...formatParagraph(open.map(shortenHookName).join(', '), width, 2),
        'to refuse them then, make it a guard:  write "onFault": "deny" beside its "command"',
      ];

const explainNoHooks = (from: string, { files, convertible, losses }: Import, isRefused: boolean): string => {
  if (files.length === 0) return `There are no hooks of ${from} here, nor in your home directory`;
  if (isRefused) return `No hook of ${from} was brought`;
  if (convertible > 0) return 'Every hook that can be brought is there already';
  return losses.length === 0 ? `The files of ${from} have no hooks` : `No hook of ${from} can be brought`;
};

const findStartProblems = async (files: readonly FileChangeData[], context: Context): Promise<CliProblem[]> => {
  const { config } = await loadSettings(context);
  const { problems } = await checkHookStarts(config);
  return problems.filter(({ file }) => files.some((one) => one.file === file));
};
