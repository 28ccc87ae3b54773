import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createStage } from '../cli/support/story.ts';
import { freePort, hasNatsServer, withNats } from '../support/nats-server.ts';

/** The blocks of the page, as somebody pastes them. */
const blocks = [...readFileSync('docs/nats.md', 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);

/** A terminal with all that runs in it. */
const end = (pid: number | undefined, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
};

describe.skipIf(!hasNatsServer)(withNats('docs/nats.md'), () => {
  test('its three terminals do what it says, pasted line by line', async () => {
    const stage = await createStage();
    onTestFinished(() => stage.remove());
    const port = String(await freePort());
    const terminals: ChildProcess[] = [];
    onTestFinished(() => {
      for (const { pid } of terminals) end(pid, 'SIGKILL');
    });
    const open = (lines: string) => {
      const env = { ...stage.env, PATH: `${stage.env.PATH}:/usr/sbin:/usr/local/bin` };
      const terminal = spawn('bash', [], { cwd: stage.cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
      terminals.push(terminal);
      let said = '';
      const hear = (text: string): void => {
        said += text;
      };
      for (const stream of [terminal.stdout, terminal.stderr]) stream.setEncoding('utf8').on('data', hear);
      terminal.stdin.write(lines.replaceAll('4222', port));
      const says = (text: string) => vi.waitFor(() => expect(said).toContain(text), { timeout: 15_000, interval: 50 });
      return { terminal, says, said: () => said };
    };
    const [broker = '', host = '', agent = ''] = blocks;
    expect(blocks).toHaveLength(3);
    await open(broker).says('Server is ready');
    const serving = open(host);
    await serving.says('serving 1 hook on');
    const asking = open(agent);
    await asking.says('ran ls\nnot run: no rm for /home/me/project\n');
    serving.terminal.stdin?.end();
    end(serving.terminal.pid, 'SIGTERM');
    // Two calls, and what came of the one that ran.
    await serving.says('3 requests answered');
    asking.terminal.stdin?.write('node agent.mjs\n');
    await asking.says('not run: Hook "team": the team was not heard: no hook host listens on the broker');
  }, 60_000);
});
