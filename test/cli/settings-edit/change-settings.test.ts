import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SettingsFileChange, UndoLog } from '../../../src/cli/settings-edit/change-file.ts';
import { changeSettings, undoChange } from '../../../src/cli/settings-edit/change-settings.ts';
import { appendToList, removeFromList } from '../../../src/cli/settings-edit/edit-text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { settingsDocument } from '../support/settings-document.ts';

const DISABLED = ['hooksConfig', 'disabled'] as const;

let directory = '';
let home = '';
let path = '';

beforeEach(() => {
  directory = temporaryFolder('edit');
  home = join(directory, 'home');
  mkdirSync(home, { mode: 0o700 });
  path = join(directory, 'settings.json');
});

const disable = (name: string, dryRun = false, file = { path }): Promise<SettingsFileChange> =>
  changeSettings(
    file,
    { home, dryRun },
    {
      verb: 'disable',
      name,
      opposite: 'enable',
      edit: (text) => appendToList(text, DISABLED, name),
    },
  );
const enable = (name: string): Promise<SettingsFileChange> =>
  changeSettings(
    { path },
    { home, dryRun: false },
    {
      verb: 'enable',
      name,
      opposite: 'disable',
      edit: (text) => removeFromList(text, DISABLED, name),
    },
  );
const undo = (): Promise<SettingsFileChange> => undoChange({ path }, { home, dryRun: false });
const text = (): string => readFileSync(path, 'utf8');

test('R558 a change that undo could not take back is not made', async () => {
  writeFileSync(path, '{}');
  await disable('format');
  const [log = ''] = readdirSync(join(home, '.hookwright/undo'));
  const logged = join(home, '.hookwright/undo', log);
  rmSync(logged);
  mkdirSync(logged);
  const before = text();
  expect(await disable('lint')).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('Nothing is written') },
  });
  expect(text()).toBe(before);
});

test.skipIf(process.getuid?.() !== 0)('R2057 a file that root changes keeps its owner and its mode', async () => {
  writeFileSync(path, '{}', { mode: 0o600 });
  chownSync(path, 12_345, 54_321);
  await disable('format');
  expect(text()).toContain('format');
  const { uid, gid, mode } = statSync(path);
  expect([uid, gid, mode & 0o777]).toEqual([12_345, 54_321, 0o600]);
});

describe('taking a change back', () => {
  test.each([
    ['disable and then enable', enable],
    ['disable and then undo', undo],
  ])('%s gives the very bytes of before, whatever the file looks like', { timeout: 60_000 }, async (_title, back) => {
    await fc.assert(
      fc.asyncProperty(settingsDocument, fc.string(), fc.boolean(), async (before, name, hasMark) => {
        const bytes = hasMark ? `\ufeff${before}` : before;
        writeFileSync(path, bytes);
        expect(await disable(name)).toMatchObject({ ok: true });
        expect(text()).not.toBe(bytes);
        expect(await back(name)).toMatchObject({ ok: true });
        expect(text()).toBe(bytes);
      }),
      { numRuns: 60 },
    );
  });

  test('goes back step by step, and ends with a file that is gone when there was none', async () => {
    await disable('a');
    const first = text();
    await disable('b');
    await undo();
    expect(text()).toBe(first);
    await undo();
    expect(readdirSync(directory)).toEqual(['home']);
    expect(await undo()).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('no record of a change') },
    });
  });

  test('takes back an enable that took back a disable, and never what was done before the two', async () => {
    writeFileSync(path, '{}\n');
    await disable('first');
    const first = text();
    await disable('a');
    const both = text();
    await enable('a');
    expect(text()).toBe(first);
    await undo();
    expect(text()).toBe(both);
    await undo();
    expect(text()).toBe(first);
  });

  test('brings a file back that went away with the change that made it', async () => {
    await disable('a');
    const made = text();
    await enable('a');
    expect(readdirSync(directory)).toEqual(['home']);
    await undo();
    expect(text()).toBe(made);
    await undo();
    expect(readdirSync(directory)).toEqual(['home']);
  });

  test('takes back the change that was meant, and no other that came in between', async () => {
    await disable('a');
    const meant = await new UndoLog(home).changesOf(realpathSync(path));
    await disable('b');
    const both = text();
    expect(await undoChange({ path }, { home, dryRun: false }, meant.at(-1))).toMatchObject({
      ok: false,
      problem: { message: 'disable b happened since; nothing was changed' },
    });
    expect(text()).toBe(both);
  });

  test('is refused when somebody else changed the file since', async () => {
    await disable('a');
    writeFileSync(path, `${text()}\n`);
    expect(await undo()).toMatchObject({ ok: false, problem: { message: expect.stringContaining('disable a') } });
    expect(text()).toContain('"a"');
  });

  test('enable after a change by somebody else takes the name out and leaves the rest', async () => {
    writeFileSync(path, '{}\n');
    await disable('a');
    writeFileSync(path, `// mine\n${text()}`);
    await enable('a');
    expect(text()).toBe('// mine\n{\n  "hooksConfig": {\n    "disabled": []\n  }\n}\n');
  });
});

describe('writing', () => {
  test('keeps the mode of the file and the links that lead to it, and leaves nothing beside it', async () => {
    const real = join(directory, 'real.json');
    writeFileSync(real, '{}');
    chmodSync(real, 0o640);
    symlinkSync(real, path);
    await disable('a');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(directory).sort()).toEqual(['home', 'real.json', 'settings.json']);
    await undo();
    expect(text()).toBe('{}');
  });

  test('never follows a link out of the project, not even one in the way to the file', async () => {
    const project = join(directory, 'project');
    const outside = join(directory, 'outside');
    mkdirSync(project);
    mkdirSync(outside);
    symlinkSync(outside, join(project, '.hookwright'));
    const file = { path: join(project, '.hookwright', 'settings.json'), mustStayIn: project };
    expect(await disable('a', false, file)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('leads out of the project') },
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a dry run says what would be written, and writes nothing at all', async () => {
    expect(await disable('a', true)).toMatchObject({
      ok: true,
      before: undefined,
      after: expect.stringContaining('"a"'),
    });
    expect(readdirSync(directory)).toEqual(['home']);
    expect(readdirSync(home)).toEqual([]);
  });

  test('several commands at once lose none of their changes', async () => {
    writeFileSync(path, '{}');
    const names = Array.from({ length: 12 }, (_, index) => `hook-${index}`);
    const done = await Promise.all(names.map((name) => disable(name)));
    expect(done.filter(({ ok }) => !ok)).toEqual([]);
    const list: unknown = JSON.parse(text());
    expect(list).toEqual({ hooksConfig: { disabled: expect.arrayContaining(names) } });
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8'],
    ['a syntax error', Buffer.from('{"hooks": '), 'correct this first'],
  ])('a file with %s is left alone', async (_title, bytes, message) => {
    writeFileSync(path, bytes);
    expect(await disable('a')).toMatchObject({ ok: false, problem: { message: expect.stringContaining(message) } });
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('what the file system refuses is said, and no undo is remembered', async () => {
    mkdirSync(path);
    expect(await disable('a')).toMatchObject({
      ok: false,
      problem: { message: 'is a directory; a file is expected here' },
    });
    expect(await undo()).toMatchObject({ ok: false });
  });
});
