import { describe, expect, test } from 'vitest';
import { type HookRow, MessageBusType } from '../../src/index.ts';
import { messageSchemas, rowSchema } from '../../src/protocol/index.ts';
import { answers, engineOf, groupOf } from '../support/engine.ts';

const row = { hookId: 'h', name: 'h', eventName: 'BeforeTool', source: { kind: 'project' }, planned: 'run' };

describe('R611 what crosses a boundary is parsed', () => {
  test('a row that an engine tells is one, before and after the wire', async () => {
    const rows: HookRow[] = [];
    const system = await engineOf({
      hooks: {
        BeforeTool: groupOf(
          answers('first', { decision: 'deny', reason: 'no', hookSpecificOutput: { tool_input: { a: 1 } } }),
          answers('odd', { desicion: 'allow' }),
          answers('off', {}, { type: 'plugin' }),
        ),
      },
      deps: { onTrace: (trace) => void rows.push(...trace.rows) },
    });
    await system.getEventHandler().fireBeforeToolEvent('shell', {});
    expect(rows).toHaveLength(3);
    for (const told of rows) {
      expect(rowSchema().parse(told)).toEqual(told);
      expect(rowSchema().parse(JSON.parse(JSON.stringify(told)))).toEqual(JSON.parse(JSON.stringify(told)));
    }
  });

  test.each([
    ['a reason that is none', { planned: 'skip', reason: 'because' }],
    ['a fault that is none', { code: 'oops' }],
    ['an outcome that is none', { outcome: 'fine' }],
    ['a fate that is none', { fields: { decision: { fate: 'lucky' } } }],
    ['a warning that is text', { warnings: ['noise: x'] }],
    ['a warning with a code of nobody', { warnings: [{ code: 'x', message: 'm' }] }],
    ['an answer with a decision that is none', { output: { decision: 'alow' } }],
    ['no source', { source: undefined }],
  ])('%s is refused', (_what, wrong) => {
    expect(rowSchema().safeParse(row).success).toBe(true);
    expect(rowSchema().safeParse({ ...row, ...wrong }).success).toBe(false);
  });

  test.each([
    ['allOutputs', { allOutputs: [{ decision: 'alow' }] }],
    ['allOutputs', { allOutputs: ['text'] }],
    ['finalOutput', { finalOutput: { continue: 'no' } }],
    ['errors', { errors: 'none' }],
  ])('a response whose %s is none is refused: %j', (_field, wrong) => {
    const result = { success: true, allOutputs: [{ decision: 'deny' }], errors: [], totalDuration: 1 };
    const type = MessageBusType.HOOK_EXECUTION_RESPONSE;
    const response = { type, correlationId: 'a', eventName: 'BeforeTool', success: true, result };
    const schema = messageSchemas()[type];
    expect(schema.safeParse(response).success).toBe(true);
    expect(schema.safeParse({ ...response, result: { ...result, ...wrong } }).success).toBe(false);
  });
});
