import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fixtureRepository, open } from './fixture-support.ts';

const trusted = { trustedFolder: true } as const;

const usage = (root: string): unknown =>
  JSON.parse(readFileSync(join(root, '.system/cache/ability_usage.json'), 'utf8'));

/** The five declarations with their scripts, as people wrote them before they had read anything but the contexts. */
describe.skipIf(process.platform === 'win32')('five hooks as people write them', () => {
  test('load with nothing but advice about their ids, which keeps what their authors called them', async () => {
    const { hooks } = await open(fixtureRepository(), trusted);
    expect(hooks.hooks.map(({ id }) => id)).toEqual([
      'ability_usage_tracker',
      'nonprod_availability_check',
      'prod_config_guard',
      'prompt_router',
      'session_stop_build_check',
    ]);
    expect(hooks.problems.map(({ severity }) => severity)).toEqual(Array.from({ length: 5 }, () => 'warning'));
    expect(hooks.problems[2]?.message).toContain('in kebab-case it would be prod-config-guard');
    expect((await hooks.inspect()).map(({ planned, warnings }) => [planned, warnings])).toEqual(
      Array.from({ length: 5 }, () => ['run', undefined]),
    );
  });

  test('R381 R406 the router suggests an ability and a document for a prompt about signing up', async () => {
    const { runtime } = await open(fixtureRepository(), trusted);
    const turn = await runtime.startSession().submit('Test that people can sign up');
    expect(turn).toMatchObject({
      ready: true,
      control: {
        hook_signals: [
          {
            hook_id: 'prompt_router',
            code: 'ROUTE_SUGGESTION',
            payload: {
              suggested_abilities: [{ id: 'signup_e2e_test', confidence: 0.9 }],
              suggested_documents: [{ path: 'integration/ROUTING.md' }],
            },
          },
        ],
      },
    });
  });

  test.each([
    ['by its id', { type: 'CREATE_TASK', ability_id: 'signup_e2e_test' }],
    ['by what it does', { type: 'CREATE_TASK', operation_key: 'test.signup' }],
  ])('R412 an ability that is not to be had in prod makes no task when it is asked for %s', async (_how, action) => {
    const root = fixtureRepository();
    // Nobody is asked about what is not to be had.
    const { runtime } = await open(root, trusted, { environment: 'prod', confirm: () => true });
    const answer = await runtime.startSession().act(action);
    expect(answer).toMatchObject({
      type: 'TASK_REFUSED',
      preflight: { code: 'ABILITY_UNAVAILABLE', reason: 'There is no test data in prod.', suggestion: 'Use staging.' },
    });
    expect(existsSync(join(root, '.system/tasks'))).toBe(false);
  });

  test('R386 R461 the guard finds the path in the summary of the arguments, whatever stands around it', async () => {
    const root = fixtureRepository();
    const { runtime } = await open(root, trusted);
    const session = runtime.startSession();
    const text = 'x'.repeat(100_000);
    const denied = await session.runAbility('edit_file', { text, path: 'config/prod/app.yml' });
    expect(denied).toMatchObject({
      executed: false,
      code: 'ABILITY_REQUIRES_HUMAN',
      reason: 'config/prod is edited by people.',
    });
    expect(existsSync(join(root, 'config/prod/app.yml'))).toBe(false);
    expect(await session.runAbility('edit_file', { text: 'a', path: 'config/staging/app.yml' })).toMatchObject({
      executed: true,
    });
  });

  test('R387 R424 R458 the tracker counts calls, and nobody waits for it', async () => {
    const root = fixtureRepository();
    const { runtime, hooks } = await open(root, trusted);
    const session = runtime.startSession();
    await session.runAbility('signup_e2e_test', { service: 'billing' });
    await hooks.idle();
    writeFileSync(join(root, 'bin/signup_e2e_test.mjs'), '#!/usr/bin/env node\nprocess.exit(3);\n');
    await session.runAbility('signup_e2e_test', { service: 'mail' });
    await hooks.idle();
    expect(usage(root)).toEqual({ signup_e2e_test: { calls: 2, failures: 1, last: 'service=mail' } });
  });

  test('R462 the build at the end gets the time that it declares, longer than ten seconds', {
    timeout: 60_000,
  }, async () => {
    process.env.BUILD_SECONDS = '11';
    onTestFinished(() => {
      delete process.env.BUILD_SECONDS;
    });
    const root = fixtureRepository();
    const { runtime } = await open(root, trusted);
    expect(runtime.endMs).toBe(60_000);
    const session = runtime.startSession();
    session.end({ changedFiles: ['services/billing/invoice.mjs'] });
    await session.settled;
    expect(readFileSync(join(root, '.system/cache/build_summary.json'), 'utf8')).toContain('"ok": true');
  });

  test('a runtime that ends hooks of the end before their time says so before, not afterwards', async () => {
    const told: string[] = [];
    const logger = { warn: (message: string): unknown => told.push(message) };
    const { runtime } = await open(fixtureRepository(), trusted, { backgroundMs: 10_000, logger });
    expect(runtime.problems).toEqual([
      'hook "session_stop_build_check" of SessionStop may take 60000 ms, and this runtime ends it after 10000; raise backgroundMs',
    ]);
    expect(told).toEqual(runtime.problems.map((problem) => `[hookwright:runtime] ${problem}`));
    expect(runtime.endMs).toBe(10_000);
  });
});
