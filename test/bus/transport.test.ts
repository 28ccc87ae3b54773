import { describe, expect, test } from 'vitest';
import { MemoryTransport } from '../../src/bus/memory-transport.ts';
import {
  BeforeToolHookOutput,
  createHooks,
  HookwrightError,
  MessageBus,
  MessageBusType,
  requestHooks,
  type Transport,
} from '../../src/index.ts';
import { describeBus } from '../../src/testing/index.ts';
import { answers, fn, groupOf, HOOK_EXECUTION_REQUEST } from '../support/engine.ts';
import { JsonTransport } from '../support/json-transport.ts';
import { untyped } from '../support/untyped.ts';
import { createSampleNote, createSampleRequest, NOTE } from './messages.ts';

const besideAnother = (): MessageBus => {
  const transport = new MemoryTransport();
  new MessageBus({ transport }).on('error', () => {});
  return new MessageBus({ transport });
};
describeBus('a bus beside another on one memory', besideAnother, { inline: true });

describeBus('a bus over JSON and a later turn', () => new MessageBus({ transport: new JsonTransport() }), {
  inline: false,
  knowsListeners: false,
});

const tool = { tool_name: 'shell', tool_input: { command: 'rm' } };

const transports: [string, () => Transport][] = [
  ['memory', () => new MemoryTransport()],
  ['JSON and a later turn', () => new JsonTransport()],
];

describe.each(transports)('buses joined by %s', (_name, create) => {
  test('one asks and the engine on another answers, in the class of the event', async () => {
    const transport = create();
    const guard = answers('guard', {
      decision: 'deny',
      reason: 'no',
      hookSpecificOutput: { additionalContext: '<x>' },
    });
    await createHooks({ bus: new MessageBus({ transport }), hooks: { BeforeTool: groupOf(guard) } });
    const { success, finalOutput } = await requestHooks(new MessageBus({ transport }), 'BeforeTool', tool);
    expect(success).toBe(true);
    expect(finalOutput).toBeInstanceOf(BeforeToolHookOutput);
    expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    expect(finalOutput?.getAdditionalContext()).toBe('&lt;x&gt;');
  });

  test('of several engines exactly one answers', async () => {
    const transport = create();
    let runs = 0;
    const count = fn('count', () => {
      runs += 1;
    });
    for (let made = 0; made < 3; made += 1) {
      await createHooks({ bus: new MessageBus({ transport }), hooks: { BeforeTool: groupOf(count) } });
    }
    const asking = new MessageBus({ transport });
    const errors: unknown[] = [];
    asking.on('error', (error) => errors.push(error));
    for (let asked = 0; asked < 5; asked += 1) await requestHooks(asking, 'BeforeTool', tool);
    expect([runs, errors]).toEqual([5, []]);
  });

  test('an engine that was disposed of leaves requests to the others', async () => {
    const transport = create();
    const hosts = [];
    for (const reason of ['first', 'second']) {
      const hooks = { BeforeTool: groupOf(answers('guard', { decision: 'deny', reason })) };
      hosts.push(await createHooks({ bus: new MessageBus({ transport }), hooks }));
    }
    const asking = new MessageBus({ transport });
    const reason = async () => (await requestHooks(asking, 'BeforeTool', tool)).finalOutput?.reason;
    expect(await reason()).toBe('first');
    await hosts[0]?.close();
    expect(await reason()).toBe('second');
  });

  test('an abort on one ends the hooks on the other', async () => {
    const transport = create();
    let stopped = false;
    const hanging = fn('hanging', (_input, { signal }) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      return new Promise(() => {});
    });
    await createHooks({ bus: new MessageBus({ transport }), hooks: { BeforeTool: groupOf(hanging) } });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const result = await requestHooks(new MessageBus({ transport }), 'BeforeTool', tool, { signal: controller.signal });
    expect([result.errors[0], stopped]).toMatchObject([{ code: 'cancelled' }, true]);
  });

  test('errors of hooks come as errors', async () => {
    const transport = create();
    const broken = fn('broken', () => {
      throw new Error('out of order');
    });
    await createHooks({ bus: new MessageBus({ transport }), hooks: { BeforeTool: groupOf(broken) } });
    const { errors } = await requestHooks(new MessageBus({ transport }), 'BeforeTool', tool);
    expect(errors.map((error) => [error instanceof Error, error.message])).toEqual([
      [true, expect.stringContaining('out of order')],
    ]);
  });

  test('what is watched on one is heard from the other', async () => {
    const transport = create();
    const seen: unknown[] = [];
    new MessageBus({ transport }).stream(HOOK_EXECUTION_REQUEST).subscribe(({ payload }) => seen.push(payload));
    const hooks = await createHooks({ bus: new MessageBus({ transport }) });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'rm' } });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen).toEqual([tool]);
  });

  test('a closed transport delivers nothing', async () => {
    const transport = create();
    const bus = new MessageBus({ transport });
    const notes: unknown[] = [];
    bus.subscribe(NOTE, (message) => notes.push(message));
    await transport.close();
    bus.publish(createSampleNote('late'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(notes).toEqual([]);
  });
});

test('an engine that was disposed of refuses requests only where no other process can answer them', async () => {
  class Spanning extends JsonTransport {
    override readonly features = { inline: false, knowsListeners: false, spansProcesses: true } as const;
  }
  const codeAfterClose = async (transport: Transport): Promise<unknown> => {
    const hooks = await createHooks({ bus: new MessageBus({ transport }) });
    await hooks.close();
    const asking = new MessageBus({ transport });
    const answer = asking.request(
      { ...createSampleRequest('a'), timeoutMs: 20 },
      MessageBusType.HOOK_EXECUTION_RESPONSE,
      60,
    );
    return answer.then(({ error }) => error?.code).catch((error: HookwrightError) => error.code);
  };
  expect(await codeAfterClose(new MemoryTransport())).toBe('disposed');
  expect(await codeAfterClose(new Spanning())).toBe('deadline_exceeded');
});

describe('a transport that fails', () => {
  const errorsOn = (bus: MessageBus): HookwrightError[] => {
    const errors: HookwrightError[] = [];
    bus.on('error', (error) => errors.push(error));
    return errors;
  };

  test('to send is an error event, and the request ends at its deadline', async () => {
    class Broken extends JsonTransport {
      override publish(): void {
        throw new Error('no link');
      }
    }
    const bus = new MessageBus({ transport: new Broken() });
    const errors = errorsOn(bus);
    const answer = bus.request(createSampleRequest('a'), MessageBusType.HOOK_EXECUTION_RESPONSE, 20);
    await expect(answer).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect(errors).toMatchObject([{ code: 'transport_failed', message: expect.stringContaining('no link') }]);
  });

  test('to bring messages is an error event, and those that come after are delivered', async () => {
    const transport = new JsonTransport();
    const bus = new MessageBus({ transport });
    const errors = errorsOn(bus);
    const notes: string[] = [];
    bus.subscribe(NOTE, ({ message }) => notes.push(message));
    transport.arrive(NOTE, 'no JSON');
    transport.arrive(NOTE, '{"type":"none"}');
    transport.arrive(NOTE, JSON.stringify(createSampleNote('fine')));
    expect(errors.map(({ code }) => code)).toEqual(['transport_failed', 'invalid_message']);
    expect(HookwrightError.is(errors[0])).toBe(true);
    expect(notes).toEqual(['fine']);
  });

  test('to carry what is no JSON says so', () => {
    const bus = new MessageBus({ transport: new JsonTransport() });
    const errors = errorsOn(bus);
    bus.publish(untyped({ ...createSampleRequest('a'), payload: { big: 1n } }));
    expect(errors).toMatchObject([{ code: 'transport_failed' }]);
  });
});

test('a trigger goes on alone where nobody is at the other end', async () => {
  const bus = new MessageBus({ transport: new JsonTransport() });
  const hooks = await createHooks({ bus, hooks: { BeforeTool: groupOf(answers('guard', { decision: 'deny' })) } });
  expect((await hooks.beforeTool({ tool: 'shell', input: {} })).verdict).toBe('deny');
});
