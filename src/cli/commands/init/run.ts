/** `hookwright init`: creates the settings of a project with a first hook and its test. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findAgentsOnMachine } from '../../../agents/cli-api.ts';
import { HookwrightError } from '../../../errors.ts';
import { hookEventNames } from '../../../events/index.ts';
import { escapeUnprintable } from '../../../kit/index.ts';
import type { CommandMain } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { createProblemOutcome } from '../../rendering/problem-lines.ts';
import { selectLanguage } from '../../scaffold/language-names.ts';
import { createFiles, createNewHookOutcome, writeHook } from '../../scaffold/make-hook.ts';
import { approveFiles, formatNewFileLines } from '../../scaffold/new-ability-hook.ts';
import { type HookPlan, planHook } from '../../scaffold/plan-hook.ts';
import { createLocalStarter } from '../../scaffold/script-starter.ts';
import { FIRST_TEMPLATE, findTemplate } from '../../scaffold/templates.ts';
import { createSettingsFile } from '../../settings-edit/change-settings.ts';
import { selectSettingsFile } from '../../settings-edit/settings-files.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import type { initSpec } from './spec.ts';

export const run: CommandMain<typeof initSpec> = async ({ language: wish, abilities, 'dry-run': dryRun }, context) => {
  if (abilities) return createFirstAbilities(dryRun, context);
  const { config } = await loadSettings(context);
  const file = selectSettingsFile(config, 'project');
  if (file === undefined) {
    throw new UsageError(
      'this is your home directory, not a project',
      'a hook of your own: hookwright new <name> --scope user',
    );
  }
  const directory = config.getProjectDir();
  const language = selectLanguage(wish);
  const template = findTemplate(FIRST_TEMPLATE);
  if (template === undefined) throw new HookwrightError('internal_error', 'unreachable: the first template is one');
  const { eventName } = template;
  const starter = createLocalStarter(language, config, context);
  const wanted = { name: FIRST_TEMPLATE, eventName, matcher: undefined, payload: {}, template };
  const plan = planHook({ ...wanted, worker: false, language, starter, directory, scope: 'project' });
  const text = createFirstSettings(eventName, plan);
  const made = await writeHook(
    plan,
    {
      file,
      directory,
      home: config.getHome(),
      dryRun,
      enter: (options) =>
        createSettingsFile(file, options, { verb: 'init', name: FIRST_TEMPLATE, text, made: plan.files }),
    },
    context,
  );
  const head = dryRun ? 'these files would be created:' : 'these files were created:';
  const next = [
    'its test:       hookwright test',
    `see it refuse:  hookwright run ${eventName} --input '{"tool_input": {"command": "cat .env"}}'`,
    'more like it:   hookwright new --template scan-secrets',
    'your own hook:  hookwright new <name>',
    ...(await explainConnecting(context)),
  ];
  return createNewHookOutcome({ plan, made, dryRun, head, next }, context);
};

const explainConnecting = async (context: Context): Promise<string[]> => {
  const here = await findAgentsOnMachine(context);
  return [
    'your agent:     createHooks({ load: true }), see docs/embedding.md',
    ...here.map(({ name, title }) => `${`${title}:`.padEnd(15)} hookwright install --into ${name}`),
  ];
};

/** The documentation shows these files, too. */
const abilityFiles = [
  {
    file: '.system/abilities/deploy_service.yaml',
    mode: 0o644,
    contents: `id: deploy_service
summary: Puts a service on staging or production
handler:
  kind: script
  command: ./bin/deploy.sh
`,
  },
  {
    file: '.system/hooks/guard-production.yaml',
    mode: 0o644,
    contents: `# Only people deploy to production. If this guard fails, nobody deploys.
id: guard-production
event_type: PreAbilityCall
enabled: true
blocking: true
on_fault: fail
match:
  ability_scope: deploy_service
handler:
  kind: script
  command: .system/handlers/guard-production.mjs
`,
  },
  {
    file: '.system/handlers/guard-production.mjs',
    mode: 0o755,
    contents: `#!/usr/bin/env node
// The context of the call comes as JSON on standard input; what is printed is the answer.
import { json } from 'node:stream/consumers';

const { ability_id, args } = await json(process.stdin);
if (args?.target === 'production') {
  const payload = { ability_id, reason: 'production is deployed by people', require_human: true };
  console.log(JSON.stringify({ hook_signals: [{ kind: 'ability_guard', code: 'ABILITY_DENIED', payload }] }));
}
`,
  },
  {
    file: 'bin/deploy.sh',
    mode: 0o755,
    contents: `#!/bin/sh
# Reads the call as JSON. Put your deployment here.
cat >/dev/null
echo '{"output_summary": "deployed"}'
`,
  },
] as const;

const nextStepsText = [
  `see it refuse:  hookwright ability run deploy_service --input '{"target": "production"}'`,
  `see it allow:   hookwright ability run deploy_service --input '{"target": "staging"}'`,
  'your own guard: hookwright new <name> --event PreAbilityCall --matcher <ability>',
];

const createFirstAbilities = async (dryRun: boolean, context: Context): Promise<CommandOutcome> => {
  const { config } = await loadSettings(context);
  const root = config.getProjectDir();
  const problems = abilityFiles
    .map(({ file }) => join(root, file))
    .filter((path) => existsSync(path))
    .map((file) => ({ severity: 'error' as const, file, message: 'it already exists and was left as it is' }));
  const planned = abilityFiles.map(({ file, mode, contents }) => ({ path: join(root, file), text: contents, mode }));
  const unwritten = problems.length > 0 || dryRun ? undefined : await createFiles(planned);
  const all = unwritten === undefined ? problems : [...problems, unwritten];
  if (all.length > 0) return createProblemOutcome({ files: [] }, all, context);
  const approved =
    !dryRun &&
    (await approveFiles(
      abilityFiles.slice(0, 2).map(({ file }) => file),
      context,
    ));
  return {
    data: { dryRun, approved, files: planned.map(({ path }) => path) },
    text: () => [
      dryRun ? 'these files would be created:' : 'these files were created:',
      ...formatNewFileLines([...abilityFiles]),
      ...(approved ? ['approved; after you change them, approve them again: hookwright trust'] : []),
      ...(dryRun ? [] : nextStepsText),
    ],
  };
};

const createFirstSettings = (eventName: string, { definition }: HookPlan): string => {
  const [{ name, command, canary }] = definition.hooks;
  const others = hookEventNames.filter((other) => other !== eventName);
  return `{
  // Hooks of this project. To see which of them run, and why not: hookwright explain
  "hooks": {
    "${eventName}": [
      {
        // Which tools: a regular expression, case-sensitive. Without it, all tools.
        // "matcher": "Bash|run_shell_command",
        "hooks": [
          {
            "name": "${name}",
            "command": ${escapeUnprintable(JSON.stringify(command ?? ''))},
            "timeout": "10s",
            // If the hook itself fails: allow (the default), ask, or deny.
            "onFault": "ask",
            // A call that it has to refuse: hookwright doctor tries it, and so does each session.
            "canary": ${escapeUnprintable(JSON.stringify(canary))}
          }
        ]
      }
    ]
    // Other events: ${others.slice(0, 5).join(', ')},
    // ${others.slice(5, 10).join(', ')},
    // ${others.slice(10).join(', ')}
  }
  // Hooks that are switched off, by name. hookwright disable writes this.
  // "hooksConfig": { "disabled": ["${name}"] }
}
`;
};
