import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createStage } from '../cli/support/story.ts';
import { freePort, hasNatsServer, startNatsServer, withNats } from '../support/nats-server.ts';

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

/** A directory of a project in which hookwright was installed, and nowhere else. */
const installIn = (directory: string): void => {
  writeFileSync(join(directory, 'package.json'), '{"name":"project","private":true}');
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(resolve('.'), join(modules, 'hookwright'));
  symlinkSync(resolve('dist/cli.js'), join(modules, '.bin', 'hookwright'));
};

describe.skipIf(!hasNatsServer)(withNats('docs/nats.md'), () => {
  test('its three terminals do what it says, pasted line by line', async () => {
    const stage = await createStage();
    onTestFinished(() => stage.remove());
    installIn(stage.cwd);
    const port = String(await freePort());
    const terminals: ChildProcess[] = [];
    onTestFinished(() => {
      for (const { pid } of terminals) end(pid, 'SIGKILL');
    });
    const open = (lines: string) => {
      const PATH = [dirname(process.execPath), '/usr/bin', '/bin', '/usr/sbin', '/usr/local/bin'].join(':');
      const env = { ...stage.env, PATH };
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

/** How a service is started: the words behind `hookwright`, and what the words before it are. */
const started = {
  'hookwright-serve.service': (text: string) => /^ExecStart=(.*)$/m.exec(text)?.[1]?.split(' ') ?? [],
  'compose.yaml': (text: string) =>
    [...(/^ +command: \[('node'.*)\]$/m.exec(text)?.[1]?.matchAll(/'([^']*)'/g) ?? [])].map(([, word = '']) => word),
} as const;

describe.skipIf(!hasNatsServer)(withNats('examples/nats'), () => {
  test.each([
    ['hookwright-serve.service', ['/srv/guards/node_modules/.bin/hookwright']],
    ['compose.yaml', ['node', 'node_modules/.bin/hookwright']],
  ] as const)(
    'R902 %s starts hookwright itself, which reads again at SIGHUP and drains at SIGTERM',
    async (file, program) => {
      const stage = await createStage();
      onTestFinished(() => stage.remove());
      const words = started[file](readFileSync(`examples/nats/${file}`, 'utf8'));
      // Whoever else is started in its place gets the signals instead.
      expect(words.slice(0, program.length)).toEqual(program);
      mkdirSync(join(stage.home, '.hookwright'));
      const write = (command: string): void =>
        writeFileSync(
          join(stage.home, '.hookwright', 'settings.json'),
          JSON.stringify({ hooks: { BeforeTool: [{ hooks: [{ command }] }] } }),
        );
      write('true');
      const broker = await startNatsServer();
      onTestFinished(() => broker.stop());
      const own = words.slice(program.length).map((word) => word.replace('nats://broker:4222', broker.url));
      const host = spawn(process.execPath, ['dist/cli.js', ...own, '--cwd', stage.cwd], {
        env: { ...stage.env, NATS_URL: broker.url },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void host.kill('SIGKILL'));
      let said = '';
      host.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      const says = (state: string) =>
        vi.waitFor(() => expect(said).toContain(state), { timeout: 15_000, interval: 20 });
      await says('"state":"ready"');
      write('false');
      host.kill('SIGHUP');
      await says('"state":"reloaded"');
      const ended = once(host, 'exit');
      host.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(said).toContain('"state":"draining"');
    },
  );
});
