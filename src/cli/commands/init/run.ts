import { agentsOnMachine } from '../../../agents/agents.ts';
import { HookwrightError } from '../../../errors.ts';
import { homeDirectory } from '../../../kit/node.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { firstAbilities } from '../../scaffold/first-abilities.ts';
import { firstSettings } from '../../scaffold/first-settings.ts';
import { languageOf } from '../../scaffold/language-names.ts';
import { makeHook } from '../../scaffold/make-hook.ts';
import { madeOutcome } from '../../scaffold/outcome.ts';
import { planHook } from '../../scaffold/plan.ts';
import { starterIn } from '../../scaffold/starter.ts';
import { FIRST_TEMPLATE, templateOf } from '../../scaffold/templates.ts';
import { createSettings } from '../../settings-edit/change-settings.ts';
import { fileFor } from '../../settings-edit/settings-files.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { initSpec } from './spec.ts';

/** How an agent gets these hooks: one of the user's own, and each that is on this machine. */
const howToGetThem = async ({ cwd, env }: Context): Promise<string[]> => {
  const here = await agentsOnMachine({ cwd, home: homeDirectory(), env });
  return [
    'your agent:     createHooks({ load: true }), see docs/embedding.md',
    ...here.map(({ name, title }) => `${`${title}:`.padEnd(15)} hookwright install --into ${name}`),
  ];
};

export const run: Run<typeof initSpec> = async ({ language: wish, abilities, 'dry-run': dryRun }, context) => {
  if (abilities) return firstAbilities({ dryRun }, context);
  const { config } = await loadSettings(context);
  const file = fileFor(config, 'project');
  if (file === undefined) {
    throw new UsageError(
      'this is your home directory, not a project',
      'a hook of your own: hookwright new <name> --scope user',
    );
  }
  const directory = config.getProjectDir();
  const language = languageOf(wish);
  const template = templateOf(FIRST_TEMPLATE);
  if (template === undefined) throw new HookwrightError('internal_error', 'unreachable: the first template is one');
  const { eventName } = template;
  const starter = starterIn(language, config, context);
  const wanted = { name: FIRST_TEMPLATE, eventName, matcher: undefined, payload: {}, template };
  const plan = planHook({ ...wanted, worker: false, language, starter, directory, scope: 'project' });
  const text = firstSettings(eventName, plan);
  const made = await makeHook(
    plan,
    {
      file,
      directory,
      home: config.getHome(),
      dryRun,
      enter: (options) => createSettings(file, options, { verb: 'init', name: FIRST_TEMPLATE, text, made: plan.files }),
    },
    context,
  );
  const head = dryRun ? 'these files would be created:' : 'these files were created:';
  const next = [
    'its test:       hookwright test',
    `see it refuse:  hookwright run ${eventName} --input '{"tool_input": {"command": "cat .env"}}'`,
    'more like it:   hookwright new --template scan-secrets',
    'your own hook:  hookwright new <name>',
    ...(await howToGetThem(context)),
  ];
  return madeOutcome({ plan, made, dryRun, head, next }, context);
};
