import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HookConfig, HookExecutionResult, HookSystemDeps } from '../../../../src/index.ts';
import { HookRunner } from '../../../../src/runners/index.ts';
import { hostWith } from '../../../support/host.ts';
import { untyped } from '../../../support/untyped.ts';

const script = join(import.meta.dirname, '../../../fixtures/workers/writes.mjs');
const worker: HookConfig = { type: 'worker', name: 'guard', command: 'node', args: [script], timeout: 1_500 };

const engine = (limits: HookSystemDeps['limits'] = {}): HookRunner => {
  const runner = new HookRunner(hostWith({ getWorkingDir: () => tmpdir() }), { limits });
  onTestFinished(() => runner.dispose());
  return runner;
};

/** The result of one request to a worker that writes a text and then goes on, ends or crashes. */
const written = (text: string, then = 'hang', runner = engine(), signal?: AbortSignal): Promise<HookExecutionResult> =>
  runner.executeHook(worker, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: { text, then } }), signal);

const deny = '{"id":ID,"output":{"decision":"deny","reason":"no"}}';
const pretty = '{\r\n  "id": ID,\n\n  "output": {\n    "decision": "deny",\n    "reason": "no"\n  }\n}';
const allow = '{"id":ID,"output":{"decision":"allow"}}';

describe('R1005 a whole denial of a worker counts', () => {
  test.each<[string, string, string, string | undefined]>([
    ['before an allow on the same line', `${deny}${allow}\n`, 'hang', undefined],
    ['behind an allow on the same line', `${allow}${deny}\n`, 'hang', undefined],
    ['R1955 on the line behind an allow', `${allow}\n${deny}\n`, 'hang', undefined],
    ['R1955 on the line before an allow', `${deny}\n${allow}\n`, 'hang', undefined],
    ['R1955 on the line behind an empty answer', `{"id":ID}\n${deny}\n`, 'hang', undefined],
    ['R1955 before a verdict without an id', `${deny}\n{"decision":"deny"}\n`, 'hang', 'malformed-output'],
    ['behind another request’s answer on the same line', `{"id":"other","output":{}}${deny}\n`, 'hang', undefined],
    ['before another request’s answer on the same line', `${deny}{"id":"other","output":{}}\n`, 'hang', undefined],
    ['beside an error', '{"id":ID,"error":"broken","output":{"decision":"deny","reason":"no"}}\n', 'hang', 'threw'],
    ['R2083 on several lines', `${pretty}\n`, 'hang', undefined],
    ['R2083 on several lines, after an object that is not complete', `{\n{\n  "a":\n${pretty}\n`, 'hang', undefined],
    ['R2083 on several lines without the last line end', pretty, 'hang', 'timeout'],
    ['R2083 on several lines without the last line end, and then it crashes', pretty, 'crash', 'worker-crashed'],
    ['R2083 on one line behind an object that is not complete', `{\n  "a":\n${deny}\n`, 'hang', undefined],
    ['without a line end, and then it hangs', deny, 'hang', 'timeout'],
    ['without a line end, and then it ends', deny, 'exit', 'worker-crashed'],
    ['without a line end, and then it crashes', deny, 'crash', 'worker-crashed'],
  ])('%s', async (_where, text, then, code) => {
    const result = await written(text, then);
    expect(result).toMatchObject({ output: { decision: 'deny', reason: 'no' } });
    expect(result.code).toBe(code);
  });

  test('R1955 one for which no request waits is a notice', async () => {
    const { warnings } = await written(`${deny.replace('ID', '"7"')}\n${allow}\n`);
    expect(warnings).toMatchObject([{ code: 'noise', message: expect.stringContaining('no request waits') }]);
  });

  test('R2030 the request that a worker writes back is no answer to it', async () => {
    const result = await written(`{"id":ID,"input":{"tool_name":"Bash"}}\n${deny}\n`);
    expect(result).toMatchObject({ output: { decision: 'deny' }, warnings: [{ code: 'noise' }] });
    expect(await written('{"id":ID,"input":{"tool_name":"Bash"}}\n')).toMatchObject({ code: 'timeout' });
  });

  test.each([
    ['timeout', 'hang'],
    ['worker-crashed', 'crash'],
  ])('R2029 what a worker wrote instead of an answer is a notice of the %s', async (code, then) => {
    const result = await written(`starting\n${deny.replace('ID', '"wrong"')}\n`, then);
    expect(result.code).toBe(code);
    expect(result.warnings?.filter((warning) => warning.code === 'noise')).toMatchObject([
      { message: expect.stringContaining('starting') },
      { message: expect.stringContaining('no request waits') },
    ]);
  });

  test.each([
    ['{', '{\n  "output": {\n'],
    ['no end', 'no end'],
  ])('R2029 a line that begins with %j and lacks its end is a notice as well', async (start, text) => {
    const { warnings } = await written(text);
    expect(warnings).toMatchObject([
      { code: 'timeout' },
      { code: 'noise', message: expect.stringContaining(`not an answer: ${start}`) },
    ]);
  });

  test('without a line end, and then the request is cancelled', async () => {
    const runner = engine();
    await written(`${allow}\n`, 'hang', runner);
    const result = await written(deny, 'hang', runner, AbortSignal.timeout(400));
    expect(result).toMatchObject({ code: 'cancelled', output: { decision: 'deny' } });
  });
});

describe('R1006 a verdict outside the output of a line, or without its id, is malformed-output', () => {
  test.each([
    ['beside the id', '{"id":ID,"decision":"deny"}'],
    ['beside an output that allows', '{"id":ID,"output":{"decision":"allow"},"decision":"deny"}'],
    ['below a misspelt key', '{"id":ID,"outputs":{"decision":"deny"}}'],
    ['as a stop', '{"id":ID,"continue":false}'],
    ['as allowed: false', '{"id":ID,"allowed":false}'],
    ['in an output that is JSON in a text', '{"id":ID,"output":"{\\"decision\\":\\"deny\\"}"}'],
    ['in an output that is a list', '{"id":ID,"output":[{"decision":"deny"}]}'],
    ['in an output that stands twice', '{"id":ID,"output":{"decision":"deny"},"output":{"decision":"allow"}}'],
    ['in an object with two ids', '{"id":ID,"id":"other","output":{"decision":"deny"}}'],
    ['R2083 on several lines and without an id', `{\n  "decision": "deny"\n}\n${allow}`],
    ['without an id, before an allow', `{"output":{"decision":"deny"}}\n${allow}`],
    ['without an id and at the top, before an allow', `{"decision":"deny"}\n${allow}`],
    ['in single quotes, before an allow', `{'id': ID, 'output': {'decision': 'deny'}}\n${allow}`],
  ])('%s', async (_where, text) => {
    const { code, output } = await written(`${text}\n`);
    expect(code).toBe('malformed-output');
    expect(output?.decision === 'allow' && output.systemMessage === undefined).toBe(false);
  });

  test('other keys are a notice, and an allow that lacks its line end is none', async () => {
    const result = await written('{"id":ID,"output":{"reason":"r"},"took":3}\n');
    expect(result).toMatchObject({ success: true, output: { reason: 'r' }, warnings: [{ code: 'unknown-key' }] });
    expect(result).not.toHaveProperty('code');
    expect((await written(allow, 'exit')).output).toBeUndefined();
  });

  test('logs of a worker are noise', async () => {
    const logs = '{"level":"info","decision":"allow"}\n{ a: 1 }\nchecking [1/3] {x}\n';
    const result = await written(`${logs}${allow}\n`);
    expect(result).toMatchObject({ success: true, output: { decision: 'allow' } });
    expect(result).not.toHaveProperty('code');
  });
});
