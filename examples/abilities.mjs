// A session of an agent in a repository with hooks for all five events: what the AI is told at each step.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentRuntime, loadAbilities, loadAbilityHooks } from 'hookwright/abilities';
import { show } from './abilities/show.mjs';

// The hooks keep counts and results beside their repository, so each run of this example has its own.
const root = mkdtempSync(join(tmpdir(), 'hookwright-abilities-'));
cpSync(fileURLToPath(new URL('abilities/repository', import.meta.url)), root, { recursive: true });

const hooks = await loadAbilityHooks(root, { trustedFolder: true });
const abilities = await loadAbilities(root, { trustedFolder: true });

// Stands in for a model: what it asks for, one action after another. A real one decides by what it is told.
const billing = 'services/billing/invoice.mjs';
const actions = [
  { type: 'LIST_ABILITIES' },
  { type: 'CREATE_TASK', ability_id: 'edit_file', input: { path: billing, find: 'totl', replace: 'total' } },
  { type: 'RUN_TASK', task_key: 'task-000001' },
  { type: 'CREATE_TASK', ability_id: 'run_load_test', input: { service: 'billing' } },
  { type: 'CREATE_TASK', ability_id: 'run_tests', input: { service: 'billing' } },
  { type: 'RUN_TASK', task_key: 'task-000002' },
  { type: 'CREATE_TASK', ability_id: 'deploy_service', input: { service: 'billing' } },
  { type: 'CREATE_TASK', ability_id: 'deploy_service', input: { service: 'billing', target: 'production' } },
  { type: 'RUN_TASK', task_key: 'task-000003' },
  { type: 'CREATE_TASK', ability_id: 'deploy_service', input: { service: 'billing', target: 'staging' } },
  { type: 'RUN_TASK', task_key: 'task-000004' },
];

const planner = async (control, context, { act }) => {
  show('the user', context.user_raw_input);
  show('control', control);
  for (const action of actions) {
    show('the AI', action);
    show('is told', await act(action));
  }
};

let tasks = 0;
const createTaskKey = () => {
  tasks += 1;
  return `task-${String(tasks).padStart(6, '0')}`;
};

const runtime = new AgentRuntime({
  root,
  hooks,
  abilities: abilities.registry,
  environment: 'workstation',
  planner,
  createTaskKey,
});

const session = runtime.startSession({ sessionId: 'session-1' });
await session.submit('Fix the typo in the invoices and deploy billing to production.');
const ended = session.end({ changedFiles: [billing] });
show('session', { abilities_used: ended.abilities_used, tasks: ended.tasks_summary.length });

// The user has the answer. The hooks of the end are still at work; nobody waits for them but this example.
await session.settled;
const cached = (name) => JSON.parse(readFileSync(join(root, '.system/cache', name), 'utf8'));
show('usage.json', cached('usage.json'));
show('build.json', cached('build.json'));

await runtime.dispose();
await hooks.dispose();
rmSync(root, { recursive: true });
