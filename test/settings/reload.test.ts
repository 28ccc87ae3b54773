import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reviewTrust, revoke } from '../../src/trust.ts';
import { createPlace, OWN, type Place, rowsOf, USER } from './support.ts';

/** A reload uses the load before it again only when files have been still for this long. */
const SETTLED_MS = 150;

const GUARD = 'project/BeforeTool/guard';

const guard = { name: 'guard', command: './guard.sh', onFault: 'deny' };

interface Session {
  readonly place: Place;
  /** Names and skipReasons after one more reload. */
  reloaded(): Promise<string[]>;
  /** The configurations of the hooks, the very objects. */
  configs(): Promise<readonly unknown[]>;
  readonly config: Awaited<ReturnType<Place['load']>>['config'];
}

const setEnv = (name: string, value: string): void => {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
};

/** A session whose guard is approved and whose files have been still for a while. */
const session = async (more: object = {}, prepare: (place: Place) => void = () => undefined): Promise<Session> => {
  const place = createPlace();
  chmodSync(place.home, 0o700);
  place.write(OWN, { hooks: { BeforeTool: [{ matcher: 'Bash', hooks: [guard] }] } });
  place.write(USER, { hooks: { BeforeTool: [{ hooks: [{ name: 'own', command: 'true', ...more }] }] } });
  chmodSync(place.write('project/guard.sh', '#!/bin/sh\nexit 2\n'), 0o755);
  prepare(place);
  const { config: reviewed } = await place.load();
  const review = await reviewTrust(reviewed);
  await review.approve(review.hooks.filter(({ hookId }) => hookId === GUARD).map(({ id }) => id));
  await sleep(SETTLED_MS);
  const { config } = await place.load({ env: process.env });
  const system = config.getHookSystem();
  await system?.initialize();
  const reloaded = async (): Promise<string[]> => {
    await system?.reload();
    return rowsOf(config);
  };
  const configs = async (): Promise<readonly unknown[]> => {
    await system?.reload();
    return (
      system
        ?.getRegistry()
        .getConfiguredHooks()
        .map((hook) => hook.config) ?? []
    );
  };
  return { place, reloaded, configs, config };
};

const FINE = ['project guard:', 'user own:'];

describe('a reload takes up', () => {
  test('nothing anew while nothing changed', async () => {
    const { configs, reloaded } = await session();
    const before = await configs();
    const after = await configs();
    expect(before).toHaveLength(2);
    for (const [index, config] of after.entries()) expect(config).toBe(before[index]);
    expect(await reloaded()).toEqual(FINE);
  });

  test('an approval that was taken back', async () => {
    const { config, place, reloaded } = await session();
    expect(await reloaded()).toEqual(FINE);
    await revoke(config, [GUARD], { home: place.home });
    expect(await reloaded()).toEqual(['project guard: untrusted', 'user own:']);
  });

  test('a script that was changed, and changed back', async () => {
    const { place, reloaded } = await session();
    expect(await reloaded()).toEqual(FINE);
    place.write('project/guard.sh', '#!/bin/sh\nexit 0\n');
    await sleep(SETTLED_MS);
    expect(await reloaded()).toEqual(['project guard: changed-since-trusted', 'user own:']);
    expect(await reloaded()).toEqual(['project guard: changed-since-trusted', 'user own:']);
    place.write('project/guard.sh', '#!/bin/sh\nexit 2\n');
    expect(await reloaded()).toEqual(FINE);
  });

  test.skipIf(process.platform === 'win32')('permissions that let others write settings of the user', async () => {
    const { place, reloaded } = await session();
    expect(await reloaded()).toEqual(FINE);
    chmodSync(join(place.home, '.hookwright/settings.json'), 0o666);
    expect(await reloaded()).toEqual(['project guard:', 'user own: untrusted']);
  });

  test.skipIf(process.platform === 'win32')('permissions that let others write the approvals', async () => {
    const { place, reloaded } = await session();
    expect(await reloaded()).toEqual(FINE);
    chmodSync(join(place.home, '.hookwright/trust.json'), 0o666);
    expect(await reloaded()).toEqual(['project guard: untrusted', 'user own:']);
    chmodSync(join(place.home, '.hookwright/trust.json'), 0o600);
    expect(await reloaded()).toEqual(FINE);
  });

  test.skipIf(process.platform === 'win32')('approvals that became a link', async () => {
    const { place, reloaded } = await session();
    expect(await reloaded()).toEqual(FINE);
    const file = join(place.home, '.hookwright/trust.json');
    const elsewhere = join(place.root, 'elsewhere.json');
    writeFileSync(elsewhere, '{}');
    rmSync(file);
    symlinkSync(elsewhere, file);
    expect(await reloaded()).toEqual(['project guard: untrusted', 'user own:']);
  });

  test('a variable that settings name', async () => {
    setEnv('RELOAD_PORT', '1');
    const { configs } = await session({ type: 'http', command: undefined, url: 'http://127.0.0.1:$RELOAD_PORT' });
    const urls = async () => (await configs()).map((config) => Reflect.get(Object(config), 'url'));
    expect(await urls()).toContain('http://127.0.0.1:1');
    setEnv('RELOAD_PORT', '2');
    expect(await urls()).toContain('http://127.0.0.1:2');
  });

  test.skipIf(process.platform === 'win32')('a program of the user that leads into the project since', async () => {
    const { place, reloaded } = await session({ command: 'reload-tool' }, ({ root, write }) => {
      mkdirSync(join(root, 'bin'));
      setEnv('PATH', `${join(root, 'bin')}:${process.env.PATH}`);
      chmodSync(write('tools/reload-tool', '#!/bin/sh\n'), 0o755);
      symlinkSync(join(root, 'tools/reload-tool'), join(root, 'bin/reload-tool'));
    });
    expect(await reloaded()).toEqual(FINE);
    rmSync(join(place.root, 'bin/reload-tool'));
    symlinkSync(join(place.project, 'guard.sh'), join(place.root, 'bin/reload-tool'));
    expect(await reloaded()).toEqual(['project guard:', 'user own: untrusted']);
  });

  test('an extension that came', async () => {
    const { place, reloaded } = await session();
    expect(await reloaded()).toEqual(FINE);
    place.write('home/.hookwright/extensions/kit/hooks/hooks.json', {
      hooks: { BeforeTool: [{ hooks: [{ name: 'kit', command: 'true' }] }] },
    });
    expect(await reloaded()).toEqual([...FINE, 'extensions kit: untrusted']);
  });

  test('an approval that was taken back between reading the files and the first event', async () => {
    const { place, config: reviewed } = await session();
    const { config } = await place.load();
    await revoke(reviewed, [GUARD], { home: place.home });
    expect(await rowsOf(config)).toEqual(['project guard: untrusted', 'user own:']);
  });

  test('what another trust check decides, each time', async () => {
    const place = createPlace();
    place.write(OWN, { hooks: { BeforeTool: [{ hooks: [{ name: 'one', command: 'true' }] }] } });
    let isTrusted = true;
    const { config } = await place.load({ deps: { trustCheck: () => isTrusted } });
    expect(await rowsOf(config)).toEqual(['project one:']);
    isTrusted = false;
    await config.reload();
    expect(await rowsOf(config)).toEqual(['project one: untrusted']);
  });
});

test('two engines of one configuration keep what each finds out about a hook to themselves', async () => {
  const { config, configs } = await session();
  const [own] = await configs();
  const { HookSystem } = await import('../../src/hook-system.ts');
  const other = new HookSystem(config);
  onTestFinished(() => other.dispose());
  await other.initialize();
  const [theirs] = other.getRegistry().getConfiguredHooks();
  expect(theirs?.config).toEqual(own);
  expect(theirs?.config).not.toBe(own);
});
