import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { beforeTool, createPlace, OWN, type Place, placesOf, rowsOf, trusting, USER } from './support.ts';

const isPosix = process.platform !== 'win32';

describe('F39 a file whose text is wrong', () => {
  test.each<[title: string, text: string | Buffer, places: string[], message: RegExp]>([
    ['is empty', '', ['1:1 '], /the file is empty; write \{\} for no settings/],
    ['has blanks and a byte order mark only', '\ufeff \n', ['1:1 '], /the file is empty/],
    ['is a list', '\n []', ['2:2 '], /settings must be an object, found an array/],
    ['is a text', '"x"', ['1:1 '], /settings must be an object, found a string/],
    ['lacks a comma', '{\n"hooks": {}\n"tools": {}}', ['3:1 '], /a comma is missing before this, found "tools"/],
    ['has a key without quotes', '{\n  hooks: {}}', ['2:3 '], /texts and keys need double quotes, found "hooks"/],
    ['has a text without an end', '{"hooks": {"BeforeTool', ['1:12 '], /no closing quote/],
    ['has a comment without an end', '{} /* so', ['1:4 '], /the comment that begins here has no end/],
    ['has a tab in a text', '{"$schema": "a\tb"}', ['1:13 '], /control character; write a tab as \\t/],
    ['ends too early', '{"hooks": {"BeforeTool": [', ['1:27 '], /found the end of the file/],
    ['goes on behind its end', '{}\n{}', ['2:1 '], /the file should end here, but there is more text/],
    [
      'lacks a closing brace',
      '{"tools": {"a": [\n {"b": [{"c": 1}]\n]}}',
      ['3:1 '],
      /^a closing brace } is missing before this, for the { at 2:2; found "]"$/,
    ],
    [
      'lacks a closing bracket',
      '{"tools": {"a": [{"b": [\n{"c": 1}\n}]}}',
      ['3:1 '],
      /^a closing bracket ] is missing before this, for the \[ at 1:24; found "}"$/,
    ],
    ['lacks a quote that takes a brace with it', '{"a": ["}\n]}', ['1:8 '], /no closing quote/],
    ['ends with a backslash', '{"a": "\\', ['1:7 '], /no closing quote/],
    ['lacks a comma and then a brace', '{"a": 1 "b": [{\n]}', ['1:9 ', '2:1 '], /a comma is missing before this/],
    ['has two mistakes', '{"a": tru,\n"b": ,\n"tools": {}}', ['1:7 ', '2:6 '], /not JSON/],
  ])('%s', async (_title, text, places, message) => {
    const { write, load } = createPlace();
    const file = write(OWN, '');
    writeFileSync(file, text);
    write(USER, { hooks: beforeTool('other-file') });
    const { config, problems } = await load();
    const ofText = problems.filter(({ path }) => path === '');
    expect(placesOf(ofText)).toEqual(places);
    expect(ofText[0]).toMatchObject({
      file,
      source: 'project',
      severity: 'error',
      message: expect.stringMatching(message),
    });
    expect(await rowsOf(config)).toEqual(['user other-file:']);
  });

  test.each<[title: string, encode: (text: string) => Buffer]>([
    ['a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16, as PowerShell writes it', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['tabs and CRLF', (text) => Buffer.from(text.replaceAll(' ', '\t').replaceAll('\n', '\r\n'))],
    ['lone CR', (text) => Buffer.from(text.replaceAll('\n', '\r'))],
    ['comments and trailing commas', (text) => Buffer.from(text.replace('\n', ' // comment\n').replace('}]', '},]'))],
  ])('with %s is read, and positions are right', async (_title, encode) => {
    const { write, load } = createPlace();
    const file = write(OWN, '');
    writeFileSync(
      file,
      encode('{ "hooks": { "BeforeTool":\n [{"hooks": [{"name": "a", "command": "a", "comand": 1}]}] } }'),
    );
    const { config, problems } = await load({ deps: trusting });
    expect(placesOf(problems)).toEqual(['2:44 hooks.BeforeTool[0].hooks[0].comand']);
    expect(await rowsOf(config)).toEqual(['project a:']);
  });

  test('with bytes that are no UTF-8 is read, and told', async () => {
    const { write, load } = createPlace();
    writeFileSync(
      write(OWN, ''),
      Buffer.concat([Buffer.from('{"$schema": "'), Buffer.from([0xff]), Buffer.from('"}')]),
    );
    const { problems } = await load();
    expect(problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('not UTF-8') }]);
  });

  test('with a key twice says which one counts, and a guard that is lost is an error', async () => {
    const { write, load } = createPlace();
    write(
      OWN,
      `{ "hooks": {
  "BeforeTool": [{ "hooks": [{ "command": "lost", "onFault": "deny" }] }],
  "BeforeTool": [{ "hooks": [{ "name": "kept", "command": "a", "command": "b" }] }]
} }`,
    );
    const { config, problems } = await load({ deps: trusting });
    expect(placesOf(problems)).toEqual(['2:3 hooks.BeforeTool', '3:48 hooks.BeforeTool[0].hooks[0].command']);
    expect(problems.map(({ severity }) => severity)).toEqual(['error', 'warning']);
    expect(problems[0]?.message).toContain('the one in line 3 counts');
    expect(await rowsOf(config)).toEqual(['project kept:']);
  });

  test('loads what stands before the mistake; what may have been torn has a row and does not run', async () => {
    const { write, load } = createPlace();
    const whole = '{"hooks": [{"name": "whole", "command": "a"}]}';
    write(OWN, `{"hooks": {"BeforeTool": [${whole},\n {"hooks": [{"name": "torn", "command": "rm -rf /tmp/x`);
    const { config, problems } = await load({ deps: trusting });
    expect(problems[0]).toMatchObject({ severity: 'error', line: 2, column: 41 });
    expect(await rowsOf(config)).toEqual(['project whole:', 'project torn: invalid-config']);
    const [, torn] = (await config.getHookSystem()?.explain()) ?? [];
    expect(torn?.hint).toContain('correct the syntax at 2:41');
  });

  test('a hook that a missing bracket moves below another event does not run there', async () => {
    const { write, load } = createPlace();
    const one = (name: string) => `[{"hooks": [{"name": "${name}", "command": "a"}]}`;
    write(OWN, `{"hooks": {"BeforeTool": ${one('first')}, "AfterTool": ${one('second')}] }}`);
    const { config } = await load({ deps: trusting });
    const rows = await rowsOf(config);
    expect(rows[0]).toBe('project first:');
    for (const row of rows.slice(1)) expect(row).toContain('invalid-config');
  });

  test('a missing comma harms no hook', async () => {
    const { write, load } = createPlace();
    write(OWN, '{"hooks": {"BeforeTool": [{"hooks": [{"command": "a"} {"command": "b"}]}]}}');
    const { config, problems } = await load({ deps: trusting });
    expect(placesOf(problems)).toEqual(['1:55 ']);
    expect(await rowsOf(config)).toEqual(['project a:', 'project b:']);
  });
});

describe('F44 a file that a link puts elsewhere', () => {
  test.skipIf(!isPosix).each<[title: string, link: (place: Place) => void]>([
    [
      'itself',
      ({ root, write }) => {
        const file = write('elsewhere/settings.json', { hooks: beforeTool('foreign') });
        mkdirSync(join(root, 'project/.hookwright'));
        symlinkSync(file, join(root, OWN));
      },
    ],
    [
      'with the directory it is in',
      ({ root, write }) => {
        write('elsewhere/settings.json', { hooks: beforeTool('foreign') });
        symlinkSync(join(root, 'elsewhere'), join(root, 'project/.hookwright'));
      },
    ],
  ])('%s is told, its hooks are listed and never trusted', async (_title, link) => {
    const place = createPlace();
    link(place);
    const { config, problems } = await place.load({ deps: trusting });
    expect(problems).toMatchObject([{ skipped: false, message: expect.stringContaining('is outside the project') }]);
    expect(await rowsOf(config)).toEqual(['project foreign: untrusted']);
    const [row] = (await config.getHookSystem()?.explain()) ?? [];
    expect(row?.hint).toContain('put the file itself there, not a link');
  });

  test.skipIf(!isPosix)('and that is no settings file is not quoted', async () => {
    const { root, write, load } = createPlace();
    mkdirSync(join(root, 'project/.hookwright'));
    symlinkSync(write('home/.ssh/key', '{"secret": here it is}'), join(root, OWN));
    const { problems } = await load();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain('outside the project and not a settings file');
    expect(JSON.stringify(problems)).not.toContain('secret');
  });

  test.skipIf(!isPosix)('within the project, or of the user, is as good as any', async () => {
    const { root, write, load } = createPlace();
    symlinkSync(
      dirname(write('project/shared/settings.json', { hooks: beforeTool('inside') })),
      join(root, 'project/.hookwright'),
    );
    symlinkSync(
      dirname(write('dotfiles/settings.json', { hooks: beforeTool('user') })),
      join(root, 'home/.hookwright'),
    );
    const { config, problems } = await load({ deps: trusting });
    expect(problems).toEqual([]);
    expect(await rowsOf(config)).toEqual(['project inside:', 'user user:']);
  });

  test.skipIf(!isPosix)('also through a link to the project as a whole', async () => {
    const { root, write, load } = createPlace();
    write(OWN, { hooks: beforeTool('a') });
    symlinkSync(join(root, 'project'), join(root, 'linked'));
    const { config, problems } = await load({ cwd: join(root, 'linked'), deps: trusting });
    expect(problems).toEqual([]);
    expect(await rowsOf(config)).toEqual(['project a:']);
  });
});

describe('F45 a file that changes', () => {
  const good = JSON.stringify({ hooks: beforeTool('first') });

  test.each<[title: string, change: (path: string) => void, where: string]>([
    ['is half written', (path) => writeFileSync(path, good.slice(0, 40)), '1:'],
    ['is emptied before it is written', (path) => writeFileSync(path, ''), '1:1 '],
    ['becomes too large', (path) => truncateSync(path, 2 ** 21), '-:- '],
    ['becomes a list', (path) => writeFileSync(path, '[]'), '1:1 '],
  ])('and %s during a reload keeps its hooks; the next reload takes the new ones', async (_title, change, where) => {
    const { write, load } = createPlace();
    const path = write(OWN, good);
    write(USER, { hooks: beforeTool('user') });
    const { config } = await load({ deps: trusting });
    expect(await rowsOf(config)).toEqual(['project first:', 'user user:']);
    change(path);
    write(USER, { hooks: beforeTool('other-user') });
    await config.getHookSystem()?.reload();
    expect(await rowsOf(config)).toEqual(['project first:', 'user other-user:']);
    const [problem] = config.getHookSystem()?.getProblems() ?? [];
    expect(problem?.message).toContain('the settings read before from this file stay in use');
    expect(placesOf(problem === undefined ? [] : [problem])[0]).toContain(where);
    write(OWN, { hooks: beforeTool('second') });
    await config.getHookSystem()?.reload();
    expect(await rowsOf(config)).toEqual(['project second:', 'user other-user:']);
    expect(config.getProblems()).toEqual([]);
  });

  test('and is gone for good takes its hooks along', async () => {
    const { write, load } = createPlace();
    const path = write(OWN, good);
    const { config } = await load({ deps: trusting });
    await rowsOf(config);
    rmSync(path);
    await config.reload();
    expect(await rowsOf(config)).toEqual([]);
    expect(config.getProblems()).toEqual([]);
  });

  test('and is away for the moment in which an editor replaces it keeps them', async () => {
    const { write, load } = createPlace();
    const path = write(OWN, good);
    const { config } = await load({ deps: trusting });
    await rowsOf(config);
    rmSync(path);
    const reload = config.reload();
    setTimeout(() => write(OWN, { hooks: beforeTool('second') }), 5);
    await reload;
    expect(await rowsOf(config)).toEqual(['project second:']);
  });

  test('while it is read is never half a file', async () => {
    const { write, load } = createPlace();
    const large = (name: string): string =>
      JSON.stringify({ hooks: beforeTool(...Array.from({ length: 400 }, (_, index) => `${name}${index}`)) });
    const path = write(OWN, large('a'));
    const { config } = await load({ deps: trusting });
    await rowsOf(config);
    let writing = true;
    const writer = (async () => {
      for (let turn = 0; writing; turn += 1) {
        writeFileSync(path, large(turn % 2 === 0 ? 'b' : 'a'));
        await new Promise(setImmediate);
      }
    })();
    for (let run = 0; run < 10; run += 1) {
      await config.reload();
      const rows = await rowsOf(config);
      expect(rows).toHaveLength(400);
      expect(new Set(rows.map((row) => row.replace(/\d+/, ''))).size).toBe(1);
    }
    writing = false;
    await writer;
  });
});
