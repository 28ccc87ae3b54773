import diagnostics from 'node:diagnostics_channel';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadAbilityHooks, runHooks } from '../../src/abilities/index.ts';
import { hookEventNames } from '../../src/events/index.ts';
import {
  approve,
  ConfigSource,
  checkTrustLock,
  type HookSystem,
  loadConfig,
  MessageBus,
  type PayloadOf,
  requestHooks,
  reviewTrust,
  type TrustQuestion,
} from '../../src/index.ts';
import { buildHostileRepository, type HostileRepository } from '../fixtures/hostile-repository.ts';
import { payloads, sleep } from '../support/engine.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

interface Watched extends HostileRepository {
  readonly home: string;
  readonly connections: () => number;
  /** How many processes and threads were started since. */
  readonly started: () => number;
}

/** A canary server, and a look at everything this process starts. */
const watch = async (): Promise<Watched> => {
  const directory = temporaryFolder('hostile');
  const home = join(directory, 'home');
  mkdirSync(home, { mode: 0o700 });
  let connections = 0;
  const server = createServer((_request, response) => response.end('{}'));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = untyped<AddressInfo>(server.address());
  const repository = buildHostileRepository({ directory, url: `http://127.0.0.1:${port}` });
  let started = 0;
  const count = (): void => {
    started += 1;
  };
  diagnostics.subscribe('child_process', count);
  diagnostics.subscribe('worker_threads', count);
  onTestFinished(async () => {
    diagnostics.unsubscribe('child_process', count);
    diagnostics.unsubscribe('worker_threads', count);
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  });
  return { ...repository, home, connections: () => connections, started: () => started };
};

const open = async ({ project, home }: Watched, bus?: MessageBus) => {
  const { config, problems } = await loadConfig({
    cwd: project,
    home,
    env: { GITHUB_TOKEN: 'ghp_canary' },
    ...(bus === undefined ? {} : { bus }),
  });
  const system = config.getHookSystem();
  onTestFinished(() => system?.dispose());
  return { config, problems, system };
};

const fromRepository: readonly string[] = [ConfigSource.Project, ConfigSource.Extensions];

/** All rows of a repository, asked for in every way there is. */
const explainAll = async (system: HookSystem | undefined) => {
  for (const event of hookEventNames) {
    await system?.explain(event, { toolName: `${'a'.repeat(40)}!`, trigger: `${'x'.repeat(40)}` });
  }
  return ((await system?.explain()) ?? []).filter(({ source }) => fromRepository.includes(source.kind));
};

const fireAll = async (system: HookSystem | undefined, bus: MessageBus): Promise<void> => {
  for (const event of hookEventNames) {
    const subject = 'tool_name' in payloads[event] ? { tool_name: `${'a'.repeat(40)}!` } : {};
    const payload = untyped<PayloadOf<typeof event>>({ ...payloads[event], ...subject });
    const answer = await requestHooks(bus, event, payload, { timeoutMs: 5_000 });
    expect(answer).toMatchObject({ success: true, allOutputs: [], errors: [] });
    const handler = system?.getEventHandler();
    expect(await handler?.fire(event, payload)).toMatchObject({
      success: true,
      allOutputs: [],
    });
  }
};

const expectSilence = async ({ canaries, connections, started }: Watched): Promise<void> => {
  // What was started in the background would need a moment to leave its canary.
  await sleep(200);
  expect({ left: readdirSync(canaries), connections: connections(), started: started() }).toEqual({
    left: [],
    connections: 0,
    started: 0,
  });
};

describe.skipIf(process.platform === 'win32')('a cloned repository that nobody trusts', () => {
  test('F60 nothing of it is executed or connected to, whatever is asked, and every hook has its row', {
    timeout: 60_000,
  }, async () => {
    const watched = await watch();
    const startedAt = performance.now();
    const bus = new MessageBus();
    const { config, system } = await open(watched, bus);
    const rows = await explainAll(system);
    await fireAll(system, bus);
    await system?.reload();
    const review = await reviewTrust(config);
    await checkTrustLock(config);
    expect(performance.now() - startedAt).toBeLessThan(15_000);

    // Seven hooks per event in each of three files, and a harmless one more than the slow one it took the place of.
    expect(rows.length).toBeGreaterThanOrEqual(hookEventNames.length * 7 * 3);
    for (const { planned, reasons = [] } of rows) {
      expect(planned).toBe('skip');
      expect(reasons).toContain('untrusted');
    }
    expect(review.hooks.length).toBe(rows.length);
    expect(review.hooks.every(({ status }) => status === 'new')).toBe(true);
    await expectSilence(watched);
    expect(existsSync(join(watched.home, '.hookwright'))).toBe(false);
  });

  test('F60 also without anybody to ask: a request on the bus loads it and runs nothing', async () => {
    const watched = await watch();
    const bus = new MessageBus();
    await open(watched, bus);
    expect(await requestHooks(bus, 'SessionStart', { source: 'startup' })).toMatchObject({ allOutputs: [] });
    await expectSilence(watched);
  });

  test('F60 nor of its ability hooks, until one of them was approved', async () => {
    const watched = await watch();
    const { project, home } = watched;
    const { config } = await open(watched);
    const fire = async () => {
      const hooks = await loadAbilityHooks(project, { home });
      onTestFinished(() => hooks.dispose());
      const rows = hooks.explain();
      const { success } = await runHooks(hooks, 'PreAbilityCall', {
        ability_id: 'x',
        caller: { source: 'ai_session' },
      });
      return { success, rows };
    };
    const { rows } = await fire();
    const declared = rows.filter(({ reasons }) => reasons?.includes('untrusted'));
    expect(declared.map(({ name }) => name)).toEqual(['evil-line', 'evil-script', 'harmless-ability']);
    expect(rows.every(({ planned }) => planned === 'skip')).toBe(true);
    await expectSilence(watched);

    const questions: TrustQuestion[] = [];
    const asked = await loadAbilityHooks(project, {
      trustCheck: (question) => questions.push(question) > 0 && 'untrusted',
    });
    await asked.dispose();
    const { hooks } = await reviewTrust(config, { questions });
    const ids = hooks.filter(({ name }) => name === 'harmless-ability').map(({ id }) => id);
    expect(await approve(config, ids, { questions })).toHaveLength(1);
    expect((await fire()).rows.filter(({ planned }) => planned === 'run').map(({ name }) => name)).toEqual([
      'harmless-ability',
    ]);
    expect(readdirSync(watched.canaries)).toEqual(['harmless']);
  });

  test('F63 it cannot trust itself: with a store and a lock file that would be right in a home', async () => {
    const watched = await watch();
    const evilHome = join(watched.home, 'evil');
    mkdirSync(evilHome, { mode: 0o700 });
    const { config } = await open(watched);
    const review = await reviewTrust(config, { home: evilHome });
    await review.approve(review.hooks.map(({ id }) => id));
    cpSync(join(evilHome, '.hookwright/trust.json'), join(watched.project, '.hookwright/trust.json'));
    const hooks = review.hooks.map(({ id, hookId, name }) => ({ hookId, name, hash: id }));
    writeFileSync(join(watched.project, '.hookwright/trust.lock.json'), JSON.stringify({ version: 1, hooks }));
    rmSync(evilHome, { recursive: true });

    const again = await open(watched);
    expect((await checkTrustLock(again.config)).ok).toBe(true);
    for (const { reasons = [] } of await explainAll(again.system)) expect(reasons).toContain('untrusted');
    await again.system?.getEventHandler().fireSessionStartEvent('startup');
    await expectSilence(watched);
  });

  test('F63 it cannot switch off the hooks of the user, nor let secrets through', async () => {
    const watched = await watch();
    mkdirSync(join(watched.home, '.hookwright'), { mode: 0o700 });
    const guard = { type: 'command', name: 'user-guard', command: 'echo guarded' };
    writeFileSync(
      join(watched.home, '.hookwright/settings.json'),
      JSON.stringify({ hooks: { SessionStart: [{ hooks: [guard] }] } }),
    );
    const { config, problems, system } = await open(watched);
    const rows = (await system?.explain('SessionStart')) ?? [];
    expect(rows.find(({ name }) => name === 'user-guard')).toMatchObject({ planned: 'run' });
    expect(config.getAllowedEnv()).toEqual([]);
    const words = problems.map(({ message }) => message).join('\n');
    for (const said of ['user-guard', 'allowEnv', 'trustedFolder', 'limits', 'NODE_OPTIONS', 'LD_PRELOAD']) {
      expect(words).toContain(said);
    }
  });

  test('F61 after one harmless hook was approved, that one runs and nothing else', async () => {
    const watched = await watch();
    const { config, system } = await open(watched);
    const { hooks } = await reviewTrust(config);
    const harmless = hooks.find(({ name }) => name === 'harmless');
    expect(harmless?.script).toMatchObject({ covered: true, files: [{ path: 'harmless.sh', state: 'covered' }] });
    await approve(config, [harmless?.id ?? '']);
    await system?.reload();
    const rows = await explainAll(system);
    expect(rows.filter(({ planned }) => planned === 'run').map(({ name }) => name)).toEqual(['harmless']);
    const result = await system?.getEventHandler().fireSessionStartEvent('startup');
    expect(result).toMatchObject({ success: true, errors: [] });
    await sleep(200);
    expect(readdirSync(watched.canaries)).toEqual(['harmless']);
    expect(watched.started()).toBeGreaterThan(0);
    expect(watched.connections()).toBe(0);
  });

  test('F64 what is approved runs, but not as its variables would have it', async () => {
    const watched = await watch();
    const { config, system } = await open(watched);
    const { hooks } = await reviewTrust(config);
    const chosen = hooks.filter(({ name }) => /^(?:touch|script|node)-SessionStart-own$/.test(name));
    await approve(
      config,
      chosen.map(({ id }) => id),
    );
    await system?.reload();
    await system?.getEventHandler().fireSessionStartEvent('startup');
    // The script would be "fake-touch" had it found its own PATH, and Node would have loaded "preload".
    await expect.poll(() => readdirSync(watched.canaries)).toEqual(['line-SessionStart-own', 'script']);
  });
});
