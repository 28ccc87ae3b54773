import { describe, expect, test } from 'vitest';
import { Config, fireBeforeToolHook, MessageBus, requestHooks } from '../../src/index.ts';
import { all, answering, payloads } from './engine.ts';

describe('a configuration', () => {
  test('R310 R311 C40 has hooks off, and no hook system, unless it says otherwise', () => {
    expect(new Config().getHookSystem()).toBeUndefined();
    expect(new Config({ enableHooks: false }).getHookSystem()).toBeUndefined();
    expect(new Config().getEnableHooks()).toBe(false);
  });

  test('R312 R313 R314 C61 makes one hook system, which reads no hooks before the first event', async () => {
    let asked = 0;
    class Counting extends Config {
      override getHooks() {
        asked += 1;
        return {};
      }
    }
    const config = new Counting({ enableHooks: true });
    expect(config.getHookSystem()).toBe(config.getHookSystem());
    expect({ asked, initialized: config.getHookSystem()?.isInitialized() }).toEqual({ asked: 0, initialized: false });
    await fireBeforeToolHook(config, 'read_file', {});
    expect(asked).toBe(1);
  });

  test('R315 gives session, directory, hooks, extensions and the switch', () => {
    const hooks = { BeforeTool: all(answering('a')) };
    const extensions = [{ name: 'x', hooks }];
    const config = new Config({ enableHooks: true, hooks, sessionId: 's', workingDir: '/work', extensions });
    expect([config.getSessionId(), config.getWorkingDir(), config.getEnableHooks()]).toEqual(['s', '/work', true]);
    expect(config.getHooks()).toBe(hooks);
    expect(config.getExtensions()).toBe(extensions);
  });

  test('C61 with a bus is listening at once, and loads its hooks with the first request', async () => {
    const bus = new MessageBus();
    const config = new Config({
      enableHooks: true,
      bus,
      hooks: { BeforeTool: all(answering('a', { reason: 'seen' })) },
    });
    expect(config.getHookSystem()?.isInitialized()).toBe(false);
    const { success, finalOutput } = await requestHooks(bus, 'BeforeTool', payloads.BeforeTool);
    expect({ success, finalOutput }).toMatchObject({ success: true, finalOutput: { reason: 'seen' } });
  });
});
