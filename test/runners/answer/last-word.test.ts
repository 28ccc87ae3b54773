import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import type { HookConfig, HookExecutionTrace } from '../../../src/index.ts';
import { engineOf, groupOf } from '../../support/engine.ts';

const DENY = `echo '{"decision":"deny","reason":"no","systemMessage":"m"}'`;

/** What comes of one command, in the merge and in its row. */
const fire = async (command: string, more: HookConfig = {}) => {
  const traces: HookExecutionTrace[] = [];
  const system = await engineOf({
    host: { getWorkingDir: tmpdir },
    hooks: { BeforeTool: groupOf({ command, ...more }) },
    deps: { onTrace: (trace) => traces.push(trace) },
  });
  const result = await system.getEventHandler().fireBeforeToolEvent('ls', {});
  return { result, row: traces[0]?.rows[0] };
};

describe('the last word of a command', () => {
  test.each<[string, HookConfig, string | undefined]>([
    [`${DENY}; echo '{}'`, {}, undefined],
    [`${DENY}; echo '{"level":"info","msg":"done"}'`, {}, undefined],
    [`${DENY}; exit 1`, {}, 'exit-code'],
    [`${DENY}; kill -9 $$`, {}, 'killed-by-signal'],
    [`${DENY}; sleep 20`, { timeout: 1_500 }, 'timeout'],
    [`${DENY}; echo '{"decision":"al'; exit 0`, {}, 'malformed-output'],
  ])('stands in the merge and in the row, whatever followed it: %s', async (command, more, code) => {
    const { result, row } = await fire(command, more);
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    expect(row).toMatchObject({ fields: { decision: { fate: 'applied' } } });
    expect(row?.code).toBe(code);
  });

  test('that allows and then fails is no word, and its row names it', async () => {
    const { result, row } = await fire(`echo '{"decision":"allow"}'; exit 3`, { onFault: 'deny' });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(row).toMatchObject({
      outcome: 'faulted',
      code: 'exit-code',
      warnings: [{ code: 'set-aside', message: expect.stringContaining('{"decision":"allow"}') }],
    });
  });
});

describe('R1007 a process that ends well while another holds its output', () => {
  const late = `(sleep 1; ${DENY}) & exit 0`;

  test.each<[string, HookConfig, boolean, string | undefined]>([
    [late, { onFault: 'deny' }, true, 'malformed-output'],
    [`echo checking; ${late}`, { onFault: 'deny' }, true, 'malformed-output'],
    [late, {}, false, undefined],
    [late, { onFault: 'deny', leaveBackground: true }, false, undefined],
    [`echo '{}'; ${late}`, { onFault: 'deny' }, false, undefined],
    [`(sleep 0.02; ${DENY}) & exit 0`, {}, true, undefined],
  ])(
    'is a fault of a guard without a whole answer, and of no other hook: %s, %j',
    async (command, more, blocked, code) => {
      const { result, row } = await fire(command, more);
      expect(result.finalOutput?.isBlockingDecision() ?? false).toBe(blocked);
      expect(row?.code).toBe(code);
      if (code !== undefined)
        expect(row).toMatchObject({
          warnings: expect.arrayContaining([{ code, message: expect.any(String), fix: expect.any(String) }]),
        });
    },
  );
});
