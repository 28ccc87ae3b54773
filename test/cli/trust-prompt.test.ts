import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRecord, parseJson } from '../../src/kit/index.ts';
import { createStage, type Stage } from './support/story.ts';

const hasPython = process.platform !== 'win32' && spawnSync('python3', ['--version']).status === 0;
const driver = join(import.meta.dirname, 'support/answer.py');
/** Each command starts Python and our command line, which takes seconds beside ten busy processes. */
const BUSY_MACHINE_MS = 180_000;
const clearScreen = '\u001b[2J';

const settings = {
  hooks: {
    AfterTool: [
      { hooks: [{ name: 'first', command: 'true' }] },
      { hooks: [{ name: 'second', command: `true ${clearScreen}` }] },
      { hooks: [{ name: 'third', command: 'true' }] },
    ],
  },
};

type Answers = readonly (readonly [waitFor: string, type: string])[];

interface Shown {
  readonly shown: string;
  readonly code: number;
}

const isShown = (value: unknown): value is Shown =>
  isRecord(value) && typeof value.shown === 'string' && typeof value.code === 'number';

describe.skipIf(!hasPython)(`asked on a terminal${hasPython ? '' : ' (skipped: it takes python3)'}`, () => {
  let stage: Stage;
  beforeEach(async () => {
    const text = JSON.stringify(settings);
    stage = await createStage([{ path: '.hookwright/settings.json', isExecutable: false, text }]);
  });
  afterEach(() => stage.remove());

  const answer = (answers: Answers, args: readonly string[] = []): Promise<Shown> => ask(answers, ['trust', ...args]);

  const ask = (answers: Answers, args: readonly string[]): Promise<Shown> => {
    const env = { ...stage.env, PATH: `${stage.env.PATH}:${process.env.PATH ?? ''}`, TERM: 'xterm' };
    const words = [driver, JSON.stringify(answers), 'hookwright', ...args];
    return new Promise((resolve, reject) => {
      execFile('python3', words, { cwd: stage.cwd, env, timeout: 55_000 }, (error, stdout) => {
        const read = parseJson(stdout);
        if (read.ok && isShown(read.value)) resolve(read.value);
        else reject(error ?? new Error(`the driver printed ${stdout}`));
      });
    });
  };

  const approved = (): string[] => {
    try {
      const store = readFileSync(join(stage.home, '.hookwright', 'trust.json'), 'utf8');
      return [...store.matchAll(/"hookId": "project\/AfterTool\/(\w+)"/g)].map(([, name = '']) => name);
    } catch {
      return [];
    }
  };

  test('each hook is shown and asked about, and only what was said yes to is approved', {
    timeout: BUSY_MACHINE_MS,
  }, async () => {
    const { shown, code } = await answer([
      ['uit:', 'y\n'],
      ['uit:', '\n'],
      ['uit:', 'nonsense\n'],
      ['uit:', 'YES\n'],
    ]);
    expect(stripVTControlCharacters(shown)).toContain('approved: first, third');
    expect(stripVTControlCharacters(shown)).toContain('not approved: second');
    expect(approved().sort()).toEqual(['first', 'third']);
    expect(code).toBe(1);
    expect((await answer([['uit:', 'y\n']])).code).toBe(0);
    expect(approved().sort()).toEqual(['first', 'second', 'third']);
  });

  test('[a]ll approves this one and all that come, [q]uit ends the questions', {
    timeout: BUSY_MACHINE_MS,
  }, async () => {
    const left = await answer([
      ['uit:', 'y\n'],
      ['uit:', 'q\n'],
    ]);
    expect(approved()).toEqual(['first']);
    expect(left.code).toBe(1);
    const unsure = await answer([
      ['uit:', 'a\n'],
      ['of them:', 'n\n'],
    ]);
    expect(approved()).toEqual(['first']);
    // What [a]ll means is shown before it is asked about.
    const shown = stripVTControlCharacters(unsure.shown);
    expect(shown.indexOf('new third')).toBeLessThan(shown.indexOf('approve these 2?'));
    expect(shown).toContain('new third');
    const all = await answer([
      ['uit:', 'a\n'],
      ['of them:', 'y\n'],
    ]);
    expect(approved().sort()).toEqual(['first', 'second', 'third']);
    expect(all.code).toBe(0);
  });

  test('R817 [v] shows the whole: the entry and every line of its script; a changed one is shown beside what it was', {
    timeout: BUSY_MACHINE_MS,
  }, async () => {
    stage.remove();
    const settings = { hooks: { AfterTool: [{ hooks: [{ name: 'one', command: './one.sh', timeout: 77 }] }] } };
    stage = await createStage([
      { path: '.hookwright/settings.json', isExecutable: false, text: JSON.stringify(settings) },
      { path: 'one.sh', isExecutable: true, text: `#!/bin/sh\necho first${clearScreen}\necho last\n` },
    ]);
    const whole = await answer([
      ['uit:', 'v\n'],
      ['uit:', 'y\n'],
    ]);
    const text = stripVTControlCharacters(whole.shown);
    expect(whole.shown).not.toContain(clearScreen);
    expect(text).toContain('"timeout": 77');
    expect(text).toMatch(/1 │ #!\/bin\/sh\s+2 │ echo first\ufffd\[2J\s+3 │ echo last/);
    expect(approved()).toEqual(['one']);
    writeFileSync(join(stage.cwd, 'one.sh'), '#!/bin/sh\necho stolen\necho last\n');
    const changed = stripVTControlCharacters((await answer([['uit:', 'n\n']])).shown);
    expect(changed).toMatch(/- echo first\ufffd\[2J\s+\+ echo stolen\s+echo last/);
  });

  test('the end of the input leaves the rest unapproved; Ctrl-C approves nothing at all', {
    timeout: BUSY_MACHINE_MS,
  }, async () => {
    const interrupted = await answer([
      ['uit:', 'y\n'],
      ['uit:', '\u0003'],
    ]);
    expect(interrupted.code).toBe(130);
    expect(approved()).toEqual([]);
    const ended = await answer([
      ['uit:', 'y\n'],
      ['uit:', '\u0004'],
    ]);
    expect(ended.code).toBe(1);
    expect(approved()).toEqual(['first']);
  });

  test('where a hook requires a human, the one at the terminal is asked', { timeout: BUSY_MACHINE_MS }, async () => {
    const script = { isExecutable: false };
    const guard =
      'echo \'{"hook_signals": [{"kind": "ability_guard", "code": "ABILITY_REQUIRES_HUMAN", "payload": {"reason": "careful"}}]}\'';
    stage.remove();
    stage = await createStage([
      { ...script, path: '.system/abilities/a.yaml', text: 'id: it\nhandler: { kind: script, command: echo done }\n' },
      {
        ...script,
        path: '.system/hooks/guard.yaml',
        text: `id: guard\nevent_type: PreAbilityCall\nenabled: true\nblocking: true\nhandler:\n  kind: script\n  command: >-\n    ${guard}\n`,
      },
    ]);
    const words = ['ability', 'run', 'it', '--trust-project'];
    const refused = await ask([['[N]o:', '\n']], words);
    expect(refused.code).toBe(1);
    expect(refused.shown).toContain('careful');
    const done = await ask([['[N]o:', 'y\n']], words);
    expect(stripVTControlCharacters(done.shown)).toContain('it: success');
    expect(done.code).toBe(0);
  });

  test('an undo that would delete files asks first, and a no leaves all of them', {
    timeout: BUSY_MACHINE_MS,
  }, async () => {
    await ask([], ['new', 'mine']);
    const script = join(stage.cwd, '.hookwright', 'hooks', 'mine.mjs');
    const refused = await ask([['[N]o:', '\n']], ['undo']);
    expect(stripVTControlCharacters(refused.shown)).toContain('.hookwright/hooks/mine.mjs');
    expect(refused.code).toBe(1);
    expect(existsSync(script)).toBe(true);
    const done = await ask([['[N]o:', 'y\n']], ['undo']);
    expect(done.code).toBe(0);
    expect(existsSync(script)).toBe(false);
  });

  test('nothing of a file acts on the terminal', { timeout: BUSY_MACHINE_MS }, async () => {
    const { shown } = await answer([], ['second', '--dry-run']);
    expect(shown).not.toContain(clearScreen);
    expect(shown).toContain('\\u001b[2J');
  });
});
