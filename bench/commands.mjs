// Command hooks beside the same processes started by hand.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { createHooks } from 'hookwright';
import { hookInput, payloads } from './payloads.mjs';

const script = fileURLToPath(new URL('fixtures/allow.sh', import.meta.url));

/** A line no shell needs to read. */
export const plainLine = `sh "${script}"`;

/** A line only a shell can read. It starts no program of its own, so that the shell is all there is to measure. */
export const shellLine = `read -r input; [ -n "$input" ] && printf '{"decision":"%s"}' allow`;

export const expectAllowed = ({ decision }) => {
  if (decision !== 'allow') throw new Error(`expected a hook that allows, got ${decision}`);
};

const engineWith = async (count, command, { sequential = false, deps } = {}) => {
  const hooks = Array.from({ length: count }, (_, index) => ({ type: 'command', name: `hook-${index}`, command }));
  const { system } = await createHooks({ hooks: { BeforeTool: [{ sequential, hooks }] }, deps });
  return system.getEventHandler();
};

/** Fires one event for `count` command hooks and makes sure that each of them answered. */
export const ours = async (count, command, options) => {
  const handler = await engineWith(count, command, options);
  return async () => {
    const { success, allOutputs, errors } = await handler.fire('BeforeTool', payloads[0]);
    if (!success || allOutputs.length !== count) {
      throw new Error(`${allOutputs.length} of ${count} hooks answered: ${errors.map(String)}`);
    }
    for (const output of allOutputs) expectAllowed(output);
  };
};

/**
 * The environment of a hook: its size is part of the cost of a start. In a process that no shell started, `SHLVL` is missing or 0,
 * and then a bash whose stdin is a socket, as Node's pipes are, reads ~/.bashrc: that would measure the user's files.
 */
export const environment = { ...process.env, SHLVL: '1', HOOKWRIGHT_RUN: crypto.randomUUID() };
for (const prefix of ['GEMINI', 'CLAUDE', 'HOOKWRIGHT']) {
  for (const name of ['PROJECT_DIR', 'CWD', 'SESSION_ID']) environment[`${prefix}_${name}`] = process.cwd();
}

/**
 * Starts a process, writes the input, reads the answer: what nobody can do without. Detached, as ours are, because only
 * a process group can be ended as a whole. It costs nothing by itself, but on a busy machine Linux may let a process of
 * a new session wait a few milliseconds longer than one of ours, whoever starts it.
 */
const startByHand = (file, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { env: environment, detached: process.platform !== 'win32' });
    let answer = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      answer += text;
    });
    child.stderr.resume();
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', () => resolve(JSON.parse(answer)));
    child.stdin.end(JSON.stringify(hookInput));
  });

export const startPlainly = async () => expectAllowed(await startByHand('sh', [script]));

export const startInShell = async () =>
  expectAllowed(await startByHand('bash', ['--norc', '--noprofile', '-c', shellLine]));

/** As many at once as the engine lets run. */
export const byHand = (count, atOnce = Math.min(16, 4 * availableParallelism())) => {
  return async () => {
    let left = count;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        await startPlainly();
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
  };
};
