import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  approve,
  type LoadedConfig,
  type LoadedFiles,
  MessageBus,
  MessageBusType,
  reviewTrust,
  type WatchConfigOptions,
  watchConfig,
} from '../../src/index.ts';
import { heard, sleep } from '../support/engine.ts';
import { keepLines } from '../support/host.ts';
import { until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { beforeTool, createPlace, OWN, type Place, rowsOf, trusting, USER } from './support.ts';

/** Changes are seen within a tenth of a second on a quiet machine, and within seconds beside ten busy processes. */
const BUSY_MACHINE_MS = 15_000;

const isLinux = process.platform === 'linux';

const user = (...names: string[]): object => ({ hooks: beforeTool(...names) });

interface Watched {
  readonly config: LoadedConfig;
  readonly reloads: { added: string[]; removed: string[]; changed: string[] }[];
  readonly problems: string[];
  close(): Promise<void>;
  /** Resolves when the hooks are these. */
  has(...rows: string[]): Promise<void>;
}

const watching = async ({ config }: LoadedFiles, options: WatchConfigOptions = {}): Promise<Watched> => {
  const reloads: Watched['reloads'] = [];
  const problems: string[] = [];
  const { ready, close } = watchConfig(config, {
    debounceMs: 20,
    onReload: (changes) => reloads.push(changes),
    onProblem: ({ message }) => problems.push(message),
    ...options,
  });
  onTestFinished(close);
  await config.getHookSystem()?.initialize();
  await ready;
  const has = async (...rows: string[]): Promise<void> => {
    let found: string[] = [];
    const look = async (): Promise<void> => {
      found = await rowsOf(config);
    };
    await until('the hooks are as the files say', BUSY_MACHINE_MS, () => {
      void look();
      return JSON.stringify(found) === JSON.stringify(rows);
    }).catch(() => expect(found).toEqual(rows));
  };
  return { config, reloads, problems, close, has };
};

const watchedPlace = async (options?: WatchConfigOptions): Promise<Watched & { place: Place }> => {
  const place = createPlace();
  place.write(USER, user('one'));
  return { place, ...(await watching(await place.load(), options)) };
};

describe('a watched configuration', () => {
  test('takes over what is written to a file, and says what is different', async () => {
    const { place, has, reloads } = await watchedPlace();
    place.write(USER, user('one', 'two'));
    await has('user one:', 'user two:');
    await until('the listener was told', BUSY_MACHINE_MS, () => reloads.length === 1);
    expect(reloads).toEqual([{ added: ['user/BeforeTool/two'], removed: [], changed: [] }]);
  });

  test('R532 hears of what is written, and does not wait until it looks by itself', async () => {
    const { place, reloads } = await watchedPlace();
    const startedAt = performance.now();
    for (const [index, name] of ['two', 'three', 'four', 'five'].entries()) {
      place.write(USER, user(name));
      await until('the listener was told', 5_000, () => reloads.length === index + 1);
    }
    expect(reloads.map(({ added }) => added[0])).toEqual(
      ['two', 'three', 'four', 'five'].map((name) => `user/BeforeTool/${name}`),
    );
    // Looking every two seconds finds four changes, each made when the one before was found, in six seconds at the earliest.
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  test('tells the bus', async () => {
    const place = createPlace();
    place.write(USER, user('one'));
    const bus = new MessageBus();
    const messages = heard(bus, MessageBusType.HOOKS_RELOADED);
    await watching(await place.load({ bus }));
    place.write(USER, user('two'));
    await until('the bus was told', BUSY_MACHINE_MS, () => messages.length === 1);
    expect(messages).toMatchObject([{ added: ['user/BeforeTool/two'], removed: ['user/BeforeTool/one'], changed: [] }]);
  });

  test('takes over a file that replaces another by its name, as editors do it, again and again', async () => {
    const { place, has } = await watchedPlace();
    for (const name of ['two', 'three', 'four']) {
      renameSync(place.write('home/.hookwright/settings.json~', user(name)), join(place.root, USER));
      await has(`user ${name}:`);
    }
  });

  test('finds files whose directories come to be later, and forgets what is removed', async () => {
    const { place, has } = await watchedPlace();
    place.write('home/.gemini/settings.json', { ...user('gemini'), tools: { enableHooks: true } });
    await has('user one:', 'user gemini:');
    rmSync(join(place.home, '.gemini'), { recursive: true });
    await has('user one:');
    rmSync(join(place.home, '.hookwright'), { recursive: true });
    await has();
    place.write(USER, user('again'));
    await has('user again:');
  });

  test('finds an extension that is installed', async () => {
    const place = createPlace();
    place.write(USER, user('one'));
    const { has } = await watching(await place.load({ deps: trusting }));
    place.write('home/.hookwright/extensions/tool/hooks/hooks.json', user('theirs'));
    await has('user one:', 'extensions theirs:');
    place.write('home/.hookwright/extensions/tool/hooks/hooks.json', user('changed'));
    await has('user one:', 'extensions changed:');
  });

  test('R1998 finds a plugin of another agent that is installed, what is added to it, and its next version', async () => {
    const place = createPlace();
    const hooks = (command: string): object => ({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
    place.write('home/.claude/settings.json', { enabledPlugins: { 'tool@market': true } });
    const { has } = await watching(await place.load({ agents: { 'claude-code': true }, deps: trusting }));
    const cache = 'home/.claude/plugins/cache/market/tool';
    place.write(`${cache}/1.0.0/hooks/hooks.json`, hooks('one'));
    await has('extensions one:');
    place.write(`${cache}/1.0.0/more.json`, hooks('two'));
    place.write(`${cache}/1.0.0/.claude-plugin/plugin.json`, { name: 'tool', hooks: './more.json' });
    await has('extensions one:', 'extensions two:');
    place.write(`${cache}/1.0.0/more.json`, hooks('three'));
    await has('extensions one:', 'extensions three:');
    place.write(`${cache}/2.0.0/hooks/hooks.json`, hooks('four'));
    await has('extensions four:');
    place.write('elsewhere/hooks/hooks.json', hooks('five'));
    const plugins = { 'tool@market': [{ installPath: join(place.root, 'elsewhere'), version: '3.0.0' }] };
    place.write('home/.claude/plugins/installed_plugins.json', { plugins });
    await has('extensions five:');
  });

  test('R1998 finds a file of another agent that has any name in its folder, and every change of it', async () => {
    const place = createPlace();
    const hooks = (bash: string): object => ({ version: 1, hooks: { preToolUse: [{ type: 'command', bash }] } });
    const { has } = await watching(await place.load({ agents: { copilot: true }, deps: trusting }));
    for (const name of ['one', 'two', 'three']) {
      place.write('project/.github/hooks/any.json', hooks(name));
      await has(`project ${name}:`);
    }
  });

  test('follows a directory that is put in the place of another', async () => {
    const { place, has } = await watchedPlace();
    place.write('home/next/settings.json', user('two'));
    renameSync(join(place.home, '.hookwright'), join(place.home, 'previous'));
    renameSync(join(place.home, 'next'), join(place.home, '.hookwright'));
    await has('user two:');
    place.write(USER, user('three'));
    await has('user three:');
  });

  test.skipIf(process.platform === 'win32')('follows a file behind a link', async () => {
    const place = createPlace();
    const file = place.write('elsewhere/settings.json', user('one'));
    mkdirSync(join(place.home, '.hookwright'));
    symlinkSync(file, join(place.root, USER));
    const { has } = await watching(await place.load());
    place.write('elsewhere/settings.json', user('two'));
    await has('user two:');
  });

  test('begins when there is nothing yet, and needs no start of its own then', async () => {
    const place = createPlace();
    const { has, config } = await watching(await place.load());
    expect(config.getHookSystem()).toBeUndefined();
    place.write(USER, user('one'));
    await until('there is a hook system', BUSY_MACHINE_MS, () => config.getHookSystem() !== undefined);
    await has('user one:');
  });

  test('R2020 an engine that is created while the first settings are judged has their hooks', async () => {
    const place = createPlace();
    mkdirSync(join(place.home, '.hookwright'), { mode: 0o700 });
    const { config } = await place.load();
    place.write(USER, user('one'));
    const reloading = config.reload();
    while (config.getHookSystem() === undefined) await setImmediate();
    await config.getHookSystem()?.initialize();
    await reloading;
    expect(await rowsOf(config)).toEqual(['user one:']);
  });

  test('F73 lets a request that is under way keep its hooks', async () => {
    const place = createPlace();
    const says = (text: string): object => ({
      hooks: { BeforeAgent: [{ hooks: [{ name: 'slow', command: `sleep 0.5; echo '{"systemMessage":"${text}"}'` }] }] },
    });
    place.write(USER, says('first'));
    const { config, reloads } = await watching(await place.load());
    const handler = config.getHookSystem()?.getEventHandler();
    const underWay = handler?.fireBeforeAgentEvent('hi');
    place.write(USER, says('second'));
    await until('the change is taken over', BUSY_MACHINE_MS, () => reloads.length === 1);
    expect((await underWay)?.finalOutput?.systemMessage).toBe('first');
    expect((await handler?.fireBeforeAgentEvent('hi'))?.finalOutput?.systemMessage).toBe('second');
  });

  test('misses nothing that was changed between loading and watching', async () => {
    const place = createPlace();
    place.write(USER, user('one'));
    const loaded = await place.load();
    place.write(USER, user('two'));
    const { has } = await watching(loaded);
    await has('user two:');
  });
});

describe('F45 a file that is not whole', () => {
  test('leaves the hooks as they were, is reported once, and counts when it is whole again', async () => {
    const { place, has, problems, reloads } = await watchedPlace();
    const text = JSON.stringify(user('one', 'two'), null, 2);
    place.write(USER, text.slice(0, text.length / 2));
    await until('the problem is reported', BUSY_MACHINE_MS, () => problems.length > 0);
    await has('user one:');
    place.write(USER, text);
    await has('user one:', 'user two:');
    await until('the listener was told', BUSY_MACHINE_MS, () => reloads.length === 2);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('stay in use');
    expect(reloads).toEqual([
      { added: [], removed: [], changed: [] },
      { added: ['user/BeforeTool/two'], removed: [], changed: [] },
    ]);
  });

  test('because it is being written is waited for', async () => {
    const { place, has, problems } = await watchedPlace({ debounceMs: 200 });
    const text = JSON.stringify(user('two'));
    place.write(USER, text.slice(0, 10));
    await sleep(50);
    place.write(USER, text);
    await has('user two:');
    expect(problems).toEqual([]);
  });
});

const approveAll = async (config: LoadedConfig): Promise<void> => {
  const { hooks } = await reviewTrust(config);
  await approve(
    config,
    hooks.map(({ id }) => id),
  );
};

describe.skipIf(process.platform === 'win32')('F62 a script that an approved hook names', () => {
  const script = 'project/check.sh';
  const settings = { hooks: { BeforeTool: [{ hooks: [{ name: 'check', command: 'sh ./check.sh' }] }] } };

  test('takes the hook out of service when it changes, until it is approved again', async () => {
    const place = createPlace();
    place.write(script, 'echo 1');
    place.write(OWN, settings);
    const loaded = await place.load();
    const { has, config, reloads } = await watching(loaded);
    await has('project check: untrusted');

    await approveAll(config);
    await has('project check:');
    place.write(script, 'echo 2');
    await has('project check: changed-since-trusted');
    expect(reloads.at(-1)).toEqual({ added: [], removed: [], changed: ['project/BeforeTool/check'] });
    place.write(script, 'echo 1');
    await has('project check:');
    place.write(script, 'echo 3');
    await has('project check: changed-since-trusted');
    await approveAll(config);
    await has('project check:');
  });

  test('R1999 takes it out of service when a file that it names besides is removed', async () => {
    const place = createPlace();
    place.write(script, 'cat "$1"');
    const rules = place.write('project/rules.txt', 'rules');
    const command = 'sh ./check.sh ./rules.txt';
    place.write(OWN, { hooks: { BeforeTool: [{ hooks: [{ name: 'check', command }] }] } });
    const { has, config } = await watching(await place.load());
    await approveAll(config);
    await has('project check:');
    rmSync(rules);
    await has('project check: changed-since-trusted');
  });

  test('R1999 takes it out of service when anything is added to its plugin, moved into it or removed from it', async () => {
    const place = createPlace();
    const plugin = 'home/.claude/plugins/cache/market/tool/1.0.0';
    place.write('home/.claude/settings.json', { enabledPlugins: { 'tool@market': true } });
    const command = 'sh "${CLAUDE_PLUGIN_ROOT}/scripts/check.sh"';
    place.write(`${plugin}/hooks/hooks.json`, { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } });
    place.write(`${plugin}/scripts/check.sh`, 'echo 1');
    place.write('project/lib/part.sh', 'echo 2');
    const { has, config } = await watching(await place.load({ agents: { 'claude-code': true } }));
    const root = join(place.root, plugin);
    for (const change of [
      () => place.write(`${plugin}/scripts/added.sh`, 'echo 3'),
      () => renameSync(join(place.project, 'lib'), join(root, 'lib')),
      () => rmSync(join(root, 'scripts/added.sh')),
    ]) {
      await approveAll(config);
      await has(`extensions ${command}:`);
      change();
      await has(`extensions ${command}: changed-since-trusted`);
    }
  });
});

describe('what does not concern it', () => {
  test('costs nothing: thousands of other files in the same directories', async () => {
    const { place, reloads, has } = await watchedPlace();
    place.write(OWN, { hooks: beforeTool('own') });
    await has('project own: untrusted', 'user one:');
    await until('the listener was told', BUSY_MACHINE_MS, () => reloads.length === 1);
    for (let index = 0; index < 1_000; index += 1) {
      writeFileSync(join(place.project, `file-${index}`), 'x');
      writeFileSync(join(place.home, '.hookwright', `file-${index}`), 'x');
    }
    await sleep(300);
    expect(reloads).toHaveLength(1);
  }, 60_000);

  test('is not followed any more after close', async () => {
    const { place, close, reloads, has } = await watchedPlace();
    await close();
    place.write(USER, user('two'));
    await sleep(200);
    expect(reloads).toEqual([]);
    await has('user one:');
    await close();
  });

  test('is not followed any more after the signal, nor at all when that had aborted', async () => {
    const controller = new AbortController();
    const { place, reloads, config } = await watchedPlace({ signal: controller.signal });
    controller.abort();
    await watching({ config, problems: [] }, { signal: controller.signal });
    place.write(USER, user('two'));
    await sleep(200);
    expect(reloads).toEqual([]);
  });

  /** How many directories this process listens to. */
  const listenedTo = (): number =>
    readdirSync('/proc/self/fdinfo').reduce((sum, fd) => {
      try {
        return sum + readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').split('inotify wd:').length - 1;
      } catch {
        return sum;
      }
    }, 0);

  test.skipIf(!isLinux)('holds nothing: as many directories are listened to after a hundred reloads', async () => {
    const none = listenedTo();
    const { place, has, close } = await watchedPlace({ debounceMs: 0 });
    const some = listenedTo();
    expect(some).toBeGreaterThan(none);
    for (let index = 0; index < 100; index += 1) {
      renameSync(place.write('home/.hookwright/next', user(`hook-${index}`)), join(place.root, USER));
      if (index % 10 === 0) await has(`user hook-${index}:`);
    }
    await has('user hook-99:');
    expect(listenedTo()).toBe(some);
    await close();
    expect(listenedTo()).toBe(none);
  });
});

describe('whoever watches', () => {
  test('may throw: that is logged, and the watching goes on', async () => {
    const place = createPlace();
    place.write(USER, user('one'));
    const { logger, error } = keepLines();
    const loaded = await place.load({ deps: { logger } });
    const { has } = await watching(loaded, {
      onReload: () => {
        throw new Error('on purpose');
      },
    });
    for (const name of ['two', 'three']) {
      place.write(USER, user(name));
      await has(`user ${name}:`);
    }
    await until('it is logged', BUSY_MACHINE_MS, () => error.length === 2);
    expect(error).toEqual(Array(2).fill('[hookwright:config] A listener of watchConfig threw: on purpose'));
  });

  test('is told when the arguments are wrong', async () => {
    const { config } = await createPlace().load();
    expect(() => watchConfig(untyped({}))).toThrow('watchConfig takes the config that loadConfig made; got an object');
    expect(() => watchConfig(config, untyped(3))).toThrow('watchConfig takes an object of options; got 3');
    expect(() => watchConfig(config, { debounceMs: Number.NaN })).toThrow('debounceMs as milliseconds; got NaN');
  });
});
