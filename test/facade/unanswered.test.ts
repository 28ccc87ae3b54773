import { expect, test } from 'vitest';
import { createHooks, type HookMessage, MessageBus, MessageBusType } from '../../src/index.ts';
import { RequestLog } from '../../src/inspector/request-log.ts';
import { untyped } from '../support/untyped.ts';

test('R1637 an ask without a person leaves its trace under the id of its request', async () => {
  const bus = new MessageBus();
  const messages: HookMessage[] = [];
  bus.stream().subscribe((message) => messages.push(message));
  const hooks = await createHooks({
    bus,
    hooks: {
      BeforeTool: [
        { hooks: [{ name: 'careful', type: 'runtime', action: () => ({ decision: 'ask', reason: 'sure?' }) }] },
      ],
    },
  });
  try {
    await hooks.callTool('Bash', { command: 'ls' }, () => 'done');
    const request = messages.find(({ type }) => type === MessageBusType.HOOK_EXECUTION_REQUEST);
    const answers = messages.filter((message) => message.type === MessageBusType.HOOK_CONFIRMATION_RESPONSE);
    expect(answers).toEqual([
      {
        type: MessageBusType.HOOK_CONFIRMATION_RESPONSE,
        correlationId: request?.correlationId,
        approved: false,
        reason: expect.stringMatching(
          /no person answered: the host has no confirm; .*confirmOverBus.*; left to the host/,
        ),
      },
    ]);
    const stories = new RequestLog();
    for (const [index, message] of messages.entries()) stories.add({ at: index, line: index + 1, message });
    expect(stories.details(request?.correlationId ?? '')?.summary).toMatchObject({
      verdict: 'ask',
      became: 'unanswered',
    });
  } finally {
    await hooks.close();
  }
});

test('R1637 an ask that a person answered leaves its question and its answer, and nothing more', async () => {
  const bus = new MessageBus();
  const messages: HookMessage[] = [];
  bus.stream().subscribe((message) => messages.push(message));
  const hooks = await createHooks({
    bus,
    hooks: { BeforeTool: [{ hooks: [{ name: 'careful', type: 'runtime', action: () => ({ decision: 'ask' }) }] }] },
    deps: { confirm: () => Promise.resolve(true) },
  });
  try {
    expect(await hooks.callTool('Bash', {}, () => 'done')).toMatchObject({ output: 'done' });
    expect(messages.some(({ type }) => type === MessageBusType.HOOK_CONFIRMATION_RESPONSE)).toBe(false);
  } finally {
    await hooks.close();
  }
});

test.each<[string, () => unknown, string]>([
  [
    'throws',
    () => {
      throw new Error('the window was closed');
    },
    'the window was closed',
  ],
  ['answers with an object', () => ({ approved: true }), 'confirm answers true or false; got an object'],
  ['answers with a text', () => 'yes', 'confirm answers true or false; got "yes"'],
  ['answers with nothing', () => undefined, 'confirm answers true or false; got nothing'],
])('R1764 a confirm that %s refuses, and that is a fault', async (_what, confirm, why) => {
  const hooks = await createHooks({ deps: { confirm: untyped<() => boolean>(confirm) } });
  hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'sure?' }));
  const message = `The confirmation of shell failed and counts as refused: ${why}`;
  const failed = { faults: [{ code: 'internal_error', message }] };
  try {
    expect(await hooks.callTool('shell', {}, () => 'done')).toMatchObject({
      blocked: { verdict: 'deny' },
      asked: { answered: false, failed: message },
      ...failed,
    });
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'deny', ...failed });
  } finally {
    await hooks.close();
  }
});
