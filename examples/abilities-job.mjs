// A job uses the abilities of the repository. The checks are the same as for an AI, and so is the outcome.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadAbilities, loadAbilityHooks, ToolRunner } from 'hookwright/abilities';

const root = mkdtempSync(join(tmpdir(), 'hookwright-job-'));
cpSync(fileURLToPath(new URL('abilities/repository', import.meta.url)), root, { recursive: true });

const hooks = await loadAbilityHooks(root, { trustedFolder: true });
const { registry } = await loadAbilities(root, { trustedFolder: true });

// An ability of the program itself, beside those the repository declares.
registry.add({
  id: 'count_words',
  input: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
  handler: { kind: 'function', run: ({ input }) => input.text.split(/\s+/).length },
});

const tools = new ToolRunner({
  root,
  hooks,
  abilities: registry,
  environment: 'ci',
  caller: { source: 'ci_pipeline', job_id: 'nightly-17' },
});

const words = await tools.runAbility('count_words', { text: 'the same for all callers' });
console.log('count_words:', words.status, words.output);

const created = await tools.createTask('deploy_service', { service: 'billing', target: 'production' });
const held = await tools.runTask(created.task_key);
console.log('deploy_service:', held.code, '-', held.reason);

// The task is a file. Another process can run it later; where a person may say yes, this is how one is asked.
const asked = new ToolRunner({
  root,
  hooks,
  abilities: registry,
  environment: 'ci',
  caller: { source: 'manual_cli', triggered_by: 'anna' },
  confirm: ({ toolName, reason }) => {
    console.log(`anna is asked about ${toolName}: ${reason}`);
    return true;
  },
});
const done = await asked.runTask(created.task_key);
console.log('deploy_service:', done.status, '-', done.output_summary);

const again = await asked.runTask(created.task_key);
console.log('once more:', again.code);

await tools.idle();
await hooks.dispose();
rmSync(root, { recursive: true });
