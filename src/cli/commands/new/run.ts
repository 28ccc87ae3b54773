/** `hookwright new`: creates a hook, its test and its settings entry. */
import { join } from 'node:path';
import { catalogue, type HookEventName, isAbilityEventType, isHookEventName } from '../../../events/index.ts';
import { findUnknownTools, shellTools } from '../../../planner/index.ts';
import { readCallPattern } from '../../../protocol/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import { expectHookEvent, expectKnownEvents, isToolEvent } from '../../arguments/events.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { agentToolNames, findKnownTools } from '../../doctor/known-tools.ts';
import { EDIT_LINE } from '../../hook-kinds.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { createSpan } from '../../rendering/text.ts';
import { selectLanguage } from '../../scaffold/language-names.ts';
import { createNewHookOutcome, writeHook } from '../../scaffold/make-hook.ts';
import { createAbilityHook } from '../../scaffold/new-ability-hook.ts';
import { createTestText, type HookPlan, type NewHookOptions, planHook } from '../../scaffold/plan-hook.ts';
import { createPayloadForMatcher } from '../../scaffold/sample-payload.ts';
import { createLocalStarter } from '../../scaffold/script-starter.ts';
import { findTemplate, type HookTemplate } from '../../scaffold/templates.ts';
import { changeSettings } from '../../settings-edit/change-settings.ts';
import { appendToList } from '../../settings-edit/edit-text.ts';
import { parseScope, type ScopedFile, selectSettingsFile } from '../../settings-edit/settings-files.ts';
import { type ConfiguredEntry, readConfiguration } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { newSpec } from './spec.ts';

export const run: CommandMain<typeof newSpec> = async (options, context) => {
  const { language: wish, worker, scope, tool, forbid, 'dry-run': dryRun } = options;
  const template = findTemplate(options.template);
  if (template !== undefined) checkTemplate(options, template);
  if (forbid.length > 0) checkForbid(options);
  const name = options.name ?? options.template;
  if (name === undefined)
    throw new UsageError(
      'new needs <name>',
      `hookwright new no-force-push --forbid 'git push*--force', or hookwright new --template protect-files`,
    );
  const event = options.event ?? template?.eventName ?? 'BeforeTool';
  const matcher = options.matcher ?? template?.matcher;
  if (isAbilityEventType(event)) {
    if (worker) throw new UsageError('ability hooks are commands; there are no workers', 'leave --worker out');
    const wanted = { name, eventType: event, language: selectLanguage(wish), matcher, dryRun };
    return createAbilityHook(wanted, context);
  }
  expectKnownEvents([event]);
  const eventName = expectHookEvent(event);
  const { hooks, config } = await readConfiguration(context);
  checkName(name);
  const file = selectFile(config, scope);
  const { names: known } = await findKnownTools([], context.cwd);
  const language = selectLanguage(wish);
  const directory = file.scope === 'user' ? config.getHome() : config.getProjectDir();
  const wanted = { name, eventName, matcher, directory, scope: file.scope };
  const plan =
    forbid.length > 0
      ? planRule({ ...wanted, forbid })
      : planHook({
          ...wanted,
          language,
          worker,
          template,
          starter: createLocalStarter(language, config, context),
          payload: createPayloadForMatcher(eventName, matcher, { tool, known }),
        });
  checkTools(eventName, plan, tool === undefined ? known : [...known, tool]);
  const namesake = hooks.find(({ row }) => row.name === name);
  if (namesake !== undefined) {
    const made = { isApproved: false, problems: [createTakenProblem(namesake)] };
    return createNewHookOutcome({ plan, made, dryRun, head: [], next: [] }, context);
  }
  const edit = (text: string) => appendToList(text, ['hooks', eventName], plan.definition);
  const made = await writeHook(
    plan,
    {
      file,
      directory,
      home: config.getHome(),
      dryRun,
      enter: (options) => changeSettings(file, options, { verb: 'new', name, edit, made: plan.files }),
    },
    context,
  );
  const head = [createSpan('bold', name), dryRun ? ' would be' : ' is', ` a hook for ${eventName}`];
  const next = [
    ...listUnfinishedNotes(plan, context),
    ...(forbid.length === 0 ? [] : [...listTooLateNotes(eventName), ...listRuleLimits(name, plan, matcher)]),
    `run its test: hookwright test ${findUserTestPath(plan, file, context) ?? `--hook ${name}`}`,
  ];
  const notes = dryRun || made.settings === undefined ? [] : await explainNotRunning(name, context);
  return createNewHookOutcome({ plan, made, dryRun, head, next: [...notes, ...next] }, context);
};

const NAME_PATTERN = /^[A-Za-z0-9][\w.-]{0,63}$/;

const checkName = (name: string): void => {
  if (NAME_PATTERN.test(name)) return;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of a file`,
    'letters, digits, "_", "." and "-", beginning with a letter or a digit, at most 64',
  );
};

const createTakenProblem = ({ row: { name, source } }: ConfiguredEntry): CliProblem => ({
  severity: 'error',
  message: `there is already a hook called ${name}`,
  hint: 'choose another name, or change that hook',
  file: source.file,
  line: source.line,
});

const selectFile = (config: LoadedConfig, wish: string | undefined): ScopedFile => {
  const file = selectSettingsFile(config, parseScope(wish) ?? 'project');
  if (file !== undefined) return file;
  throw new UsageError('this is your home directory, not a project', 'for a hook of your own: --scope user');
};

const refuseFlags = (flags: Readonly<Record<string, boolean>>, other: string, fix: string): void => {
  const given = Object.keys(flags).filter((flag) => flags[flag]);
  if (given.length > 0) throw new UsageError(`${given.join(' and ')} cannot be used with ${other}`, fix);
};

const checkTemplate = ({ event, language, worker }: CommandValues<typeof newSpec>, { scripts }: HookTemplate): void => {
  const written = Object.keys(scripts);
  refuseFlags(
    {
      '--event': event !== undefined,
      [`--language ${language}`]: !written.includes(selectLanguage(language)),
      '--worker': worker,
    },
    '--template',
    `the template is for one event, and written in ${written.join(' and ')}; you can change the script afterwards`,
  );
};

const checkForbid = ({ language, template, worker, event }: CommandValues<typeof newSpec>): void =>
  refuseFlags(
    {
      '--language': language !== undefined,
      '--template': template !== undefined,
      '--worker': worker,
      [`--event ${event}`]: event !== undefined && !(isHookEventName(event) && isToolEvent(event)),
    },
    '--forbid',
    'it writes a rule about calls of tools, and no script',
  );

/** A misspelt tool name must be refused: the generated test would use the same name and pass. */
const checkTools = (eventName: HookEventName, { definition }: HookPlan, names: readonly string[]): void => {
  const hook = { eventName, matcher: definition.matcher, config: definition.hooks[0] };
  const misspelt = findUnknownTools(hook, { names, isComplete: false }, agentToolNames);
  for (const { name, near, isMisspelled } of misspelt) {
    if (!isMisspelled) continue;
    const message = `no agent has a tool ${JSON.stringify(name)}; did you mean "${near}"?`;
    throw new UsageError(message, `write ${near}, or --tool ${name} if your agent has such a tool`);
  }
};

const listUnfinishedNotes = (plan: HookPlan, context: Context): string[] => {
  const marked = plan.files
    .filter(({ text }) => text.includes(EDIT_LINE))
    .map(({ path }) => shortenPath(path, context.cwd));
  if (marked.length === 0) return [];
  return [`not finished: write what it refuses where ${marked.join(' and ')} say ${EDIT_LINE}`];
};

const findUserTestPath = ({ files }: HookPlan, { scope }: ScopedFile, { cwd }: Context): string | undefined => {
  const [only, ...others] = files;
  return scope !== 'user' || only === undefined || others.length > 0 ? undefined : shortenPath(only.path, cwd);
};

const explainNotRunning = async (name: string, context: Context): Promise<string[]> => {
  const { hooks } = await readConfiguration(context);
  return hooks
    .filter(({ row }) => row.name === name && row.reason !== undefined)
    .map(({ row: { reason, hint = '' } }) => `it does not run yet: ${reason}. ${hint}`);
};

const SHELL_MATCHER = `^(${shellTools.join('|')})$`;

const listTooLateNotes = (eventName: HookEventName): string[] =>
  ['tool_response', 'error'].some((field) => field in catalogue[eventName].sample)
    ? [
        `at ${eventName} the tool has run already, and only its result is refused; to keep it from running: --event BeforeTool`,
      ]
    : [];

const listRuleLimits = (name: string, { definition }: HookPlan, matcher: string | undefined): string[] => [
  ...(matcher === undefined && definition.matcher === SHELL_MATCHER
    ? [`it is for the tools ${shellTools.join(', ')}; if yours has another name: --matcher <name>`]
    : []),
  `compared with the text of a call, and other spellings pass; for a guarantee, write a script: hookwright new ${name} --matcher <tool>`,
];

/** Accepts `.*` for `*`, a common mistake. Other regular expressions are refused. */
const createCommandPattern = (text: string): string => {
  const pattern = text.trim().replaceAll('.*', '*');
  const special = /[\\^$+?[\]{}|()]/.exec(pattern)?.[0];
  if (special === undefined && pattern.replaceAll('*', '').trim() !== '') return pattern;
  throw new UsageError(
    `--forbid cannot be read: ${special === undefined ? 'it has no text' : `"${special}" has no meaning in it`}`,
    `write the text of a command, with * for anything: 'git push*--force'; or a call: 'Bash(git push --force*)'`,
  );
};

const splitMatcherWords = (matcher: string): readonly string[] => {
  const words = matcher.split('|').map((word) => word.trim().replace(/^\^/, '').replace(/\$$/, ''));
  if (words.every((word) => /^[\w-]+$/.test(word))) return words;
  throw new UsageError(
    `--forbid needs the names of tools, and ${JSON.stringify(matcher)} is a pattern of them`,
    `--matcher 'Bash|run_shell_command', or name the tool in --forbid: 'Bash(git push --force*)'`,
  );
};

interface ForbiddenCall {
  readonly patterns: readonly string[];
  readonly tool: string;
  readonly what: string;
  readonly input: Readonly<Record<string, string>>;
  readonly isAboutShells?: true;
}

const readForbidden = (forbid: string, matcher: string | undefined): ForbiddenCall => {
  const call = /\(/.test(forbid) ? readCallPattern(forbid) : undefined;
  if (call?.about !== undefined) {
    const what = createExample(call.about);
    const tool = call.tool.replaceAll('*', '');
    return { patterns: [forbid.trim()], tool, what, input: createForbiddenInput(call.about, what) };
  }
  const pattern = createCommandPattern(forbid);
  const wide = `*${pattern}*`.replace(/\*+/g, '*');
  const what = createExample(pattern);
  const input = { command: what };
  if (matcher === undefined) return { patterns: [`*(${wide})`], tool: 'Bash', what, input, isAboutShells: true };
  const tools = splitMatcherWords(matcher);
  return { patterns: tools.map((tool) => `${tool}(${wide})`), tool: tools[0] ?? 'Bash', what, input };
};

const createForbiddenInput = (about: string, what: string): ForbiddenCall['input'] => {
  if (about.startsWith('domain:')) return { url: `https://${what.replace('domain:', '').trim()}/` };
  if (/^[a-z]+:\/\//.test(about)) return { url: what };
  return /^[~./]|^[^\s]*\/|^\S*\.\w+$/.test(about) ? { file_path: what.replace(/^\/(?!\/)/, '') } : { command: what };
};

const createExample = (pattern: string): string =>
  pattern.includes('/')
    ? pattern.replace(/\*+/g, 'x')
    : pattern.replace(/:\*$/, '').replaceAll('*', ' ').replace(/\s+/g, ' ').trim();

interface RuleOptions extends Pick<NewHookOptions, 'name' | 'eventName' | 'matcher' | 'directory' | 'scope'> {
  readonly forbid: readonly string[];
}

const planRule = ({ name, eventName, directory, scope, ...wish }: RuleOptions): HookPlan => {
  const all = wish.forbid.map((one) => readForbidden(one, wish.matcher));
  const [first] = all;
  if (first === undefined) throw new UsageError('--forbid needs a pattern', `--forbid 'git push*--force'`);
  const matcher = wish.matcher ?? (all.every(({ isAboutShells }) => isAboutShells) ? SHELL_MATCHER : undefined);
  const patterns = all.flatMap((one) => one.patterns);
  const [only = '', ...others] = patterns;
  const reason = `${name}: ${all.map(({ what }) => what).join(' and ')} ${all.length === 1 ? 'is' : 'are'} not allowed here`;
  const test = join(directory, '.hookwright', scope === 'user' ? 'hooks' : 'tests', `${name}.test.json`);
  const tests = [
    ...all.map(({ tool, what, input }) => ({
      name: `refuses ${what}`,
      payload: { ...(tool === first.tool ? {} : { tool_name: tool }), tool_input: input },
      expect: { verdict: 'deny', reason },
    })),
    {
      name: 'has no opinion about anything else',
      payload: { tool_input: { command: 'ls' } },
      expect: { verdict: 'none' },
    },
  ];
  const text = createTestText({ name, eventName, payload: { tool_name: first.tool } }, tests);
  const canary = { tool_name: first.tool, tool_input: first.input };
  return {
    files: [{ path: test, text, mode: 0o644 }],
    definition: {
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [{ type: 'rule', name, if: others.length === 0 ? only : patterns, verdict: 'deny', reason, canary }],
    },
  };
};
