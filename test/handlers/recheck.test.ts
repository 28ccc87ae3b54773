import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createHooks,
  type HookConfig,
  type HookEventName,
  type HookExecutionTrace,
  HookSystem,
  loadConfig,
  MessageBus,
} from '../../src/index.ts';
import { hostWith } from '../support/host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

type Seen = Record<string, unknown>;

/** Sets members of the tool input. */
const rewriter = (change: object): HookConfig => ({
  type: 'runtime',
  name: 'rewriter',
  action: () => ({ hookSpecificOutput: { tool_input: change } }),
});

/** Denies what names a secret file, and keeps what it was asked. */
const guard = (more: Partial<HookConfig> = {}, seen: Seen[] = []): HookConfig => {
  const action: NonNullable<HookConfig['action']> = (input) => {
    const asked: Seen = Object.fromEntries(Object.entries(Object(input)));
    seen.push(asked);
    const path: unknown = Reflect.get(Object(asked.tool_input), 'path');
    return path === 'secret' ? { decision: 'deny', reason: 'not that file' } : { decision: 'allow' };
  };
  return { type: 'runtime', name: 'guard', onFault: 'deny', action, ...more };
};

const fire = async (hooks: HookConfig[], sequential = false, input: object = { path: 'open' }) => {
  const traces: HookExecutionTrace[] = [];
  const host = hostWith({ hooks: { BeforeTool: [{ sequential, hooks }] } });
  const system = new HookSystem(host, undefined, { onTrace: (trace) => traces.push(trace) });
  await system.initialize();
  const payload = { tool_name: 'read', tool_input: { ...input } };
  const result = await system.getEventHandler().fire('BeforeTool', payload);
  return { result, rows: traces[0]?.rows ?? [] };
};

describe('R580 a guard that saw another call than the one to be made is asked once more', () => {
  test('in a parallel plan, and its second answer counts', async () => {
    const seen: Seen[] = [];
    const { result, rows } = await fire([guard({}, seen), rewriter({ path: 'secret' })]);
    expect(seen.map(({ tool_input, recheck }) => [tool_input, recheck])).toEqual([
      [{ path: 'open' }, undefined],
      [{ path: 'secret' }, true],
    ]);
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'not that file' });
    expect(rows.map(({ name, recheck, outcome }) => [name, recheck, outcome])).toEqual([
      ['guard', undefined, 'answered'],
      ['guard', true, 'answered'],
      ['rewriter', undefined, 'answered'],
    ]);
  });

  test('in a sequence, when a later hook rewrote', async () => {
    const { result } = await fire([guard(), rewriter({ path: 'secret' })], true);
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('not in a sequence where it came last: it has seen the final call', async () => {
    const seen: Seen[] = [];
    await fire([rewriter({ path: 'elsewhere' }), guard({}, seen)], true);
    expect(seen).toHaveLength(1);
  });

  test('not when nothing was rewritten, nor when the call does not go on anyway', async () => {
    const seen: Seen[] = [];
    await fire([guard({}, seen), rewriter({ path: 'open' })]);
    const denies: HookConfig = { type: 'runtime', name: 'no', action: () => ({ decision: 'deny' }) };
    await fire([guard({}, seen), rewriter({ path: 'secret' }), denies]);
    expect(seen).toHaveLength(2);
  });

  test('not for what it rewrote itself', async () => {
    const seen: Seen[] = [];
    const action: NonNullable<HookConfig['action']> = (input) => {
      seen.push(Object.fromEntries(Object.entries(Object(input))));
      return { hookSpecificOutput: { tool_input: { path: 'mine' } } };
    };
    await fire([{ type: 'runtime', name: 'rewriting guard', onFault: 'deny', action }]);
    expect(seen).toHaveLength(1);
  });
});

test('R581 hooks with recheck: true are guards, functions without onFault too, those with recheck: false are asked once', async () => {
  const counts = async (more: Partial<HookConfig>): Promise<number> => {
    const seen: Seen[] = [];
    await fire([guard(more, seen), rewriter({ path: 'other' })]);
    return seen.length;
  };
  expect(await counts({ onFault: 'allow', recheck: true })).toBe(2);
  expect(await counts({ onFault: 'ask' })).toBe(2);
  expect(await counts({ onFault: 'deny', recheck: false })).toBe(1);
  expect(await counts({ onFault: undefined })).toBe(2);
  expect(await counts({ onFault: undefined, recheck: false })).toBe(1);
  expect(await counts({ onFault: 'allow' })).toBe(1);
});

test('R582 of a second answer verdict, reason and messages count, and nothing it would change', async () => {
  const action: NonNullable<HookConfig['action']> = (input) =>
    Reflect.get(input, 'recheck') === true
      ? {
          decision: 'ask',
          reason: 'sure?',
          systemMessage: 'second',
          hookSpecificOutput: { tool_input: { path: 'third' }, additionalContext: 'late' },
        }
      : {};
  const asking: HookConfig = { type: 'runtime', name: 'asking', recheck: true, action };
  const { result, rows } = await fire([asking, rewriter({ path: 'second' })]);
  expect(result.finalOutput).toMatchObject({
    decision: 'ask',
    reason: 'sure?',
    systemMessage: 'second',
    hookSpecificOutput: { tool_input: { path: 'second' } },
  });
  expect(result.finalOutput?.getAdditionalContext()).toBeUndefined();
  expect(rows[1]).toMatchObject({ recheck: true, output: { decision: 'ask', reason: 'sure?' } });
});

test('what a guard said before it does not say twice', async () => {
  const answer = { decision: 'ask', reason: 'look first', systemMessage: 'I looked' } as const;
  const talks: HookConfig = { type: 'runtime', name: 'guard', onFault: 'ask', action: () => answer };
  const { result, rows } = await fire([talks, rewriter({ path: 'other' })]);
  expect(rows.map(({ recheck }) => recheck)).toContain(true);
  expect(result.finalOutput).toMatchObject(answer);
});

test('R583 the deadline holds for the second round, and a guard that is not heard then obeys onFault', async () => {
  const action: NonNullable<HookConfig['action']> = (input) =>
    Reflect.get(input, 'recheck') === true ? new Promise(() => {}) : { decision: 'allow' };
  const hooks = [{ type: 'runtime', name: 'slow', onFault: 'deny', action } as const, rewriter({ path: 'x' })];
  const system = new HookSystem(hostWith({ hooks: { BeforeTool: [{ hooks }] } }));
  await system.initialize();
  const payload = { tool_name: 'read', tool_input: {} };
  const { result, error } = await system.getEventHandler().fireDetailed('BeforeTool', payload, { timeoutMs: 100 });
  expect(error?.code).toBe('deadline_exceeded');
  expect(result.finalOutput?.isBlockingDecision()).toBe(true);
});

test('R583 a question that stands for a fault of the second round says so, and denies where nobody can be asked', async () => {
  const action: NonNullable<HookConfig['action']> = (input) => {
    if (Reflect.get(input, 'recheck') === true) throw new Error('not now');
    return { decision: 'allow' };
  };
  const hooks = [{ type: 'runtime', name: 'breaks', onFault: 'ask', action } as const, rewriter({ path: 'x' })];
  const { result } = await fire(hooks);
  expect(result.finalOutput).toMatchObject({ decision: 'ask', hookSpecificOutput: { onFault: true } });
});

test.each([
  ['deny', [true, 'cancelled']],
  ['allow', [false, 'cancelled']],
] as const)(
  'R583 a guard that is to be asked again when the event is ended obeys its onFault %s: nobody saw what would run',
  async (onFault, expected) => {
    const leaving = new AbortController();
    const last: HookConfig = {
      type: 'runtime',
      name: 'rewriter',
      action: () => {
        leaving.abort();
        return { hookSpecificOutput: { tool_input: { path: 'secret' } } };
      },
    };
    const seen: Seen[] = [];
    const traces: HookExecutionTrace[] = [];
    const hooks = [guard({ onFault, recheck: true }, seen), last];
    const host = hostWith({ hooks: { BeforeTool: [{ hooks }] } });
    const system = new HookSystem(host, undefined, { onTrace: (trace) => traces.push(trace) });
    await system.initialize();
    const payload = { tool_name: 'read', tool_input: { path: 'open' } };
    const result = await system.getEventHandler().fire('BeforeTool', payload, { signal: leaving.signal });
    const second = traces[0]?.rows.find(({ recheck }) => recheck === true);
    expect([result.finalOutput?.isBlockingDecision() === true, second?.code]).toEqual(expected);
    expect(seen).toHaveLength(1);
  },
);

test('R603 what both rounds say to the model shares one limit', async () => {
  const talks: HookConfig = {
    ...guard(),
    action: (input) => ({ systemMessage: (Reflect.get(input, 'recheck') === true ? 'b' : 'a').repeat(60_000) }),
  };
  const { result, rows } = await fire([talks, rewriter({ path: 'x' })]);
  const message = result.finalOutput?.systemMessage ?? '';
  expect(message).toContain('b… (cut: 54464 more bytes');
  expect(message.length).toBeLessThan(66_000);
  expect(rows.map(({ warnings = [] }) => warnings.map(({ code }) => code))).toEqual([[], ['model-text-cut'], []]);
});

test('a second round is told like the first', async () => {
  const bus = new MessageBus();
  const told: unknown[] = [];
  bus.subscribe('hook-finished', ({ hookName, position }) => told.push([hookName, position]));
  const hooks = await createHooks({ bus, hooks: { BeforeTool: [{ hooks: [guard(), rewriter({ path: 'x' })] }] } });
  await hooks.beforeTool({ tool: 'read', input: { path: 'open' } });
  expect(told).toEqual([
    ['guard', 1],
    ['rewriter', 2],
    ['guard', 1],
  ]);
});

describe.skipIf(process.platform === 'win32')(
  'R584 the rewriter of a project cannot undo the guard of the user',
  () => {
    const script = (body: string): string => `node -e ${JSON.stringify(body)}`;
    const rewrites = script("console.log(JSON.stringify({hookSpecificOutput:{tool_input:{path:'secret'}}}))");
    const guards = script(
      "let t='';process.stdin.on('data',d=>t+=d).on('end',()=>{const i=JSON.parse(t);console.log(JSON.stringify(i.tool_input.path==='secret'?{decision:'deny',reason:'not that file'}:{}))})",
    );

    test.each([false, true])('of real files, sequential: %s', async (sequential) => {
      const root = temporaryFolder('recheck');
      const write = (file: string, command: string): void => {
        const path = join(root, file);
        mkdirSync(dirname(path), { recursive: true });
        const hooks = { BeforeTool: [{ sequential, hooks: [{ command, timeout: 20_000 }] }] };
        writeFileSync(path, JSON.stringify({ hooks }));
      };
      write('home/.hookwright/settings.json', guards);
      write('project/.hookwright/settings.json', rewrites);
      const { config, problems } = await loadConfig({
        cwd: join(root, 'project'),
        home: join(root, 'home'),
        deps: { trustCheck: () => 'trusted' },
      });
      expect(problems).toEqual([]);
      const system = config.getHookSystem();
      await system?.initialize();
      const handler = system?.getEventHandler();
      const payload = { tool_name: 'read', tool_input: { path: 'open' } };
      const result = await handler?.fire('BeforeTool', payload);
      await system?.dispose();
      // In a sequence the hooks of the user come after those of the project: one round is enough.
      expect(result?.allOutputs).toHaveLength(sequential ? 2 : 3);
      expect(result?.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'not that file' });
    });
  },
);

test('R581 a function that denies what a hook beside it made of the call is heard, whatever it says of its faults', async () => {
  const { result } = await fire([guard({ onFault: undefined }), rewriter({ path: 'secret' })]);
  expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'not that file' });
});

test('R1093 a guard of PermissionRequest sees what will be permitted', async () => {
  const seen: Seen[] = [];
  const host = hostWith({ hooks: { PermissionRequest: [{ hooks: [guard({}, seen), rewriter({ path: 'secret' })] }] } });
  const system = new HookSystem(host);
  await system.initialize();
  const payload = { tool_name: 'read', tool_input: { path: 'open' } };
  const result = await system.getEventHandler().fire('PermissionRequest', payload);
  expect([result.finalOutput?.isBlockingDecision(), seen.length]).toEqual([true, 2]);
});

describe('R1094 in a sequence', () => {
  const redacts = (field: string, word: string): HookConfig => ({
    type: 'runtime',
    name: word,
    action: (input) => {
      const text = JSON.stringify(Reflect.get(input, field)).replaceAll(word, '[x]');
      return {
        hookSpecificOutput:
          field === 'tool_response' ? { updatedOutput: JSON.parse(text) } : { [field]: JSON.parse(text) },
      };
    },
  });
  const run = async (eventName: HookEventName, payload: object, hooks: HookConfig[]) => {
    const system = new HookSystem(hostWith({ hooks: { [eventName]: [{ sequential: true, hooks }] } }));
    await system.initialize();
    const { finalOutput } = await system.getEventHandler().fire(eventName, untyped(payload));
    return finalOutput?.hookSpecificOutput;
  };
  const llm_request = { model: 'm', messages: [] };

  test('what one hook removed from an answer of the model is not brought back by the next', async () => {
    const llm_response = {
      text: 'Ann, Main St',
      candidates: [{ content: { role: 'model', parts: ['Ann, Main St'] } }],
    };
    const hooks = [redacts('llm_response', 'Ann'), redacts('llm_response', 'Main St')];
    const said = await run('AfterModel', { llm_request, llm_response }, hooks);
    expect(said?.llm_response).toMatchObject({ text: '[x], [x]', candidates: [{ content: { parts: ['[x], [x]'] } }] });
  });

  test('nor what it removed from the result of a tool, members that it left out included', async () => {
    const drops: HookConfig = {
      type: 'runtime',
      name: 'drops',
      action: (input) => {
        const { address: _address, ...rest } = Object(Reflect.get(input, 'tool_response'));
        return { hookSpecificOutput: { updatedOutput: rest } };
      },
    };
    const payload = { tool_name: 't', tool_input: {}, tool_response: { name: 'Ann', address: 'Main St' } };
    const said = await run('AfterTool', payload, [redacts('tool_response', 'Ann'), drops]);
    expect(said?.updatedOutput).toEqual({ name: '[x]' });
  });

  test('a choice of tools is narrowed by the next hook, and its mode never loosened', async () => {
    const chooses = (toolConfig: object): HookConfig => ({
      type: 'runtime',
      name: 'chooses',
      action: () => ({ hookSpecificOutput: { toolConfig } }),
    });
    const narrowed = [
      chooses({ mode: 'ANY', allowedFunctionNames: ['read', 'write'] }),
      chooses({ mode: 'ANY', allowedFunctionNames: ['read'] }),
    ];
    expect((await run('BeforeToolSelection', { llm_request }, narrowed))?.toolConfig).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['read'],
    });
    const loosened = [chooses({ mode: 'NONE' }), chooses({ mode: 'AUTO' })];
    expect((await run('BeforeToolSelection', { llm_request }, loosened))?.toolConfig).toMatchObject({ mode: 'NONE' });
  });
});
