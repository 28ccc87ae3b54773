// B15: what does the command line cost over a Node that does nothing?
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addedRow, ratioRow } from './support.mjs';

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const ROUNDS = 25;
/** `node -e 0` where the budgets were set. */
const bareInDocument = 47;

const settings = {
  hooks: {
    BeforeTool: [
      { matcher: 'Bash', hooks: [{ name: 'no-rm', command: './no-rm.sh' }] },
      { matcher: '^(Edit|Write)$', hooks: [{ name: 'format', command: 'npx biome check' }] },
    ],
    SessionStart: [{ hooks: [{ name: 'hello', command: 'echo hello' }] }],
  },
};

/** What an agent sends to a line of its settings for which there are no hooks here. */
const asked = { hook_event_name: 'Notification', session_id: 'bench', message: 'done' };

/** How long a process takes from its start to its end. Findings are no failure here. */
const wallTime = (args, options) =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const child = execFile(process.execPath, args, options, (error) => {
      if (error !== null && error.code !== 1) reject(error);
      else resolve(performance.now() - started);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(asked));
  });

const alternately = async (variants, options) => {
  const names = Object.keys(variants);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  // The first round fills the caches of the disk, and of Node where it has one for compiled code.
  for (const name of names) await wallTime(variants[name], options);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) times[name].push(await wallTime(variants[name], options));
    names.push(names.shift());
  }
  return times;
};

export const measure = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-bench-'));
  try {
    mkdirSync(join(directory, '.hookwright'));
    // Of a user who has hooks: without this folder, compiled code is not kept.
    mkdirSync(join(directory, 'home', '.hookwright'), { recursive: true });
    writeFileSync(join(directory, '.hookwright', 'settings.json'), JSON.stringify(settings));
    const env = { ...process.env, HOME: join(directory, 'home') };
    const times = await alternately(
      {
        bare: ['-e', '0'],
        help: [cli, '--help'],
        explain: [cli, 'explain', 'BeforeTool', '--tool', 'Bash'],
        asHook: [cli, 'run', 'Notification', '--as-hook', '--agent', 'claude-code'],
      },
      { cwd: directory, env },
    );
    const row = (what, ours, budget) =>
      addedRow({ id: 'B15', what, ours, without: times.bare, bare: times.bare, bareInDocument, unit: 'ms', budget });
    return [
      row('hookwright --help', times.help, 40),
      row('hookwright explain', times.explain, 85),
      ratioRow({
        id: 'B15',
        what: 'hookwright run --as-hook, no hooks',
        ours: times.asHook,
        bare: times.bare,
        budget: 2.2,
      }),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};
