import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { CommandOutcome } from '../outcome.ts';
import { problemsText } from '../rendering/problem-lines.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { approveFiles, fileLines } from './ability-hook.ts';
import { createFiles } from './create-files.ts';

/** The three files of the first page of the documentation. */
const files = [
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

const next = [
  `see it refuse:  hookwright ability run deploy_service --input '{"target": "production"}'`,
  `see it allow:   hookwright ability run deploy_service --input '{"target": "staging"}'`,
  'your own guard: hookwright new <name> --event PreAbilityCall --matcher <ability>',
];

/** Begins with abilities: one of them, a guard of it and its script, approved as they are written. */
export const firstAbilities = async (
  { dryRun }: { readonly dryRun: boolean },
  context: Context,
): Promise<CommandOutcome> => {
  const { config } = await loadSettings(context);
  const root = config.getProjectDir();
  const { width } = context.screen;
  const problems = files
    .map(({ file }) => join(root, file))
    .filter((path) => existsSync(path))
    .map((file) => ({ severity: 'error' as const, file, message: 'it already exists and was left as it is' }));
  const planned = files.map(({ file, mode, contents }) => ({ path: join(root, file), text: contents, mode }));
  const unwritten = problems.length > 0 || dryRun ? undefined : await createFiles(planned);
  const all = unwritten === undefined ? problems : [...problems, unwritten];
  if (all.length > 0) {
    const text = () => problemsText(all, width, context.cwd);
    return { findings: true, data: { files: [] }, problems: all, text };
  }
  const approved =
    !dryRun &&
    (await approveFiles(
      files.slice(0, 2).map(({ file }) => file),
      context,
    ));
  return {
    data: { dryRun, approved, files: planned.map(({ path }) => path) },
    text: () => [
      dryRun ? 'these files would be created:' : 'these files were created:',
      ...fileLines([...files]),
      ...(approved ? ['approved; after you change them, approve them again: hookwright trust'] : []),
      ...(dryRun ? [] : next),
    ],
  };
};
