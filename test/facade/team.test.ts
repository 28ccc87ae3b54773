import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type CreateHooksOptions,
  createHooks,
  type HookConfig,
  type Hooks,
  MessageBus,
  type TeamOptions,
} from '../../src/index.ts';
import { answers, fn, groupOf } from '../support/engine.ts';
import { JsonTransport } from '../support/json-transport.ts';
import { untyped } from '../support/untyped.ts';

/** An agent with hooks of its own, and a team whose hooks run in another engine, with text between the two. */
const agentWith = async (
  own: readonly HookConfig[],
  team: readonly HookConfig[] | undefined,
  options: Omit<TeamOptions, 'bus'> & Pick<CreateHooksOptions, 'deps'> = {},
): Promise<Hooks> => {
  const transport = new JsonTransport();
  const { deps, ...how } = options;
  if (team !== undefined) {
    const hooks = { BeforeTool: groupOf(...team), AfterTool: groupOf(...team) };
    const host = await createHooks({
      bus: new MessageBus({ transport }),
      hooks,
      cwd: '/team',
      sessionId: 'of the team',
    });
    onTestFinished(() => host.close());
  }
  const agent = await createHooks({
    hooks: { BeforeTool: groupOf(...own) },
    team: { bus: new MessageBus({ transport }), ...how },
    cwd: '/agent',
    sessionId: 'of the agent',
    ...(deps === undefined ? {} : { deps }),
  });
  onTestFinished(() => agent.close());
  return agent;
};

const call = { tool: 'shell', input: { command: 'rm' } };
const allows = answers('own', { decision: 'allow', reason: 'own' });
const denies = answers('own', { decision: 'deny', reason: 'own' });

describe('R897 the hooks of an agent and those of its team', () => {
  test.each([
    ['allow', allows, { decision: 'deny', reason: 'team' }, 'deny', 'team'],
    ['deny', denies, { decision: 'allow', reason: 'team' }, 'deny', 'own'],
    ['allow', allows, { decision: 'ask', reason: 'team' }, 'ask', 'team'],
    ['allow', allows, { continue: false, stopReason: 'team' }, 'stop', 'team'],
    ['allow', allows, undefined, 'allow', 'own'],
    ['nothing', answers('own', undefined), { decision: 'allow', reason: 'team' }, 'allow', 'team'],
    ['nothing', answers('own', undefined), undefined, 'none', undefined],
  ])(
    'merge by the same rules: own says %s, and the strictest verdict counts',
    async (_, own, answer, verdict, reason) => {
      const hooks = await agentWith([own], [answers('guard', answer)]);
      expect(await hooks.beforeTool(call)).toMatchObject({
        verdict,
        faults: [],
        ...(reason === undefined ? {} : { reason }),
      });
    },
  );

  test('change one call, add to one context, and have a row each', async () => {
    const own = answers('own', { hookSpecificOutput: { tool_input: { by: 'own' }, additionalContext: 'own' } });
    const team = answers('guard', {
      hookSpecificOutput: { tool_input: { also: 'team' }, additionalContext: 'team' },
      systemMessage: 'from the team',
    });
    const hooks = await agentWith([own], [team]);
    const traffic = hooks.tap();
    const { input, context, messages } = await hooks.beforeTool(call);
    expect(input).toEqual({ command: 'rm', by: 'own', also: 'team' });
    expect(
      context
        ?.split('\n')
        .filter((line) => line !== '')
        .sort(),
    ).toEqual(['own', 'team']);
    expect(messages).toEqual(['from the team']);
    for await (const message of traffic) {
      if (message.type !== 'hook-execution-trace') continue;
      // Each saw another call than the one that will be made, so both are asked once more.
      expect(message.rows.map(({ name, outcome, recheck }) => [name, outcome, recheck])).toEqual([
        ['own', 'answered', undefined],
        ['own', 'silent', true],
        ['team', 'answered', undefined],
        ['team', 'silent', true],
      ]);
      break;
    }
  });

  test('the team hears whose call it is as data; the paths of its hooks are its own', async () => {
    let seen: Readonly<Record<string, unknown>> = {};
    const hooks = await agentWith(
      [],
      [
        fn('guard', (input) => {
          seen = input;
        }),
      ],
    );
    await hooks.beforeTool(call);
    expect(seen).toMatchObject({
      session_id: 'of the team',
      cwd: '/team',
      tool_name: 'shell',
      agent: { session_id: 'of the agent', cwd: '/agent' },
    });
  });

  test('a question of the team is put to the person at the agent', async () => {
    const team = [answers('guard', { decision: 'ask', reason: 'sure?' })];
    const asked: unknown[] = [];
    const confirm = async ({ reason }: { readonly reason: string }) => {
      asked.push(reason);
      return true;
    };
    const hooks = await agentWith([], team, { deps: { confirm } });
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'allow' });
    expect(asked).toEqual(['sure?']);
  });

  test.each([
    ['deny', 'deny'],
    ['allow', 'none'],
  ] as const)(
    'R1220 a fault of a hook of the team with onFault %s is a fault of the call',
    async (onFault, verdict) => {
      const broken = fn('guard', () => {
        throw new Error('out of ink');
      });
      const hooks = await agentWith([], [{ ...broken, onFault }]);
      const { faults, ...said } = await hooks.beforeTool(call);
      expect(said.verdict).toBe(verdict);
      expect(faults).toMatchObject([
        { hook: 'team', code: 'team-fault', message: expect.stringContaining('"guard": out of ink') },
      ]);
      const called = await hooks.callTool('shell', {}, () => 'ran');
      expect(called.faults[0]).toMatchObject({ code: 'team-fault' });
    },
  );

  test.each([
    ['none', { continue: false, stopReason: 'enough' }, 'stop'],
    ['deny', { continue: false, stopReason: 'enough' }, 'stop'],
    ['none', { decision: 'ask', reason: 'sure?' }, 'ask'],
    ['deny', { decision: 'ask', reason: 'sure?' }, 'deny'],
  ] as const)(
    'R2021 a stop or an ask of the team before its deadline is not lost: onLost %s, %j',
    async (onLost, answer, verdict) => {
      const never = fn('slow', () => new Promise(() => {}));
      const hooks = await agentWith([], [answers('guard', answer), never], { timeoutMs: 1_000, onLost });
      expect(await hooks.beforeTool(call)).toMatchObject({
        verdict,
        faults: [{ hook: 'team', message: expect.stringContaining('1000 ms') }, ...(verdict === 'deny' ? [] : [{}])],
      });
    },
  );

  test('where the team cannot be asked onLost decides, and the fault is told', async () => {
    const verdictOf = async (onLost: TeamOptions['onLost']) => {
      const hooks = await agentWith([], undefined, { timeoutMs: 50, ...(onLost === undefined ? {} : { onLost }) });
      const { verdict, faults } = await hooks.beforeTool(call);
      expect(faults).toMatchObject([{ hook: 'team', message: expect.stringContaining('the team was not heard') }]);
      const { verdict: after } = await hooks.notify({ type: 'ToolPermission', message: 'x', details: {} });
      return [onLost, verdict, after];
    };
    expect(await Promise.all(([undefined, 'deny', 'ask', 'none', 'retry'] as const).map(verdictOf))).toEqual([
      [undefined, 'deny', 'none'],
      ['deny', 'deny', 'deny'],
      // Nobody is there to be asked, and a question that stands for a fault is a no then.
      ['ask', 'deny', 'deny'],
      ['none', 'none', 'none'],
      ['retry', 'deny', 'none'],
    ]);
  });

  test.each([
    [(bus: MessageBus) => ({ bus, team: bus }), 'would ask itself'],
    [() => ({ team: { bus: 'nats://…' } }), 'expected a bus'],
    [() => ({ team: { bus: new MessageBus(), onlost: 'deny' } }), 'onLost'],
    [() => ({ team: { bus: new MessageBus(), onLost: 'allow' } }), 'onLost'],
    [() => ({ team: { bus: new MessageBus(), events: ['BeforeTol'] } }), 'BeforeTool'],
    [() => ({ team: { bus: new MessageBus(), events: 'BeforeTool' } }), 'events: expected a list'],
    [() => ({ team: { bus: new MessageBus(), events: [] } }), 'events: expected a list'],
  ])('a mistake is told to whoever makes it %#', async (options, why) => {
    await expect(createHooks(untyped(options(new MessageBus())))).rejects.toThrow(why);
  });
});
