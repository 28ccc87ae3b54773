import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/terminal/width.ts';
import { isRecord, parseJson } from '../../src/kit/json.ts';
import { createStage, type Stage } from './support/story.ts';

const hasPython = process.platform !== 'win32' && spawnSync('python3', ['--version']).status === 0;
const driver = join(import.meta.dirname, 'support/terminal.py');

const settings = {
  hooks: {
    BeforeTool: [
      { matcher: 'Bash', hooks: [{ name: 'a-hook-with-a-name-that-is-long-enough-to-be-cut', command: 'sleep 0.4' }] },
      { matcher: 'Slow', hooks: [{ name: 'slow', command: 'sleep 30' }] },
    ],
  },
};

interface Driving {
  readonly columns?: number;
  readonly waitFor?: string;
  readonly presses?: number;
  readonly program?: string;
}

interface Shown {
  readonly shown: string;
  readonly code: number;
}

/** Fires an event now and then, until its terminal is gone. */
const agent = `
import { createHooks } from 'hookwright';
const hooks = await createHooks();
setTimeout(() => process.exit(9), 15_000).unref();
setInterval(() => hooks.beforeTool({ tool: 'Bash', input: {} }), 20);
`;

const isShown = (value: unknown): value is Shown =>
  isRecord(value) && typeof value.shown === 'string' && typeof value.code === 'number';

describe.skipIf(!hasPython)(`in a pseudo-terminal${hasPython ? '' : ' (skipped: it takes python3)'}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await createStage([
      { path: '~/.hookwright/settings.json', isExecutable: false, text: JSON.stringify(settings) },
    ]);
  });
  afterEach(() => stage.remove());

  const inTerminal = (
    args: readonly string[],
    { columns = 80, waitFor = '', presses = 0, program = 'hookwright' }: Driving = {},
  ): Promise<Shown> => {
    const { COLUMNS: _, ...env } = stage.env;
    // The driver itself may be found through the PATH of this machine.
    const path = { PATH: `${env.PATH}:${process.env.PATH ?? ''}`, TERM: 'xterm' };
    const words = [driver, String(columns), waitFor, String(presses), program, ...args];
    return new Promise((resolve, reject) => {
      execFile('python3', words, { cwd: stage.cwd, env: { ...env, ...path } }, (error, stdout) => {
        const read = parseJson(stdout);
        if (read.ok && isShown(read.value)) resolve(read.value);
        else reject(error ?? new Error(`the driver printed ${stdout}`));
      });
    });
  };

  const widest = (shown: string): number =>
    Math.max(...shown.split(/\r?\n/).map((line) => widthOf(stripVTControlCharacters(line))));

  test('a table has colours, fits the terminal, and uses more columns where there are more', async () => {
    const narrow = await inTerminal(['list']);
    expect(narrow.shown).toContain('\u001b[32mready');
    expect(narrow.shown).toContain('…');
    expect(widest(narrow.shown)).toBeLessThanOrEqual(80);
    const wide = await inTerminal(['list'], { columns: 160 });
    expect(wide.shown).not.toContain('…');
    expect(widest(wide.shown)).toBeGreaterThan(80);
  });

  test('below 60 columns each row of a table is a few lines', async () => {
    const { shown } = await inTerminal(['list'], { columns: 40 });
    expect(shown).toMatch(/matcher.*Bash/);
    expect(widest(shown)).toBeLessThanOrEqual(40);
  });

  test('long work shows progress, which is gone when the answer comes', async () => {
    const { shown, code } = await inTerminal(['run', 'BeforeTool', '--tool', 'Bash']);
    expect(shown).toContain('hooks are running');
    expect(shown).toContain('\r\u001b[2K');
    expect(shown.indexOf('hooks are running')).toBeLessThan(shown.indexOf('1 hook ran'));
    expect(code).toBe(0);
  });

  test('Ctrl-C ends a hook that runs, shows what was done so far, and ends with 130', async () => {
    const { shown, code } = await inTerminal(['run', 'BeforeTool', '--tool', 'Slow'], {
      waitFor: 'hooks are running',
      presses: 1,
    });
    expect(stripVTControlCharacters(shown)).toContain('cancelled');
    expect(stripVTControlCharacters(shown)).toContain('slow');
    expect(code).toBe(130);
  });

  test.each([
    ['why --follow', 'message'],
    ['record --file seen.jsonl', 'recorded'],
  ])('Ctrl-C ends %s with what was seen so far, and with 0', async (command, summary) => {
    writeFileSync(join(stage.cwd, 'agent.mjs'), agent);
    const ready = 'until ls $XDG_RUNTIME_DIR/hookwright/*.sock > /dev/null 2>&1; do sleep 0.05; done';
    const line = `HOOKWRIGHT_TAP=1 node agent.mjs & ${ready}; exec hookwright ${command}`;
    const { shown, code } = await inTerminal(['-c', line], { program: 'bash', waitFor: 'Ctrl-C ends it', presses: 1 });
    expect(stripVTControlCharacters(shown)).toMatch(new RegExp(`${summary}.*\\d+|\\d+ ${summary}`));
    expect(code).toBe(0);
  });

  test('R683 disable --all switches hooks off where a person sits, and nowhere else', async () => {
    const file = join(stage.home, '.hookwright/off.json');
    const alone = spawnSync('hookwright', ['disable', '--all', '--for', '10m'], { cwd: stage.cwd, env: stage.env });
    expect(alone.status).toBe(1);
    expect(existsSync(file)).toBe(false);
    const { shown, code } = await inTerminal(['disable', '--all', '--for', '10m']);
    expect(stripVTControlCharacters(shown)).toMatch(
      /^hooks are off until \d{4}-\d\d-\d\d \d\d:\d\d; hookwright enable --all /,
    );
    expect(code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await inTerminal(['list'])).shown).toContain('hooks-disabled');
  });

  test('R1630 hookwright alone shows what is here, and the three next commands', async () => {
    const project = join(stage.cwd, '.hookwright');
    mkdirSync(project);
    const hook = { name: 'guard', command: 'exit 3', onFault: 'deny' };
    writeFileSync(join(project, 'settings.json'), JSON.stringify({ hooks: { BeforeTool: [{ hooks: [hook] }] } }));
    const before = await inTerminal([]);
    const text = stripVTControlCharacters(before.shown);
    expect(text).toContain('3 hooks, 1 waits for approval');
    expect(text).toMatch(/\.hookwright\/settings\.json: 1 hook\b/);
    expect(text).toMatch(/guards +1, none with a canary/);
    expect(text.match(/\$ hookwright \w+/g)).toEqual([
      '$ hookwright trust',
      '$ hookwright explain',
      '$ hookwright test',
    ]);
    await inTerminal(['trust', '--yes']);
    await inTerminal(['run', 'BeforeTool', '--tool', 'Other', '--record']);
    const { shown, code } = await inTerminal([]);
    expect(stripVTControlCharacters(shown)).toMatch(/last problem +BeforeTool Other: deny/);
    expect(shown).toContain('hookwright why');
    expect(code).toBe(0);
  });

  test('help is as wide as the terminal, and no wider', async () => {
    const { shown } = await inTerminal(['explain', '--help'], { columns: 64 });
    expect(shown).toContain('Exit codes');
    // Commands are to be copied, and not broken.
    const prose = stripVTControlCharacters(shown).replace(/^.*\$ hookwright.*$/gm, '');
    expect(widest(prose)).toBeLessThanOrEqual(64);
  });
});
