import { describe, expect, test } from 'vitest';
import type { HookSystemDeps, HostConfig } from '../../src/index.ts';
import { answers, engineOf, groupOf } from '../support/engine.ts';
import { keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const breaks = (): never => {
  throw new Error('no such thing');
};

describe('R1930 a callback of the host that throws', () => {
  test.each<[string, Partial<HostConfig>]>([
    ['getBudgetMs', { getBudgetMs: breaks }],
    ['getMode', { getMode: breaks }],
  ])('%s: the deny of a hook counts, and the log has a line', async (name, host) => {
    const { logger, warn } = keepLines();
    const hooks = { BeforeTool: groupOf(answers('no', { decision: 'deny', reason: 'not here' })) };
    const system = await engineOf({ hooks, host, deps: { logger } });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput).toMatchObject({ decision: 'deny', reason: 'not here' });
    expect(warn.join('\n')).toMatch(new RegExp(`${name} threw.*: no such thing`));
  });

  test('getSessionId: a guard without its input refuses, with a log and without', async () => {
    const hooks = { BeforeTool: groupOf(answers('no', {}, { onFault: 'deny' })) };
    for (const deps of [{}, { logger: {} }]) {
      const system = await engineOf({ hooks, host: { getSessionId: breaks }, deps });
      const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
      expect(finalOutput).toMatchObject({ decision: 'deny' });
    }
  });

  test('a logger that rejects is ignored like one that throws', async () => {
    const rejected: unknown[] = [];
    const keep = (reason: unknown): unknown => rejected.push(reason);
    process.on('unhandledRejection', keep);
    const logger = untyped<NonNullable<HookSystemDeps['logger']>>({ debug: async () => breaks() });
    const system = await engineOf({ deps: { logger } });
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', keep);
    expect(rejected).toEqual([]);
  });
});
