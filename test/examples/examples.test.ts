import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { messageSchemas } from '../../src/protocol/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage, runNode } from './support.ts';

const named = (ending: string): string[] =>
  ['', 'adapters/'].flatMap((folder) =>
    readdirSync(`examples/${folder}`)
      .filter((file) => file.endsWith(ending))
      .map((file) => `${folder}${file.slice(0, -ending.length)}`),
  );

/** All but the demo, which has a test of its own. */
const examples = named('.mjs').filter((name) => name !== 'demo');

beforeAll(buildPackage, 60_000);

describe.skipIf(process.platform === 'win32')('examples', () => {
  test('every example has its expected output, and every expected output its example', () => {
    expect(named('.expected.txt')).toEqual(named('.mjs'));
  });

  test.each(examples)('examples/%s.mjs prints what the file beside it says, and ends by itself', async (name) => {
    const { code, stdout, stderr } = await runNode(`examples/${name}.mjs`);
    expect(stderr).toBe('');
    expect(stdout).toBe(readFileSync(`examples/${name}.expected.txt`, 'utf8'));
    expect(code).toBe(0);
  });
});

test.skipIf(process.platform === 'win32')(
  'R1686 the working agent of docs/embedding.md prints what the page shows, and its hook refuses',
  async () => {
    const [, shown = ''] =
      /node agent\.mjs\n(model calls .*?)^```$/ms.exec(readFileSync('docs/embedding.md', 'utf8')) ?? [];
    const home = temporaryFolder('agent');
    cpSync('examples/agent/home', home, { recursive: true });
    const { stdout, stderr } = await runNode('examples/agent/agent.mjs', {
      env: { HOME: home },
    });
    expect(stderr).toBe('');
    expect(stripVTControlCharacters(stdout)).toBe(shown);
    expect(shown).toContain('model reads Not run');
  },
);

test('what the agent of the UI example says is what messages look like', async () => {
  const said: { type: keyof ReturnType<typeof messageSchemas> }[] = [];
  const { playAgent } = await import(pathToFileURL(resolve('examples/ui/recorded-agent.mjs')).href);
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  port1.on('message', (json) => said.push(JSON.parse(json)));
  playAgent(port2);
  for (const source of ['startup', 'by accident']) {
    const request = { type: 'hook-execution-request', correlationId: source, eventName: 'SessionStart' };
    port1.postMessage(JSON.stringify({ ...request, payload: { source } }));
  }
  await expect.poll(() => said.length).toBe(7);
  for (const message of said) expect(messageSchemas()[message.type].parse(message)).toEqual(message);
});
