import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { AbilityRegistry, ToolRunner } from '../../src/abilities/index.ts';
import { isStandardSchema } from '../../src/kit/index.ts';
import { atMost } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { ability, repositoryWith, toolsWith } from './support.ts';

describe('the abilities there are', () => {
  const edit = ability('edit_file', () => 'done', {
    summary: 'Changes a file',
    operations: ['file.edit'],
    input: { type: 'object', required: ['path'] },
  });

  test('are found by id and by what they do, and a wrong name is told from a near one', () => {
    const registry = new AbilityRegistry([edit]);
    expect(registry.find({ kind: 'ability_id', value: 'edit_file' })).toMatchObject({ ok: true });
    expect(registry.find({ kind: 'operation_key', value: 'file.edit' })).toMatchObject({ ok: true });
    expect(registry.find({ kind: 'operation_key', value: 'edit_file' })).toMatchObject({ ok: false });
    expect(registry.find({ kind: 'ability_id', value: 'edit-fle' })).toEqual({
      ok: false,
      reason: 'no ability has the id "edit-fle"; did you mean "edit_file"?',
    });
  });

  test('are listed without a word about how they are done', () => {
    const registry = new AbilityRegistry([edit, ability('secret', () => 1, { trusted: false })]);
    expect(registry.list()).toEqual([
      {
        id: 'edit_file',
        summary: 'Changes a file',
        operations: ['file.edit'],
        input: { type: 'object', required: ['path'] },
      },
    ]);
  });

  test('have one id and one operation each', () => {
    expect(() => new AbilityRegistry([edit, edit])).toThrow('ability "edit_file" is declared twice');
    expect(() => new AbilityRegistry([edit, { ...edit, id: 'other' }])).toThrow('already belongs to "edit_file"');
    expect(() => new AbilityRegistry([{ ...edit, id: '../x' }])).toThrow('ability.id: expected');
  });
});

describe('a task', () => {
  test('is created without executing anything, run later, and done once', async () => {
    const root = repositoryWith();
    let runs = 0;
    const tools = toolsWith({
      root,
      abilities: [
        ability('count', () => {
          runs += 1;
          return { output: runs };
        }),
      ],
    });
    const created = await tools.createTask('count', { why: 'to see' });
    expect(created).toMatchObject({ created: true, ability_id: 'count', preflight: { code: 'ABILITY_AVAILABLE' } });
    expect(runs).toBe(0);
    const { task_key } = untyped<{ task_key: string }>(created);
    expect(await tools.runTask(task_key)).toMatchObject({ executed: true, status: 'success', output: 1, task_key });
    expect(await tools.runTask(task_key)).toMatchObject({ executed: false, code: 'task-over' });
    expect(runs).toBe(1);
    const found = await tools.tasks.find(task_key);
    expect(found).toMatchObject({ task: { state: 'success', output: 1, attempts: 1, input: { why: 'to see' } } });
  });

  test('may be asked for by the operation', async () => {
    const tools = toolsWith({
      root: repositoryWith(),
      abilities: [ability('edit_file', () => 1, { operations: ['file.edit'] })],
    });
    const ref = { kind: 'operation_key', value: 'file.edit' } as const;
    expect(await tools.createTask(ref)).toMatchObject({ created: true, ability_id: 'edit_file' });
    expect(await tools.createTask('file.edit')).toMatchObject({ created: false });
  });

  test('whose ability is gone stays as it is', async () => {
    const root = repositoryWith();
    const created = await toolsWith({ root, abilities: [ability('gone', () => 1)] }).createTask('gone');
    const { task_key } = untyped<{ task_key: string }>(created);
    const later = toolsWith({ root });
    expect(await later.runTask(task_key)).toMatchObject({ executed: false, code: 'ABILITY_UNAVAILABLE' });
    expect(await later.tasks.find(task_key)).toMatchObject({ task: { state: 'created' } });
  });

  test.each([
    ['an unknown ability', 'nothing', {}, 'no ability has the id "nothing"'],
    ['an input of another shape', 'strict', {}, 'input.path is missing'],
    ['an input that zod refuses', 'zod', { path: 1 }, 'input.path: '],
    ['a place that is not permitted', 'elsewhere', {}, 'may only be used in "production"; this is "local"'],
    ['a missing variable', 'variable', {}, 'needs the variable HOOKWRIGHT_TEST_NOT_SET, which is not set'],
    ['a missing file', 'file', {}, 'needs the file deploy.json, which does not exist'],
    ['a file outside', 'outside', {}, 'which is not in the repository'],
    ['an ability nobody approved', 'untrusted', {}, 'which is not approved in its current version'],
    ['an input that is no JSON', 'anything', { f: () => 1 }, 'the input is not plain JSON'],
  ])('is refused for %s, and nothing is written', async (_what, id, input, reason) => {
    const root = repositoryWith();
    const schema: unknown = z.object({ path: z.string() });
    const tools = toolsWith({
      root,
      environment: { name: 'local' },
      abilities: [
        ability('strict', () => 1, { input: { type: 'object', required: ['path'] } }),
        ability('zod', () => 1, isStandardSchema(schema) ? { input: schema } : {}),
        ability('elsewhere', () => 1, { environments: ['production'] }),
        ability('variable', () => 1, { requires: { env: ['HOOKWRIGHT_TEST_NOT_SET'] } }),
        ability('file', () => 1, { requires: { files: ['deploy.json'] } }),
        ability('outside', () => 1, { requires: { files: ['../x'] } }),
        ability('untrusted', () => 1, { trusted: false }),
        ability('anything', () => 1),
      ],
    });
    const result = await tools.createTask(id, input);
    expect(result).toMatchObject({ created: false, preflight: { code: 'ABILITY_UNAVAILABLE' } });
    expect(JSON.stringify(result)).toContain(JSON.stringify(reason).slice(1, -1));
    expect(existsSync(join(root, '.system/tasks'))).toBe(false);
    // Run directly, it meets the same.
    expect(await tools.runAbility(id, input)).toMatchObject({ executed: false, code: 'ABILITY_UNAVAILABLE' });
  });

  test('too large to be kept is refused, and an outcome too large is kept as a summary', async () => {
    const large = 'x'.repeat(1_100_000);
    const tools = toolsWith({ root: repositoryWith(), abilities: [ability('large', () => large)] });
    expect(await tools.createTask('large', { large })).toMatchObject({
      created: false,
      preflight: { reason: expect.stringContaining('put it into a file') },
    });
    const { task_key } = untyped<{ task_key: string }>(await tools.createTask('large'));
    expect(await tools.runTask(task_key)).toMatchObject({ status: 'success', output: large });
    const found = untyped<{ task: object }>(await tools.tasks.find(task_key));
    expect(found.task).toMatchObject({ state: 'success', output_summary: expect.stringContaining('more characters') });
    expect(found.task).not.toHaveProperty('output');
  });

  test('tells abilities who calls as the program said, and nobody can change it', async () => {
    const callers: unknown[] = [];
    const tools = toolsWith({
      root: repositoryWith(),
      caller: { source: 'ci_pipeline', job_id: '17' },
      abilities: [
        ability('look', ({ caller, session_id }) => {
          callers.push({ ...caller, session_id });
          expect(() => Object.assign(caller, { source: 'manual_cli' })).toThrow();
        }),
      ],
    });
    await tools.runAbility('look', { caller: { source: 'manual_cli' } });
    await tools.as({ source: 'ai_session', session_id: 's' }).runAbility('look');
    expect(callers).toEqual([
      { source: 'ci_pipeline', job_id: '17', session_id: undefined },
      { source: 'ai_session', session_id: 's' },
    ]);
    expect(() => tools.as(untyped({ source: 'root' }))).toThrow('caller.source: expected one of ai_session');
    expect(() => new ToolRunner(untyped({ root: '.', abilities: [] }))).toThrow('caller.source');
  });
});

describe('a function', () => {
  const run = (how: (context: { signal: AbortSignal }) => unknown, timeoutMs = 5_000, signal?: AbortSignal) =>
    toolsWith({
      root: repositoryWith(),
      abilities: [ability('it', (_call, context) => how(context), { timeoutMs })],
    }).runAbility('it', undefined, { signal });

  test.each([
    ['nothing', () => undefined, { status: 'success' }],
    ['text', () => 'all well', { status: 'success', output: 'all well', output_summary: 'all well' }],
    ['an object', () => ({ lines: 3 }), { status: 'success', output: { lines: 3 }, output_summary: 'lines=3' }],
    ['an answer', () => ({ status: 'partial', output_summary: 'half' }), { status: 'partial', output_summary: 'half' }],
    ['a status that is none', () => ({ status: 'ok' }), { status: 'failure' }],
    ['what is no JSON', () => ({ output: 1n }), { status: 'failure' }],
    ['a throw', () => Promise.reject(new Error('no')), { status: 'failure', error_message: 'no' }],
  ])('that answers with %s', async (_what, how, expected) => {
    expect(await run(how)).toMatchObject({ executed: true, ...expected });
  });

  test('that never answers fails in time and hears of it', async () => {
    let told = false;
    const result = await run(
      ({ signal }) =>
        new Promise(() => {
          signal.onabort = () => {
            told = true;
          };
        }),
      50,
    );
    expect(result).toMatchObject({ status: 'failure', error_message: 'timeout: no answer within 50 ms' });
    expect(told).toBe(true);
  });

  test('that nobody waits for is cancelled', async () => {
    const result = await run(() => new Promise(() => {}), 5_000, AbortSignal.timeout(20));
    expect(result).toMatchObject({ status: 'failure', error_message: expect.stringContaining('cancelled') });
  });

  test('that nobody waits for any more before it begins is not begun, and its task can be run later', async () => {
    let runs = 0;
    const count = ability('count', () => {
      runs += 1;
    });
    const tools = toolsWith({ root: repositoryWith(), abilities: [count] });
    const { task_key } = untyped<{ task_key: string }>(await tools.createTask('count'));
    const signal = AbortSignal.abort();
    expect(await tools.runTask(task_key, { signal })).toMatchObject({ executed: false, code: 'cancelled' });
    expect(runs).toBe(0);
    expect(await tools.runTask(task_key)).toMatchObject({ executed: true });
  });
});

describe.skipIf(process.platform === 'win32')('a script', () => {
  const run = (script: string, more: object = {}) => {
    const root = repositoryWith({ 'bin/it.sh': `#!/bin/sh\n${script}\n` });
    const tools = toolsWith({
      root,
      limits: { stdoutBytes: 10_000, killGraceMs: 100 },
      abilities: [{ id: 'it', handler: { kind: 'script', command: './bin/it.sh' }, ...more }],
    });
    return tools.runAbility('it', { path: 'a.ts' });
  };

  test('reads the call as JSON and runs in the repository', async () => {
    const result = await run('printf \'{"output": {"dir": "%s", "call": %s}}\' "$PWD" "$(cat)"');
    expect(result).toMatchObject({
      status: 'success',
      output: {
        dir: expect.stringContaining('hookwright-abilities-'),
        call: { ability_id: 'it', input: { path: 'a.ts' }, caller: { source: 'manual_cli' } },
      },
    });
  });

  test.each([
    ['text', 'echo it is done', { status: 'success', output: 'it is done' }],
    ['noise around JSON', 'echo start; echo \'{"status": "partial"}\'', { status: 'partial' }],
    ['a code', 'echo sorry >&2; exit 3', { status: 'failure', error_message: 'sorry' }],
    ['a code without a word', 'exit 2', { status: 'failure', error_message: 'exited with code 2' }],
    ['a code and an answer', 'echo \'{"status":"partial","error_message":"half"}\'; exit 1', { status: 'partial' }],
    ['JSON that is cut off', 'echo \'{"status":\'', { status: 'failure' }],
    ['a signal', 'kill -9 $$', { error_message: expect.stringContaining('killed-by-signal') }],
    ['a command that is not there', 'exec ./nothing', { status: 'failure' }],
    ['a flood', 'yes', { error_message: expect.stringContaining('output-too-large') }],
  ])('that ends with %s', async (_what, script, expected) => {
    expect(await run(script)).toMatchObject({ executed: true, ...expected });
  });

  test('that hangs is ended in time', async () => {
    const startedAt = performance.now();
    const result = await run('sleep 30 & sleep 30', { timeoutMs: 200 });
    expect(result).toMatchObject({ status: 'failure', error_message: 'timeout: no answer within 200 ms' });
    expect(performance.now() - startedAt).toBeLessThan(atMost(1_500));
  });

  test('gets arguments one by one where they are given so', async () => {
    const handler = { kind: 'script', command: 'printf', args: ['%s', '$HOME; x'] } as const;
    expect(await run('', { handler })).toMatchObject({ output: '$HOME; x' });
  });
});

describe('an endpoint', () => {
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${untyped<AddressInfo>(server.address()).port}/`;
  };

  const post = async (listener: RequestListener, { timeoutMs = 5_000, ...more } = {}) => {
    const url = await serve(listener);
    return toolsWith({
      root: repositoryWith(),
      limits: { stdoutBytes: 10_000 },
      abilities: [{ id: 'it', timeoutMs, handler: { kind: 'http', url, ...more } }],
    }).runAbility('it', { path: 'a.ts' });
  };

  test('gets the call as a POST and answers with JSON', async () => {
    const result = await post(
      (request, response) => {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          const { method, headers } = request;
          response.end(JSON.stringify({ output: { method, key: headers['x-key'], call: JSON.parse(body) } }));
        });
      },
      untyped({ headers: { 'x-key': 'k' } }),
    );
    expect(result).toMatchObject({
      status: 'success',
      output: { method: 'POST', key: 'k', call: { ability_id: 'it', input: { path: 'a.ts' } } },
    });
  });

  test.each<[string, RequestListener, object]>([
    ['text', (_request, response) => response.end('all well'), { status: 'success', output: 'all well' }],
    ['nothing', (_request, response) => response.writeHead(204).end(), { status: 'success' }],
    ['an error', (_request, response) => response.writeHead(500).end('{"status":"success"}'), { status: 'failure' }],
    [
      'a hang-up',
      (request) => request.socket.destroy(),
      { status: 'failure', error_message: expect.stringContaining('http-error: ') },
    ],
    [
      'too much',
      (_request, response) => response.end('x'.repeat(50_000)),
      { error_message: 'http-error: the answer has more than 10000 bytes' },
    ],
    [
      'little that unfolds to too much',
      (_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5_000_000))),
      { error_message: 'http-error: the answer has more than 10000 bytes' },
    ],
  ])('that answers with %s', async (_what, listener, expected) => {
    expect(await post(listener)).toMatchObject({ executed: true, ...expected });
  });

  test('that redirects is not followed, and nobody else gets the call', async () => {
    let reached = 0;
    const elsewhere = await serve((_request, response) => {
      reached += 1;
      response.end('{}');
    });
    const result = await post((_request, response) => response.writeHead(307, { location: elsewhere }).end());
    expect(result).toMatchObject({ status: 'failure', error_message: expect.stringContaining('not followed') });
    expect(reached).toBe(0);
  });

  test.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['answers drop by drop', (_request, response) => void setInterval(() => response.write(' '), 20).unref()],
  ])('that %s fails in time', async (_what, listener) => {
    const startedAt = performance.now();
    expect(await post(listener, { timeoutMs: 200 })).toMatchObject({
      status: 'failure',
      error_message: 'timeout: no answer within 200 ms',
    });
    expect(performance.now() - startedAt).toBeLessThan(atMost(1_500));
  });

  test('P12 that is out of bounds is not connected to', async () => {
    let reached = 0;
    const url = await serve((_request, response) => {
      reached += 1;
      response.end('{}');
    });
    for (const there of [url.replace('127.0.0.1', '127.1'), url.replace('127.0.0.1', '[::ffff:7f00:1]')]) {
      const handler = { kind: 'http', url: there } as const;
      const tools = toolsWith({ root: repositoryWith(), abilities: [{ id: 'it', handler }] });
      expect(await tools.runAbility('it')).toMatchObject({
        status: 'failure',
        error_message: expect.stringContaining('blocked-address: '),
      });
    }
    expect(reached).toBe(0);
  });

  test('that nobody listens at fails', async () => {
    const url = await serve(() => {});
    const handler = { kind: 'http', url: url.replace(/:\d+/, ':1') } as const;
    const tools = toolsWith({ root: repositoryWith(), abilities: [{ id: 'it', handler }] });
    expect(await tools.runAbility('it')).toMatchObject({
      status: 'failure',
      error_message: expect.stringContaining('http-error: '),
    });
  });
});

test('what goes on is ended when the tools are disposed of, and nothing more can be run', async () => {
  const root = repositoryWith({ 'it.sh': '#!/bin/sh\necho $$ > pid; sleep 30\n' });
  const tools = toolsWith({ root, abilities: [{ id: 'it', handler: { kind: 'script', command: './it.sh' } }] });
  const running = tools.runAbility('it');
  await expect.poll(() => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8')).toMatch(/\d/);
  await tools.dispose();
  expect(await running).toMatchObject({ status: 'failure', error_message: expect.stringContaining('cancelled') });
  expect(await tools.runAbility('it')).toMatchObject({ executed: false, code: 'cancelled' });
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
