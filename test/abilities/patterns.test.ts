import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { AgentRuntime, loadAbilities } from '../../src/abilities/index.ts';
import { hooksIn, repositoryWith, toolsWith } from './support.ts';

/** The repository of the example, for one test. Its hook in Python is shown by the example itself. */
const exampleRepository = (): string => {
  const root = repositoryWith();
  cpSync('examples/abilities/repository', root, { recursive: true });
  rmSync(join(root, '.system/hooks/log-session.yaml'));
  return root;
};

const json = (root: string, name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));

const toolsIn = async (root: string) => {
  const { registry, problems } = await loadAbilities(root, { trustedFolder: true });
  expect(problems).toEqual([]);
  return toolsWith({ root, hooks: await hooksIn(root), abilities: registry, environment: 'workstation' });
};

const production = { service: 'billing', target: 'production' };

describe.skipIf(process.platform === 'win32')('the five patterns', () => {
  let root: string;

  beforeEach(() => {
    root = exampleRepository();
  });

  test('a usage tracker counts every call once, however many end at the same time', async () => {
    const tools = await toolsIn(root);
    const calls = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0
        ? tools.runAbility('edit_file', { path: 'docs/outages.json', find: 'not in there', replace: '' })
        : tools.runAbility('run_tests', { service: 'billing' }),
    );
    await Promise.all(calls);
    await tools.idle();
    expect(json(root, '.system/cache/usage.json')).toEqual({
      edit_file: { success: 0, failure: 4, partial: 0 },
      run_tests: { success: 0, failure: 8, partial: 0 },
    });
    expect(readdirSync(join(root, '.system/cache')).sort()).toEqual(['usage.json', 'usage.jsonl']);
  }, 30_000);

  test('a router suggests what the routing documents say, and nothing where none fits', async () => {
    const hooks = await hooksIn(root);
    const ask = (user_raw_input: string) => hooks.fire('PromptSubmit', { session_id: 's', user_raw_input });
    expect((await ask('Please review this and check it')).hook_signals).toMatchObject([
      {
        kind: 'routing_hint',
        code: 'ROUTE_SUGGESTION',
        payload: {
          suggested_abilities: [{ id: 'run_tests', reason: 'a review begins with the tests', confidence: 1 }],
          suggested_documents: [{ path: 'docs/routing/reviewing.md' }],
        },
      },
    ]);
    expect((await ask('Hello')).hook_signals).toEqual([]);
  });

  test('an availability check refuses with a suggestion, warns, or has nothing to say', async () => {
    const tools = await toolsIn(root);
    expect(await tools.createTask('run_load_test')).toMatchObject({
      created: false,
      preflight: { code: 'ABILITY_UNAVAILABLE', suggestion: 'run_tests' },
    });
    expect(await tools.createTask('deploy_service', production)).toMatchObject({
      created: true,
      hook_signals: [{ code: 'ABILITY_AVAILABLE', severity: 'warning' }],
    });
    expect(await tools.createTask('run_tests', { service: 'billing' })).toMatchObject({
      created: true,
      hook_signals: [],
    });
  });

  test('a guard asks for a human by a signal, and only where its scope says', async () => {
    const tools = await toolsIn(root);
    expect(await tools.runAbility('deploy_service', production)).toMatchObject({
      executed: false,
      code: 'ABILITY_REQUIRES_HUMAN',
      reason: 'production is deployed by people',
    });
    expect(await tools.runAbility('deploy_service', { ...production, target: 'staging' })).toMatchObject({
      executed: true,
      status: 'success',
    });
    const { hooks } = await tools.runAbility('run_tests', production);
    expect(hooks).toEqual([]);
  });

  test('a build check runs at the end of sessions that changed a service, and only then', async () => {
    const hooks = await hooksIn(root);
    const stop = async (...changed_files: string[]): Promise<void> => {
      await hooks.fire('SessionStop', { session_id: 's', changed_files, tasks_summary: [] });
      await hooks.idle();
    };
    await stop('README.md');
    expect(existsSync(join(root, '.system/cache/build.json'))).toBe(false);
    writeFileSync(join(root, 'services/billing/broken.mjs'), 'const = 1;');
    await stop('services/billing/invoice.mjs', 'services/billing/broken.mjs', 'services/gone.mjs');
    expect(json(root, '.system/cache/build.json')).toEqual({
      ok: false,
      checked: ['services/billing/invoice.mjs', 'services/billing/broken.mjs'],
      broken: ['services/billing/broken.mjs'],
      failed_tasks: [],
    });
  });
});

interface Breaking {
  /** Whether the hook is still started, and then fails. */
  readonly faults: boolean;
  readonly apply: (declaration: string, handler: string) => void;
}

const script = (text: string) => (_declaration: string, handler: string) => {
  writeFileSync(handler, `#!/bin/sh\n${text}\n`);
  chmodSync(handler, 0o755);
};

const declare = (from: string | RegExp, to: string) => (declaration: string) =>
  writeFileSync(declaration, readFileSync(declaration, 'utf8').replace(from, to));

const breakings: Readonly<Record<string, Breaking>> = {
  'without its script': { faults: true, apply: (_declaration, handler) => rmSync(handler) },
  'exiting with 1': { faults: true, apply: script('exit 1') },
  'answering with garbage': { faults: true, apply: script('echo "}{ not what was asked for"') },
  'hanging past its timeout': {
    faults: true,
    apply: (declaration, handler) => {
      script('sleep 30')(declaration, handler);
      declare(/command: .*/, '$&\n  timeout_ms: 200')(declaration);
    },
  },
  'with a declaration that is no YAML': { faults: false, apply: (declaration) => writeFileSync(declaration, 'id: [') },
  'switched off': { faults: false, apply: declare('enabled: true', 'enabled: false') },
  deleted: { faults: false, apply: (declaration) => rmSync(declaration) },
};

const handlers = {
  'suggest-routes': 'suggest-routes.mjs',
  'check-availability': 'check-availability.mjs',
  'guard-production': 'guard-production.sh',
  'track-usage': 'track-usage.mjs',
  'check-build': 'check-build.mjs',
} as const;
type Id = keyof typeof handlers;

/** A whole session that asks for a deployment to production, and what became of it. */
const session = async (root: string) => {
  const { registry } = await loadAbilities(root, { trustedFolder: true });
  const hooks = await hooksIn(root);
  const runtime = new AgentRuntime({
    root,
    hooks,
    abilities: registry,
    environment: 'workstation',
    createTaskKey: () => 'task-000001',
    planner: async (_control, _context, { act }) => [
      await act({ type: 'CREATE_TASK', ability_id: 'deploy_service', input: production }),
      await act({ type: 'RUN_TASK', task_key: 'task-000001' }),
    ],
  });
  onTestFinished(() => runtime.dispose());
  const one = runtime.startSession();
  const turn = await one.submit('deploy billing');
  await one.runAbility('edit_file', { path: 'docs/outages.json', find: 'today', replace: 'tomorrow' });
  one.end({ changedFiles: ['services/billing/invoice.mjs'] });
  await one.settled;
  if (!turn.ready) throw new Error(turn.error.message);
  const [created, run] = turn.plan;
  const cached = (name: string): boolean => existsSync(join(root, '.system/cache', name));
  return {
    routes: turn.control.hook_signals.length,
    created: created?.type,
    warnings: created !== undefined && 'hook_signals' in created ? created.hook_signals.length : 0,
    run: run?.type,
    code: run !== undefined && 'code' in run ? run.code : undefined,
    tracked: cached('usage.json'),
    built: cached('build.json'),
    problems: hooks.problems.length,
  };
};

/** What the session comes to when all hooks are well. */
const whole = {
  routes: 1,
  created: 'TASK_CREATED',
  warnings: 1,
  run: 'TASK_NOT_RUN',
  code: 'ABILITY_REQUIRES_HUMAN',
  tracked: true,
  built: true,
  problems: 0,
};

/** What each hook's absence changes; the guard says that it must not fail, so a fault of it is a refusal. */
const without: Readonly<Record<Id, (breaking: Breaking) => object>> = {
  'suggest-routes': () => ({ routes: 0 }),
  'check-availability': () => ({ warnings: 0 }),
  'guard-production': ({ faults }) => (faults ? { code: 'ABILITY_DENIED' } : { run: 'TASK_RESULT', code: undefined }),
  'track-usage': () => ({ tracked: false }),
  'check-build': () => ({ built: false }),
};

/** Nobody knows what a declaration is that is no YAML: nothing is done that it might have had a say in. */
const unreadable: Readonly<Record<Id, object>> = {
  'suggest-routes': { routes: 0 },
  'check-availability': { warnings: 0 },
  'guard-production': {},
  'track-usage': {},
  'check-build': { built: false },
};
const refused = { created: 'TASK_REFUSED', run: 'TASK_NOT_RUN', code: 'unknown-task', tracked: false, problems: 1 };

const isId = (id: string): id is Id => Object.hasOwn(handlers, id);

const breakIn = (root: string, id: Id, { apply }: Breaking): void =>
  apply(join(root, `.system/hooks/${id}.yaml`), join(root, '.system/handlers', handlers[id]));

const cases = Object.keys(handlers)
  .filter(isId)
  .flatMap((id) => Object.entries(breakings).map(([how, breaking]) => ({ id, how, breaking })));

describe.skipIf(process.platform === 'win32')('the repository works with hooks broken, switched off or absent', () => {
  test('when all are well', { timeout: 20_000 }, async () => {
    expect(await session(exampleRepository())).toEqual(whole);
  });

  test.each(cases)('$id $how', { timeout: 20_000 }, async ({ id, how, breaking }) => {
    const root = exampleRepository();
    breakIn(root, id, breaking);
    const expected = how.includes('no YAML') ? { ...refused, ...unreadable[id] } : without[id](breaking);
    expect(await session(root)).toEqual({ ...whole, ...expected });
  });

  test('all of them absent, or the whole folder', { timeout: 20_000 }, async () => {
    const nothing = {
      ...whole,
      routes: 0,
      warnings: 0,
      run: 'TASK_RESULT',
      code: undefined,
      tracked: false,
      built: false,
    };
    for (const place of ['.system/hooks', '.system/handlers']) {
      const root = exampleRepository();
      rmSync(join(root, place), { recursive: true });
      const isGuarded = place === '.system/handlers';
      expect(await session(root)).toEqual(
        isGuarded ? { ...nothing, run: 'TASK_NOT_RUN', code: 'ABILITY_DENIED' } : nothing,
      );
    }
  });

  test('every run of a hook is in the log, with how it ended and how long it took', { timeout: 20_000 }, async () => {
    const root = exampleRepository();
    breakIn(root, 'suggest-routes', breakings['exiting with 1'] ?? { faults: true, apply: () => {} });
    await session(root);
    const lines = readFileSync(join(root, '.system/logs/hooks.jsonl'), 'utf8').trim().split('\n');
    const order = ['PromptSubmit', 'PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall', 'SessionStop'];
    // Nobody waits for the last two, so either may be done first.
    const entries = lines
      .map((line) => JSON.parse(line))
      .sort((a, b) => order.indexOf(a.event_type) - order.indexOf(b.event_type));
    expect(entries).toMatchObject([
      {
        hook_id: 'suggest-routes',
        event_type: 'PromptSubmit',
        status: 'failure',
        outcome: 'faulted',
        duration_ms: expect.any(Number),
      },
      { hook_id: 'check-availability', event_type: 'PreAbilityCreate', status: 'success', outcome: 'answered' },
      {
        hook_id: 'guard-production',
        event_type: 'PreAbilityCall',
        requires_human: ['production is deployed by people'],
      },
      {
        hook_id: 'track-usage',
        event_type: 'PostAbilityCall',
        status: 'success',
        outcome: 'answered',
        blocking: false,
      },
      { hook_id: 'check-build', event_type: 'SessionStop', status: 'success', outcome: 'answered', blocking: false },
    ]);
  });
});
