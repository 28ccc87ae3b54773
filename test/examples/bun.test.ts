// What works in an agent that runs in Bun as it does in Node.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { attempt } from '../../src/kit/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage, runNode } from './support.ts';

const bun = attempt(() => execFileSync('bun', ['--version'], { encoding: 'utf8' }).trim());

const examples = [
  'embed',
  'function-hook',
  'custom-executor',
  'load-config',
  'trust',
  'orphan-guard',
  'record-and-replay',
];

beforeAll(buildPackage, 60_000);

describe.skipIf(bun === undefined)(`R2093 in Bun${bun === undefined ? ' (skipped: no bun on PATH)' : ''}`, () => {
  test.each(examples)('examples/%s.mjs prints what it prints in Node', async (name) => {
    const { code, stdout, stderr } = await runNode(`examples/${name}.mjs`, { program: 'bun' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(`examples/${name}.expected.txt`, 'utf8'));
  });

  test('a host of any size runs commands, workers and requests to an endpoint', async () => {
    const folder = temporaryFolder('bun');
    const worker = join(folder, 'worker.mjs');
    writeFileSync(worker, "export default () => ({ decision: 'deny', reason: 'worker' });");
    const agent = join(folder, 'agent.mjs');
    writeFileSync(
      agent,
      `import { createServer } from 'node:http';
       import { createHooks } from ${JSON.stringify(pathToFileURL(resolve('dist/index.js')).href)};
       const server = createServer((_request, response) => response.end('{"decision":"deny","reason":"endpoint"}'));
       await new Promise((done) => server.listen(0, '127.0.0.1', done));
       const group = (matcher, hook) => ({ matcher, hooks: [hook] });
       const hooks = await createHooks({
         hooks: { BeforeTool: [
           group('Command', { type: 'command', command: 'echo command >&2; exit 2' }),
           group('Worker', { type: 'worker', command: ${JSON.stringify(worker)} }),
           group('Endpoint', { type: 'http', url: \`http://127.0.0.1:\${server.address().port}/\` }),
         ] },
         deps: { limits: { largeHostBytes: 1 } },
       });
       for (const tool of ['Command', 'Command', 'Command', 'Worker', 'Endpoint']) {
         console.log((await hooks.beforeTool({ tool, input: {} })).reason);
         await new Promise((resolve) => setTimeout(resolve, 100));
       }
       await hooks.close();
       server.close();`,
    );
    const { code, stdout, stderr } = await runNode(agent, { program: 'bun' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toEqual(['command', 'command', 'command', 'worker', 'endpoint']);
  });
});
