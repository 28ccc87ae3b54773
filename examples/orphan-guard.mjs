// What becomes of a running hook when its agent is killed, without the orphan guard and with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createHooks } from 'hookwright';

/** A hook that goes on for as long as it can write to a file. */
const command = 'while echo beat >> "$BEATS"; do sleep 0.1; done 2>/dev/null';

const agent = async (orphanGuard) => {
  const hooks = await createHooks({
    hooks: { BeforeTool: [{ hooks: [{ type: 'command', command }] }] },
    deps: { orphanGuard },
  });
  await hooks.beforeTool({ tool: 'rm', input: {} });
};

const killAgent = async (how) => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-orphan-'));
  const file = join(directory, 'beats');
  const env = { ...process.env, BEATS: file };
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), how], { env, stdio: 'inherit' });
  while (!existsSync(file)) await sleep(50);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await sleep(500);
  const { size } = statSync(file);
  await sleep(500);
  console.log(`${how}: the agent was killed, its hook ${statSync(file).size > size ? 'lives on' : 'is gone'}`);
  rmSync(directory, { recursive: true });
};

const [how] = process.argv.slice(2);
if (how !== undefined) {
  await agent(how === 'guarded');
} else {
  await killAgent('alone');
  await killAgent('guarded');
}
