/** `hookwright explain`: shows whether each hook would run, and every reason why not. */
import { basename, isAbsolute, resolve } from 'node:path';
import type { AgentHookReport, MatcherJudgement, OutcomeRule } from '../../../agents/cli-api.ts';
import { formatSuggestion, omitUndefined } from '../../../kit/index.ts';
import {
  type HookConfig,
  type HookRow,
  HookType,
  isGuardEntry,
  listConditionTexts,
  type Notice,
  shortenHookName,
} from '../../../protocol/index.ts';
import { HookRunner } from '../../../runners/index.ts';
import { createLaunch, findShells, selectKnownVariables } from '../../../runners/process-api.ts';
import { inspectAgentHooks, listAgentFindings, toAgentProblem } from '../../agents/judged-hooks.ts';
import {
  expectAgentEvent,
  formatSelectedAgent,
  listUnapprovedProblems,
  type SelectedAgent,
  selectAgent,
  toAgentData,
} from '../../agents/select-agent.ts';
import { readPayloadFields, toMatcherContext } from '../../arguments/payload.ts';
import { type ExplainedMatcher, explainMatcher } from '../../arguments/read-matcher.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { withMissedCallNotices } from '../../doctor/known-tools.ts';
import { type HookFinding, listHookFindings } from '../../hook-findings.ts';
import { formatLabelParagraph, type Page } from '../../rendering/layout.ts';
import { formatCount, formatProblemsNote } from '../../rendering/problem-lines.ts';
import { formatLabelledEntry, formatRowSource } from '../../rendering/row-lines.ts';
import { shortenPathsInText } from '../../rendering/short-path.ts';
import { createSpan, type Text, type TextLine } from '../../rendering/text.ts';
import { formatNoHooks } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import { chooseEntries, type HookEntry, readEntries } from './entries.ts';
import type { explainSpec } from './spec.ts';

export const run: CommandMain<typeof explainSpec> = async (options, context) => {
  const { event, tool, input, trigger, hook } = options;
  const selected = await selectAgent(options, event, context);
  const fields = await readPayloadFields(selected === undefined ? event : undefined, { tool, input }, context);
  const about = toMatcherContext(fields, trigger);
  if (selected !== undefined) return explainAgentHooks(selected, options, about, fields, context);
  const payload = fields.tool_name === undefined ? undefined : fields;
  const { entries, problems, config } = await readEntries(context, { ...about, payload }, event, fields);
  const runner = new HookRunner(config, config.getDeps());
  const chosen = await withMissedCallNotices(chooseEntries(entries, { event, hook }), context);
  const explained = await Promise.all(chosen.map((entry) => explainEntry(entry, about, runner, context)));
  context.note(formatProblemsNote(withoutShown(problems, explained), context));
  return {
    findings: explained.some(canNeverRun),
    data: { eventName: event, ...about, hooks: explained.map(toExplainData) },
    problems,
    text: () => {
      if (explained.length > 0) return formatHooks(explained, context);
      return entries.length === 0 ? formatNoHooks(context, problems) : formatNoneFor(event, entries);
    },
  };
};

const shortenPaths = (text: string, { cwd }: Context): string =>
  shortenPathsInText(text, cwd).replace(/ \(looked for [^)/]*\)/, '');

const shortenNotices = (notices: readonly Notice[], context: Context): Notice[] =>
  notices.map(({ message, fix, ...notice }) => ({
    ...notice,
    message: shortenPaths(message, context),
    fix: fix && shortenPaths(fix, context),
  }));

type CallDetails = ReturnType<typeof toMatcherContext>;

const explainAgentMatcher = (
  { matcher, dialect, reasons = [] }: HookRow,
  { toolName, trigger }: CallDetails,
): ExplainedMatcher => {
  const subject = toolName ?? trigger;
  const matches = !reasons.includes('matcher-mismatch');
  const result = subject === undefined ? '' : `; ${JSON.stringify(subject)} ${matches ? 'matches' : 'does not match'}`;
  const text = `${JSON.stringify(matcher)}, read by the rules of ${dialect}${result}`;
  return { kind: 'pattern', text, matches: subject === undefined ? undefined : matches };
};

const mentionNewMatcher = (
  reading: ExplainedMatcher,
  { matcher = '*' }: HookRow,
  approved: string | undefined,
): ExplainedMatcher =>
  approved === undefined || approved === matcher || (approved === '' && matcher === '*')
    ? reading
    : { ...reading, text: `${reading.text}; approved so, and ${JSON.stringify(matcher)} counts once you approve it` };

const explainEntry = async (
  { row, config, approvedMatcher }: HookEntry,
  about: CallDetails,
  runner: HookRunner,
  context: Context,
): Promise<ExplainedHook> => {
  const isGuard = approvedMatcher !== undefined || isGuardEntry({ ...config });
  const own = mentionNewMatcher(
    explainMatcher(row.eventName, approvedMatcher ?? row.matcher, about, isGuard),
    row,
    approvedMatcher,
  );
  const matcher = row.dialect === undefined || row.matcher === undefined ? own : explainAgentMatcher(row, about);
  const launch = config === undefined ? [] : shortenNotices(await runner.inspect(config), context);
  const warnings = shortenNotices(row.warnings ?? [], context);
  const hint = row.hint === undefined ? {} : { hint: shortenPaths(row.hint, context) };
  return {
    row,
    matcher,
    starts: config === undefined ? undefined : describeStart(config, context),
    condition: config?.if === undefined ? undefined : listConditionTexts(config.if),
    findings: listHookFindings({ ...row, ...hint, warnings }, matcher, launch),
  };
};

const formatNoneFor = (event: string | undefined, all: readonly HookEntry[]): Text => {
  const others = [...new Set(all.map(({ row }) => row.eventName))].filter((name) => name !== '');
  return [`No hook is configured for ${event}.`, `There are hooks for ${others.join(', ')}.`];
};

const withoutShown = (problems: readonly CliProblem[], explained: readonly ExplainedHook[]): CliProblem[] =>
  problems.filter(
    ({ file, line, code, message }) =>
      !explained.some(({ row: { source }, findings }) =>
        findings.some(
          (found) =>
            source.file === file && (message.includes(found.message) || (source.line === line && found.code === code)),
        ),
      ),
  );

const toExplainData = ({ row, matcher, starts, condition, findings, since }: ExplainedHook) => ({
  ...row,
  reading: matcher,
  starts,
  if: condition,
  findings,
  since,
});

/** `--json` has only hookwright's kinds of matchers, so each matcher kind of an agent is replaced by the closest. */
const ourMatcherKinds: Readonly<Record<MatcherJudgement['kind'], ExplainedMatcher['kind']>> = {
  everything: 'everything',
  ignored: 'ignored',
  names: 'exact',
  'names or pattern': 'pattern',
  pattern: 'pattern',
  whole: 'pattern',
  equal: 'exact',
  none: 'literal',
};

const formatEndings = (endings: readonly OutcomeRule[], { agent, mode }: SelectedAgent, width: number): Text => {
  if (endings.length === 0) return [];
  const { title } = agent;
  const judge = mode === 'faithful' ? `${title} makes of a hook` : `hookwright makes of a hook of ${title}`;
  return [
    '',
    [createSpan('bold', `what ${judge} that ends with`)],
    ...endings.flatMap(({ when, effect, isLost, since }) => {
      const text = `${effect}${since === undefined ? '' : `, since ${since}`}`;
      return formatLabelParagraph(when, text, {
        width,
        indent: 2,
        labelWidth: 35,
        ...(isLost ? { style: 'yellow' } : {}),
      });
    }),
  ];
};

const selectJudged = (hooks: readonly AgentHookReport[], wish: string | undefined): readonly AgentHookReport[] => {
  const wanted = hooks.filter(({ name, id }) => wish === undefined || name === wish || id === wish);
  if (wish === undefined || wanted.length > 0) return wanted;
  const names = hooks.map(({ name }) => name);
  throw new UsageError(`no hook is called ${JSON.stringify(wish)}${formatSuggestion(wish, names)}`);
};

const explainAgentHooks = async (
  selected: SelectedAgent,
  { event, hook: wish }: CommandValues<typeof explainSpec>,
  about: CallDetails,
  fields: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<CommandOutcome> => {
  const { agent } = selected;
  expectAgentEvent(selected, event);
  const judged = await agent.judge({ event, about: { ...about, fields } });
  const inspected = await inspectAgentHooks(selectJudged(judged.hooks, wish), agent.name, context);
  const explained = inspected.map(
    ({ hook, row, config, launch }): ExplainedHook => ({
      row,
      matcher: { ...hook.matcher, kind: ourMatcherKinds[hook.matcher.kind] },
      starts: config === undefined ? undefined : describeStart(config, context),
      findings: [...listAgentFindings(hook), ...launch.map((found) => ({ ...found, isBroken: hook.runs }))],
      since: hook.since,
    }),
  );
  const endings = event === undefined || !agent.hasEvent(event) ? [] : agent.outcomeRules(event, selected.mode);
  const problems = [
    ...judged.problems.map(toAgentProblem),
    ...(await listUnapprovedProblems(selected, judged.hooks, context)),
  ];
  const none = `${agent.title} has no hook here${event === undefined ? '' : ` for ${event}`}.`;
  context.note(formatProblemsNote(problems, context));
  return {
    findings: explained.some(canNeverRun),
    data: { agent: toAgentData(selected), eventName: event, ...about, hooks: explained.map(toExplainData), endings },
    problems,
    text: () => [
      ...formatSelectedAgent(selected, context),
      ...(explained.length === 0 ? [none] : formatHooks(explained, context)),
      ...formatEndings(endings, selected, context.width),
    ],
  };
};

const handlerTextByType: ReadonlyMap<string, string> = new Map([
  [HookType.Runtime, 'a function of the host'],
  [HookType.Plugin, 'a function of the host'],
  [HookType.Worker, 'a worker process'],
  [HookType.Http, 'an HTTP request'],
  [HookType.Rule, 'nothing: it is a rule'],
  [HookType.Prompt, 'a request to the model of the host'],
]);

const describeStart = (hook: HookConfig, { cwd, env }: Context): string => {
  const type = hook.type ?? HookType.Command;
  if (type === HookType.Mcp) return `the tool ${hook.tool} of the MCP server ${hook.server}`;
  if (type !== HookType.Command) return hook.url ?? handlerTextByType.get(type) ?? `a lane of the host for "${type}"`;
  const environment = omitUndefined(env);
  const variables = selectKnownVariables({ projectDir: cwd, cwd, sessionId: '' });
  const machine = { platform: process.platform, environment, ...findShells(environment, cwd) };
  const { file, args, by } = createLaunch(hook, variables, machine);
  if (by === 'shell') return `${basename(file)} reads the line: ${hook.command ?? ''}`;
  const directory = hook.cwd === undefined ? cwd : resolve(cwd, hook.cwd);
  const program = /[\\/]/.test(file) && !isAbsolute(file) ? resolve(directory, file) : file;
  return [program, ...args].join(' ');
};

const formatHooks = (explained: readonly ExplainedHook[], page: Page): Text => {
  const running = explained.filter((one) => one.row.planned === 'run' && !canNeverRun(one)).length;
  const lost = explained.filter(canNeverRun).length;
  return [
    ...explained.flatMap((one) => [...formatExplainedHook(one, page), '']),
    [
      `${formatCount(explained.length, 'hook')}: `,
      createSpan('green', `${running} would run`),
      `, ${explained.length - running} would not`,
      ...(lost === 0 ? [] : [' (', createSpan('red', `${lost} never with the current settings`), ')']),
    ],
  ];
};

interface ExplainedHook {
  readonly row: HookRow;
  readonly matcher: ExplainedMatcher;
  readonly starts?: string | undefined;
  readonly condition?: readonly string[] | undefined;
  readonly findings: readonly HookFinding[];
  readonly since?: string | undefined;
}

const canNeverRun = ({ findings }: ExplainedHook): boolean => findings.some(({ isBroken }) => isBroken);

const formatHeadLine = (explained: ExplainedHook): TextLine => {
  const { row, findings } = explained;
  const name = createSpan('bold', shortenHookName(row.name));
  const codes = [...new Set(findings.map(({ code }) => code))].join(', ');
  const isLost = canNeverRun(explained);
  const isSkipped = row.planned === 'skip' || codes.includes('condition-mismatch');
  if (isLost || isSkipped) {
    const style = isLost ? 'red' : 'dim';
    const end = isSkipped ? ' would not run: ' : ' would be started and fail: ';
    return [createSpan(style, isLost ? '✗ ' : '– '), name, end, createSpan(style, codes)];
  }
  return [
    createSpan('green', '✓ '),
    name,
    ' would run',
    ...(codes === '' ? [] : [', but ', createSpan('yellow', codes)]),
  ];
};

const formatFinding = ({ code, message, fix, isBroken }: HookFinding, page: Page): Text => [
  ...formatLabelledEntry('why', `${code}: ${message}`, page, isBroken ? 'red' : 'yellow'),
  ...formatLabelledEntry('fix', fix, page, 'cyan'),
];

const formatExplainedHook = (explained: ExplainedHook, page: Page): Text => {
  const { row, matcher, starts, condition, findings, since } = explained;
  return [
    formatHeadLine(explained),
    ...findings.flatMap((finding) => formatFinding(finding, page)),
    ...formatLabelledEntry('event', row.eventName, page),
    ...formatLabelledEntry('matcher', matcher.text, page),
    ...formatLabelledEntry('if', condition?.join(' or '), page),
    ...formatLabelledEntry('starts', starts, page),
    ...formatLabelledEntry('from', formatRowSource(row, page.cwd), page),
    ...formatLabelledEntry('since', since && `${since}; it was different before`, page),
  ];
};
