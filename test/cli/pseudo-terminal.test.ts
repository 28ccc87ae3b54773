import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { measureWidth } from '../../src/cli/rendering/text.ts';
import { isRecord, parseJson } from '../../src/kit/index.ts';
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
  /** What is typed each time the text that is waited for is shown. */
  readonly types?: string;
  readonly variables?: Readonly<Record<string, string>>;
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

/** Its hook asks before each call; it prints what came of as many calls at once as its argument says. */
const asking = `
import { confirmInTerminal, createHooks, defineHook } from 'hookwright';
const [calls, timeoutMs, aheadMs, abortMs] = process.argv.slice(2).map(Number);
const asks = defineHook({ event: 'BeforeTool', name: 'asks', run: () => ({ decision: 'ask', reason: 'sure\\u001b[2J?' }) });
const hooks = await createHooks({ hooks: [asks], deps: { confirm: confirmInTerminal({ timeoutMs }) } });
if (aheadMs > 0) {
  console.log('not yet');
  await new Promise((resolve) => setTimeout(resolve, aheadMs));
}
const signal = abortMs > 0 ? AbortSignal.timeout(abortMs) : undefined;
const call = async (_, at) => {
  const input = { command: \`run \${at} \\u202e\` };
  const called = await hooks.callTool('sh\\u0007', input, () => 'ran', { signal }).catch((error) => ({ output: error.name }));
  return [called.output ?? called.blocked.reason, called.asked];
};
console.log('came of it: ' + JSON.stringify(await Promise.all(Array.from({ length: calls }, call))));
await hooks.close();
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
    { columns = 80, waitFor = '', presses = 0, types, program = 'hookwright', variables = {} }: Driving = {},
  ): Promise<Shown> => {
    const { COLUMNS: _, ...env } = stage.env;
    // The driver itself may be found through the PATH of this machine.
    const path = { PATH: `${env.PATH}:${process.env.PATH ?? ''}`, TERM: 'xterm' };
    const words = [driver, String(columns), waitFor, types ?? String(presses), program, ...args];
    return new Promise((resolve, reject) => {
      execFile('python3', words, { cwd: stage.cwd, env: { ...env, ...path, ...variables } }, (error, stdout) => {
        const read = parseJson(stdout);
        if (read.ok && isShown(read.value)) resolve(read.value);
        else reject(error ?? new Error(`the driver printed ${stdout}`));
      });
    });
  };

  const widest = (shown: string): number =>
    Math.max(...shown.split(/\r?\n/).map((line) => measureWidth(stripVTControlCharacters(line))));

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

  describe('R1551 confirmInTerminal', () => {
    const askIn = async (
      [calls = 1, timeoutMs = 5_000, aheadMs = 0, abortMs = 0]: readonly number[],
      driving: Driving,
    ): Promise<{ shown: string; came: unknown }> => {
      writeFileSync(join(stage.cwd, 'asking.mjs'), asking);
      const args = ['asking.mjs', calls, timeoutMs, aheadMs, abortMs].map(String);
      const { shown, code } = await inTerminal(args, { program: 'node', waitFor: '[y/N', ...driving });
      expect(code, 'the process ends by itself').toBe(0);
      return { shown, came: JSON.parse(/came of it: (.*)/.exec(shown)?.[1] ?? 'null') };
    };

    test('lets a call go on that the user approves, and shows no codes of hooks or tools', async () => {
      const { shown, came } = await askIn([], { types: 'y\n' });
      expect(came).toEqual([['ran', { reason: 'sure\u001b[2J?', answered: true, approved: true }]]);
      const question = shown.slice(0, shown.indexOf('came of it'));
      expect(question).toContain('A hook asks about sh\ufffd: sure\ufffd[2J?');
      expect(question).toContain('"command": "run 0 \\u202e"');
      for (const code of ['\u001b', '\u0007', '\u202e']) expect(question).not.toContain(code);
    });

    test.each(['n\n', '\n', 'yup\n', '\u0004'])('does not after %j', async (types) => {
      const { came } = await askIn([], { types });
      expect(came).toEqual([['not approved (sure\u001b[2J?)', expect.objectContaining({ approved: false })]]);
    });

    test('puts several questions one after the other', async () => {
      const { shown, came } = await askIn([3], { types: 'y\n' });
      expect(came).toEqual([0, 1, 2].map(() => ['ran', expect.objectContaining({ approved: true })]));
      expect(shown.match(/run \d .*\r?\n.*\r?\nLet it go on\? \[y\/N, 5 s\] y/g)?.length).toBe(3);
    });

    test('does not take for an answer what was typed before the question, and waits no longer than it says', async () => {
      const { shown, came } = await askIn([1, 300, 700], { types: 'y\n', waitFor: 'not yet' });
      expect(shown).toContain('No answer in time: not approved.');
      expect(came).toEqual([
        [expect.stringContaining('no answer came in time'), expect.objectContaining({ unanswered: 'timeout' })],
      ]);
    });

    test('ends with the call that asked', async () => {
      const { came } = await askIn([2, 60_000, 0, 500], {});
      expect(came).toEqual([0, 1].map(() => ['TimeoutError', null]));
    });

    test('refuses at once in a pipeline, and where no terminal is', async () => {
      const refused = [
        [
          expect.stringContaining('there is no terminal to ask at'),
          expect.objectContaining({ unanswered: 'no-terminal' }),
        ],
      ];
      const inPipeline = await askIn([1, 60_000], { variables: { CI: 'true' } });
      expect(inPipeline.came).toEqual(refused);
      expect(inPipeline.shown).not.toContain('[y/N');
      const { stdout } = spawnSync('node', ['asking.mjs', '1', '60000', '0', '0'], {
        cwd: stage.cwd,
        env: stage.env,
        encoding: 'utf8',
        input: 'y\n',
      });
      expect(JSON.parse(/came of it: (.*)/.exec(stdout)?.[1] ?? 'null')).toEqual(refused);
    });
  });

  test('help is as wide as the terminal, and no wider', async () => {
    const { shown } = await inTerminal(['explain', '--help'], { columns: 64 });
    expect(shown).toContain('Exit codes');
    // Commands are to be copied, and not broken.
    const prose = stripVTControlCharacters(shown).replace(/^.*\$ hookwright.*$/gm, '');
    expect(widest(prose)).toBeLessThanOrEqual(64);
  });
});
