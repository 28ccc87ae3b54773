import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  Config,
  HookAggregator,
  type HookCall,
  type HookConfig,
  type HookExecutionTrace,
  type HookInput,
  HookRunner,
} from '../../src/index.ts';
import { answers, engineOf, fn, groupOf, hangs, inSequence, sleep } from '../support/engine.ts';
import { keepLines } from '../support/host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const input: HookInput<'BeforeTool'> = {
  session_id: 'session-1',
  transcript_path: '',
  cwd: '/project',
  hook_event_name: 'BeforeTool',
  timestamp: new Date(0).toISOString(),
  tool_name: 'ls',
  tool_input: { all: true },
};

/** Commands run where a host says, so it has to be a directory that is there. */
const host = { getWorkingDir: tmpdir };

describe('the hooks of an event', () => {
  /** Notes when it starts and when it ends. */
  const noting = (notes: string[], name: string, ms: number): HookConfig =>
    fn(name, async () => {
      notes.push(`${name} starts`);
      await sleep(ms);
      notes.push(`${name} ends`);
      return { reason: name };
    });

  test('R115 R126 C48 run at once, and their results are in configured order', async () => {
    const notes: string[] = [];
    const system = await engineOf({
      hooks: { BeforeTool: groupOf(noting(notes, 'slow', 300), noting(notes, 'fast', 1)) },
    });
    const { allOutputs } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(notes).toEqual(['slow starts', 'fast starts', 'fast ends', 'slow ends']);
    expect(allOutputs).toEqual([{ reason: 'slow' }, { reason: 'fast' }]);
  });

  test('R116 R126 run one after another when the plan is sequential', async () => {
    const notes: string[] = [];
    const hooks = { BeforeTool: inSequence(noting(notes, 'first', 5), noting(notes, 'second', 1)) };
    const { allOutputs } = await (await engineOf({ hooks })).getEventHandler().fireBeforeToolEvent('ls', {});
    expect(notes).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
    expect(allOutputs).toEqual([{ reason: 'first' }, { reason: 'second' }]);
  });

  test.each([
    ['parallel', groupOf],
    ['sequential', inSequence],
  ])('R118 R121 R326 R328 go on in a %s plan when one of them fails', async (_mode, plan) => {
    const boom = fn('boom', () => {
      throw new Error('out of order');
    });
    const hooks = { BeforeTool: plan(answers('a', { reason: 'a' }), boom, answers('c', { systemMessage: 'c' })) };
    const result = await (await engineOf({ hooks })).getEventHandler().fireBeforeToolEvent('ls', {});
    expect(result).toMatchObject({ success: false, finalOutput: { reason: 'a', systemMessage: 'c' } });
    expect(result.errors.map(({ message }) => message)).toEqual(['Hook "boom": out of order']);
  });

  test.skipIf(process.platform === 'win32')('C52 that fail are not run again, of any type', async () => {
    const directory = temporaryFolder('once');
    const runs = (name: string): number => readFileSync(join(directory, name), 'utf8').length;
    const note = (name: string): string => `printf x >> '${join(directory, name)}'`;
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      if (requests === 1) response.socket?.destroy();
      else response.writeHead(500).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
      rmSync(directory, { recursive: true });
    });
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    let calls = 0;
    const throwing = fn('throws', () => {
      calls += 1;
      throw new Error('no');
    });
    const worker = `process.stdin.once('data', () => { require('fs').appendFileSync('${join(directory, 'worker')}', 'x'); process.exit(3); })`;
    const failing: HookConfig[] = [
      throwing,
      { name: 'exits', command: `${note('exits')}; exit 1` },
      { name: 'is killed', command: `${note('is killed')}; kill -9 $$` },
      { name: 'hangs', command: `${note('hangs')}; sleep 30`, timeout: 500 },
      { name: 'half', command: `${note('half')}; printf '{"decision":'` },
      { name: 'warm', command: `cat >/dev/null; ${note('warm')}; exit 1`, warm: true },
      { name: 'worker', type: 'worker', command: 'node', args: ['-e', worker] },
      { name: 'reset', type: 'http', url: `${url}reset` },
      { name: 'status', type: 'http', url: `${url}status` },
    ];
    const system = await engineOf({ hooks: { BeforeTool: inSequence(...failing) }, host });
    const { errors } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    await sleep(300);
    await system.dispose();
    const failed = failing.filter(({ name }) => name !== 'half');
    expect(errors).toMatchObject(failed.map(({ name }) => ({ details: { hook: name } })));
    const files = ['exits', 'is killed', 'hangs', 'half', 'warm', 'worker'];
    expect([calls, requests, ...files.map(runs)]).toEqual([1, 2, 1, 1, 1, 1, 1, 1]);
  });

  test('R108 are not waited for when they never answer', async () => {
    const hooks = { BeforeTool: groupOf({ ...hangs('hangs'), timeout: 50 }, answers('a', { decision: 'deny' })) };
    const result = await (await engineOf({ hooks })).getEventHandler().fireBeforeToolEvent('ls', {});
    expect(result).toMatchObject({ success: false, finalOutput: { decision: 'deny' } });
    expect(result.errors).toMatchObject([{ details: { fault: 'timeout', hook: 'hangs' } }]);
  });

  test('R120 that answer with nothing, or with an empty object, have no opinion', async () => {
    const traces: HookExecutionTrace[] = [];
    const hooks = { BeforeTool: groupOf(answers('nothing', undefined), answers('empty', {}), { command: 'echo {}' }) };
    const system = await engineOf({ hooks, host, deps: { onTrace: (trace) => traces.push(trace) } });
    const { success, finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect({ success, decision: finalOutput?.decision }).toEqual({ success: true, decision: undefined });
    expect(traces[0]?.rows.map(({ outcome }) => outcome)).toEqual(['silent', 'silent', 'silent']);
  });

  test('R336 that block on purpose are not counted as faults', async () => {
    const calls: HookCall[] = [];
    const guard = { name: 'guard', command: 'echo not here >&2; exit 2' };
    const hooks = { BeforeTool: groupOf(guard, { name: 'fails', command: 'exit 3' }) };
    const system = await engineOf({ hooks, host, deps: { telemetry: (call) => calls.push(call) } });
    const { errors } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    const told = calls.map(({ hookName, success, outcome, code }) => ({ hookName, success, outcome, code }));
    expect(told).toEqual([
      { hookName: 'guard', success: true, outcome: 'answered', code: undefined },
      { hookName: 'fails', success: false, outcome: 'faulted', code: 'exit-code' },
    ]);
    expect(errors).toMatchObject([{ details: { hook: 'fails' } }]);
  });

  test.each([
    ['an exit with 2', { name: 'guard', command: 'echo not here >&2; exit 2' }, false],
    ['an answer', answers('guard', { decision: 'block', reason: 'not here' }), true],
    ['a denial', answers('guard', { decision: 'deny', reason: 'not here' }), true],
  ])(
    'R336 that block on purpose with %s leave no fault behind, wherever one would be told',
    async (_how, guard, success) => {
      const traces: HookExecutionTrace[] = [];
      const ends: HookCall[] = [];
      const lines = keepLines();
      const deps = {
        logger: lines.logger,
        onTrace: (trace: HookExecutionTrace) => void traces.push(trace),
        events: { onHookEnd: (call: HookCall) => void ends.push(call) },
      };
      const system = await engineOf({ hooks: { BeforeTool: groupOf(guard) }, host, deps });
      const result = await system.getEventHandler().fireBeforeToolEvent('ls', {});
      expect(result).toMatchObject({ success, errors: [], finalOutput: { reason: 'not here' } });
      expect(result.finalOutput?.isBlockingDecision()).toBe(true);
      expect(ends).toMatchObject([{ hookName: 'guard', success: true, outcome: 'answered' }]);
      expect(traces[0]?.rows).toMatchObject([{ name: 'guard', outcome: 'answered' }]);
      expect(traces[0]?.rows[0]?.code).toBeUndefined();
      expect([lines.warn, lines.error]).toEqual([[], []]);
      expect(lines.debug).toEqual([expect.stringMatching(/1 hook, \d+ms, success$/)]);
    },
  );

  test('R333 each part says what it knows under its own name, and where all goes well only the handler does', async () => {
    const lines = keepLines();
    const matchRegex = (pattern: string): boolean | 'timeout' => (pattern === '^slow' ? 'timeout' : true);
    const hooks = {
      BeforeTool: [{ matcher: '^slow', hooks: [{ name: 'unmatched', command: 'true' }] }],
      AfterTool: groupOf({ name: 'fails', command: 'exit 3' }),
      BeforeAgent: groupOf({ name: 'fine', command: 'true' }),
    };
    const system = await engineOf({ hooks, host, deps: { logger: lines.logger, matchRegex } });
    expect(lines.log).toEqual(['[hookwright:registry] Hook registry initialized with 3 hook entries']);
    const handler = system.getEventHandler();
    await handler.fireBeforeAgentEvent('hello');
    expect(lines.debug.splice(0)).toEqual([expect.stringMatching(/^\[hookwright:handler\] BeforeAgent fired/)]);
    await handler.fireBeforeToolEvent('ls', {});
    expect(lines.debug.splice(0)).toEqual([
      expect.stringMatching(/^\[hookwright:planner\] BeforeTool, .* the matcher "\^slow" exceeded its limit/),
      expect.stringMatching(/^\[hookwright:runner\] BeforeTool, hook "unmatched": fault "matcher-timeout"/),
      expect.stringMatching(/^\[hookwright:handler\] BeforeTool fired for 'ls'/),
    ]);
    await handler.fireAfterToolEvent('ls', {}, 'done');
    expect(lines.debug).toEqual([
      expect.stringMatching(/^\[hookwright:runner\] AfterTool, hook "fails": fault "exit-code" after \d+ ms: /),
      expect.stringMatching(/^\[hookwright:handler\] AfterTool fired for 'ls'/),
    ]);
  });
});

const change = '"hookSpecificOutput":{"tool_input":{"path":"changed"}}';

test.each([
  ['that can be read', `{"decision":"allow",${change}}`, 'answered'],
  ['whose verdict is misspelt', `{"desicion":"allow",${change}}`, 'faulted'],
  ['whose verdict is no word', `{"decision":"perhaps",${change}}`, 'faulted'],
  ['that is followed by half of another', `{${change}} {"decision":"al`, 'faulted'],
])(
  'R802 the next hook of a sequence sees the change of an answer %s, as the tool will',
  async (_how, answer, outcome) => {
    const seen: unknown[] = [];
    const traces: HookExecutionTrace[] = [];
    const hooks = inSequence(
      { name: 'changes', command: `echo '${answer}'` },
      fn('looks', ({ tool_input }) => void seen.push(tool_input)),
    );
    const deps = { onTrace: (trace: HookExecutionTrace) => void traces.push(trace) };
    const system = await engineOf({ hooks: { BeforeTool: hooks }, host, deps });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('edit', { path: 'as it was' });
    expect(traces[0]?.rows[0]?.outcome).toBe(outcome);
    expect(finalOutput?.getModifiedToolInput()).toEqual({ path: 'changed' });
    expect(seen).toEqual([{ path: 'changed' }]);
  },
);

describe('the result of a hook', () => {
  const run = (hook: HookConfig) =>
    new HookRunner(new Config({ workingDir: tmpdir() })).executeHook(hook, 'BeforeTool', input);

  test('R103 R105 R125 says how it ended, what it printed and how long it took', async () => {
    const hook: HookConfig = { type: 'command', command: `sleep 0.1; echo a note >&2; echo '{"reason":"ok"}'` };
    const result = await run(hook);
    expect(result).toEqual({
      hookConfig: hook,
      eventName: 'BeforeTool',
      success: true,
      output: { reason: 'ok' },
      outputFormat: 'json',
      stdout: '{"reason":"ok"}\n',
      stderr: 'a note\n',
      exitCode: 0,
      duration: expect.any(Number),
      startupMs: expect.any(Number),
    });
    expect(result.duration).toBeGreaterThanOrEqual(100);
  });

  test('R101 R123 is that of a process that read the input as one JSON document, and then its end', async () => {
    const { stderr } = await run({ command: 'cat >&2' });
    expect(JSON.parse(stderr ?? '')).toEqual(input);
  });

  test('R114 C55 is that of a process that found the environment of the host', async () => {
    process.env.HOOKWRIGHT_TEST_TOKEN = 'as it was';
    const { stdout } = await run({ command: 'echo "$HOOKWRIGHT_TEST_TOKEN"' });
    delete process.env.HOOKWRIGHT_TEST_TOKEN;
    expect(stdout).toBe('as it was\n');
  });

  test('C21 of a plugin without a function is a fault, not an exception', async () => {
    expect(await run({ type: 'plugin', name: 'p' })).toMatchObject({ success: false, code: 'not-supported' });
  });
});

test('R043 C62 runner and aggregator work as they are made, and the second time as the first', async () => {
  const runner = new HookRunner(new Config());
  const aggregator = new HookAggregator();
  for (const _time of [1, 2]) {
    const result = await runner.executeHook(answers('a', { decision: 'deny', reason: 'no' }), 'BeforeTool', input);
    const { finalOutput, totalDuration } = aggregator.aggregateResults([result], 'BeforeTool');
    expect(finalOutput).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(totalDuration).toBe(result.duration);
  }
});
