import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AbilityHookSet } from '../../src/abilities/index.ts';
import { ownNow } from '../support/own-clock.ts';
import { declaration, hooksRepository, load, loadTrusted } from './hooks-support.ts';
import { repositoryWith } from './support.ts';

const reasonsIn = (hookSet: AbilityHookSet): Record<string, string> =>
  Object.fromEntries(hookSet.explain().map(({ name, planned, reason }) => [name, reason ?? planned]));

describe('finding declarations', () => {
  test('R350 hooks are declared one per file in the hooks folder, and read in the order of the file names', async () => {
    const { hooks, problems } = await loadTrusted({
      'b.yaml': declaration({ id: 'second' }),
      'a.yml': declaration({ id: 'first' }),
      'notes.md': 'no declaration',
      '.hidden.yaml': 'neither is this',
    });
    expect(hooks.map(({ id }) => id)).toEqual(['first', 'second']);
    // What is no declaration by its name is not read, and that is said.
    expect(problems.map(({ severity, file = '' }) => [severity, basename(file)])).toEqual([
      ['warning', '.hidden.yaml'],
      ['warning', 'notes.md'],
    ]);
  });

  test('the hooks folder itself can be named, and so can any other folder', async () => {
    const root = hooksRepository({ 'a.yaml': declaration({ id: 'one' }) });
    const inside = await load(join(root, '.system/hooks'));
    expect(inside).toMatchObject({ root, hooks: [{ id: 'one' }] });
    const elsewhere = repositoryWith({ 'a.yaml': declaration({ id: 'two' }) });
    expect(await load(elsewhere)).toMatchObject({ root: elsewhere, hooks: [{ id: 'two' }] });
  });

  test('R365 a repository without hooks, or with all of them disabled, works', async () => {
    const none = await load(repositoryWith({ '.git/config': '', 'compose.yaml': 'services: {}' }), {
      trustedFolder: true,
    });
    expect([none.hooks, none.problems, none.explain()]).toEqual([[], [], []]);
    const off = await loadTrusted({ 'a.yaml': declaration({ id: 'off', enabled: false }) });
    const context = { ability_id: 'edit', caller: { source: 'ci_pipeline' } } as const;
    expect(await off.fire('PreAbilityCall', context)).toMatchObject({ success: true, hook_signals: [], hooks: [] });
  });

  test('a thousand declarations are read, and the engine gives others a turn meanwhile', async () => {
    const files = Array.from({ length: 1_000 }, (_, index) => [`h${index}.yaml`, declaration({ id: `hook-${index}` })]);
    const root = hooksRepository(Object.fromEntries(files));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const startedAt = ownNow();
    const { hooks } = await load(root);
    const took = ownNow() - startedAt;
    clearInterval(timer);
    expect(hooks).toHaveLength(1_000);
    expect(turns).toBeGreaterThan(1);
    expect(took).toBeLessThan(5_000);
  });
});

describe('what a declaration says', () => {
  test('R351 R358 R362 it is read with all its fields, and effects are never executed', async () => {
    const { hooks, problems } = await loadTrusted({
      'a.yaml': `
id: usage-tracking
event_type: PostAbilityCall
enabled: true
blocking: false
summary: Notes who used what
match:
  ability_scope: edit_*
  min_duration_ms: 250
handler: { kind: script, command: ./track.sh, args: [--all], timeout_ms: 1500 }
on_fault: fail
effects:
  - appends to the usage log
  - touch: /tmp/never
`,
    });
    expect(problems).toEqual([]);
    expect(hooks).toMatchObject([
      {
        id: 'usage-tracking',
        eventType: 'PostAbilityCall',
        enabled: true,
        blocking: false,
        summary: 'Notes who used what',
        match: { abilityScope: ['edit_*'], minDurationMs: 250 },
        effects: ['appends to the usage log', { touch: '/tmp/never' }],
        onFault: 'fail',
        config: { type: 'command', name: 'usage-tracking', command: './track.sh', args: ['--all'], timeout: 1_500 },
        line: 2,
      },
    ]);
  });

  test.each([
    ['id', '', 'id must be a name', 1],
    ['event_type', 'event_type: 3', 'event_type must be one of PromptSubmit', 1],
    ['enabled', 'enabled: yes', 'enabled must be true or false, found "yes"; write true', 1],
    ['blocking', 'blocking: null', 'blocking must be true or false, found null', 1],
    ['handler', 'handler: ./check.sh', 'handler must be an object with kind and command, found "./check.sh"', 1],
    ['handler', 'handler: {kind: builtin, command: x}', 'handler.kind must be one of script, found "builtin"', 1],
    ['handler', 'handler: {kind: scrip, command: x}', 'did you mean "script"?', 1],
    ['handler', 'handler: {kind: script}', 'handler.command must be a script or a command line', 1],
    ['handler', 'handler: {kind: script, command: x, timeout_ms: 5s}', 'write 5000', 1],
    ['handler', 'handler: {kind: script, command: x, timeout_ms: .inf}', 'handler.timeout_ms must be', 1],
    ['handler', 'handler: {kind: script, command: x, timeout_ms: 0}', 'milliseconds as a number over 0', 1],
    ['match', 'match: everything', 'match must be an object', 1],
    ['match', 'match: {ability_scope: []}', 'match.ability_scope must be a glob', 1],
    ['match', 'match: {min_duration_ms: -1}', 'match.min_duration_ms must be milliseconds', 1],
    ['on_fault', 'on_fault: explode', 'on_fault must be skip or fail, found "explode"', 1],
  ])('F40 a wrong %s is a problem with its place: %s', async (key, line, message) => {
    const good: Record<string, string> = {
      id: 'id: a-hook',
      event_type: 'event_type: PreAbilityCall',
      enabled: 'enabled: true',
      blocking: 'blocking: true',
      handler: 'handler: {kind: script, command: x}',
    };
    const lines = Object.values({ ...good, [key]: line }).filter((one) => one !== '');
    const hookSet = await loadTrusted({ 'a.yaml': lines.join('\n') });
    expect(hookSet.hooks).toEqual([]);
    const [problem] = hookSet.problems;
    expect(problem?.message).toContain(message);
    const at = lines.findIndex((one) => one.startsWith(`${key}:`)) + 1;
    expect(problem).toMatchObject({ severity: 'error', skipped: true, line: Math.max(at, 1) });
    expect(problem?.file).toBe(join(hookSet.directory, 'a.yaml'));
    expect(hookSet.explain()).toMatchObject([{ planned: 'skip', reason: 'invalid-config' }]);
  });

  test('unknown keys are told with the nearest known one and cost nothing else', async () => {
    const { hooks, problems } = await loadTrusted({
      'a.yaml': `${declaration({ id: 'a-hook' })}  tmeout_ms: 3\nsumary: x\nmatch: {ability_scop: edit}\n`,
    });
    expect(hooks).toHaveLength(1);
    expect(
      problems.map(({ severity, line, column, message }) => [severity, line, column, message.split('; ').at(-1)]),
    ).toEqual([
      ['warning', 10, 3, 'did you mean "timeout_ms"?'],
      ['warning', 11, 1, 'did you mean "summary"?'],
      ['warning', 12, 9, 'did you mean "ability_scope"?'],
    ]);
  });

  test('R354 a wrong event is told with the nearest one, and its hook has a row that says so', async () => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'x', event: 'PreAbiltyCall' }) });
    expect(hookSet.problems).toMatchObject([{ line: 2, column: 1, hint: 'did you mean "PreAbilityCall"?' }]);
    const [row] = hookSet.explain('PreAbiltyCall');
    expect(row).toMatchObject({ name: 'x', planned: 'skip', reason: 'unknown-event' });
    expect(row?.hint).toContain('did you mean "PreAbilityCall"?');
  });

  test('R353 C41 ids in kebab-case and with underscores work; the second kind gets advice', async () => {
    const { hooks, problems } = await loadTrusted({
      'a.yaml': declaration({ id: 'guard-edit' }),
      'b.yaml': declaration({ id: 'guard_write' }),
    });
    expect(hooks).toHaveLength(2);
    expect(problems).toMatchObject([{ severity: 'warning', skipped: false, path: 'id' }]);
    expect(problems[0]?.message).toContain('in kebab-case it would be');
  });

  test('R352 F40 an id is declared once: the later file is left out, and both files are named', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'guard', enabled: false }),
      'b.yaml': declaration({ id: 'guard' }),
      'c.yaml': declaration({ id: 'guard' }),
    });
    const rows = hookSet.explain('PreAbilityCall').map(({ planned, reason }) => reason ?? planned);
    // What cannot run takes nobody's name: a disabled file must not switch off another one.
    expect(rows).toEqual(['disabled', 'run', 'duplicate']);
    // Told is the file to look at: what has the id, or what only declares it too.
    const other = (name: string): string => join(hookSet.directory, name);
    expect(hookSet.problems).toMatchObject([
      { file: other('b.yaml'), skipped: false, message: expect.stringContaining(`declared by ${other('a.yaml')} too`) },
      {
        file: other('c.yaml'),
        skipped: true,
        message: expect.stringContaining(`taken by ${other('b.yaml')}, and what`),
      },
    ]);
  });

  test('the spelling of settings files works for on_fault, and so do its words', async () => {
    const { hooks, problems } = await loadTrusted({
      'a.yaml': declaration({ id: 'a', more: 'onFault: deny' }),
      'b.yaml': declaration({ id: 'b', more: 'on_fault: allow' }),
    });
    expect(problems).toEqual([]);
    expect(hooks.map(({ onFault }) => onFault)).toEqual(['fail', 'skip']);
  });

  test('a key of match that its event cannot compare is told, by the problem and by the row', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'a', event: 'SessionStop', more: 'match: {ability_scope: edit}' }),
    });
    expect(hookSet.problems).toMatchObject([{ severity: 'warning', path: 'match.ability_scope', line: 5 }]);
    expect(hookSet.explain('SessionStop')).toMatchObject([{ planned: 'run', matcher: 'ability=edit' }]);
    expect(hookSet.explain('SessionStop')[0]?.warnings?.[0]?.message).toContain(
      'nothing to compare ability_scope with',
    );
  });
});

describe('globs and folders', () => {
  test.each([
    ['PreAbilityCall', 'ability_scope: "edit file"', 'contains a blank'],
    ['PreAbilityCall', 'ability_scope: [" edit_file"]', 'begins or ends with a blank'],
    ['PreAbilityCall', 'ability_scope: ^deploy_.*$', 'is written as a regular expression'],
    ['PreAbilityCall', 'ability_scope: deploy_a|deploy_b', 'contains a |; write several globs as a list'],
    ['SessionStop', 'only_if_changed_paths: /services/**', 'is an absolute path'],
    ['SessionStop', 'only_if_changed_paths: ../services/**', 'leads out of the repository'],
    ['SessionStop', 'only_if_changed_paths: services/', 'write services/**'],
  ])('%s %s can never match, and that is told', async (event, line, message) => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'a', event, more: `match:\n  ${line}` }) });
    expect(hookSet.problems).toMatchObject([{ severity: 'warning', skipped: false, line: 6 }]);
    expect(hookSet.problems[0]?.message).toContain('can never match');
    expect(hookSet.problems[0]?.message).toContain(message);
  });

  test('declarations in folders of the hooks folder are read, and run in the repository', async () => {
    const root = hooksRepository({
      '.system/hooks/guards/prod/a.yaml': declaration({ id: 'deep', command: 'pwd > where' }),
      '.system/hooks/.off/b.yaml': declaration({ id: 'hidden' }),
      'z.yaml': declaration({ id: 'last' }),
    });
    symlinkSync(root, join(root, '.system/hooks/around'));
    const below = '.system/hooks/1/2/3/4/5/6/7/8/9';
    mkdirSync(join(root, below), { recursive: true });
    const hookSet = await load(root, { trustedFolder: true });
    expect(hookSet.hooks.map(({ id }) => id)).toEqual(['deep', 'last']);
    // What is not looked into is told.
    expect(hookSet.problems).toMatchObject(
      ['.system/hooks/around', below].map((folder) => ({
        code: 'unreadable-file',
        severity: 'warning',
        file: join(root, folder),
      })),
    );
    await hookSet.fire('PreAbilityCall', { ability_id: 'edit', caller: { source: 'ai_session' } });
    expect(readFileSync(join(root, 'where'), 'utf8').trim()).toBe(root);
  });
});

describe('files that are not what they should be', () => {
  const beside = { 'z.yaml': declaration({ id: 'good' }) };

  test.each([
    ['an empty file', '', 'the file is empty', 1, 1],
    ['blanks only', ' \n\n', 'the file is empty', 1, 1],
    ['a syntax error', 'id: [a\nevent_type: x', 'this YAML cannot be read', 2, 1],
    ['tabs', 'id: a\nmatch:\n\tability_scope: x', 'indent with blanks', 3, 1, 'a'],
    ['a duplicate key', 'id: a\nenabled: true\nid: b', 'the key "id" is there twice', 3, 1],
    ['a list', '- id: a', 'The file must be a declaration', 1, 1],
    ['a text', 'just words', 'The file must be a declaration', 1, 1],
    ['two documents', 'id: a\n---\nid: b', 'several documents', 2, 1],
    [
      'an unquoted asterisk',
      'id: a\nmatch:\n  ability_scope: *',
      'put a glob that begins with * in quotes',
      3,
      18,
      'a',
    ],
    ['a tag of its own', 'id: !!js/function "x"', 'Unresolved tag', 1, 5],
    ['a key that is no text', '1: a', 'a key must be text', 1, 1],
    ['a complex key', '? [a]\n: b', 'a key must be text', 1, 1],
    ['an anchor that is missing', 'id: *nobody', 'there is no anchor', 1, 5],
  ])(
    'F39 %s is a problem with line and column, and hides no other file',
    async (_what, text, message, line, column, listedAs = 'a.yaml') => {
      const hookSet = await loadTrusted({ 'a.yaml': text, ...beside });
      expect(hookSet.problems).toMatchObject([{ severity: 'error', skipped: true, line, column }]);
      expect(hookSet.problems[0]?.message.toLowerCase()).toContain(message.toLowerCase());
      expect(reasonsIn(hookSet)).toEqual({ [listedAs]: 'invalid-config', good: 'run' });
    },
  );

  test('F39 a byte order mark and CRLF are no problem', async () => {
    const text = `\ufeff${declaration({ id: 'marked' }).replaceAll('\n', '\r\n')}`;
    expect(await loadTrusted({ 'a.yaml': text })).toMatchObject({ problems: [], hooks: [{ id: 'marked' }] });
  });

  test.each([
    ['__proto__: {enabled: true}', '"__proto__" may not be a key'],
    ['match: {constructor: 1}', '"constructor" may not be a key'],
    ['match: {"\\u005f_proto__": 1}', '"__proto__" may not be a key'],
    ['id: __proto__', 'id must be a name'],
    ['id: constructor', 'id must be a name'],
  ])('F46 %s is refused, and no prototype changes', async (text, message) => {
    const hookSet = await loadTrusted({
      'a.yaml': `${declaration({ id: 'x' }).replace('id: x\n', '')}${text}\n`,
      ...beside,
    });
    expect(hookSet.problems.map((problem) => problem.message).join('\n')).toContain(message);
    expect(reasonsIn(hookSet)).toMatchObject({ good: 'run' });
    expect(Reflect.get({}, 'enabled')).toBeUndefined();
  });

  test('F46 an event called __proto__ is an unknown one', async () => {
    const hookSet = await loadTrusted({ 'a.yaml': declaration({ id: 'x', event: '__proto__' }) });
    expect(hookSet.explain('__proto__')).toMatchObject([{ reason: 'unknown-event' }]);
  });

  test('F42 a pipe, a device, a directory and a huge file are refused at once', async () => {
    const root = hooksRepository({ ...beside, 'huge.yaml': `# ${'x'.repeat(1_100_000)}` });
    const folder = join(root, '.system/hooks');
    execFileSync('mkfifo', [join(folder, 'a.yaml')]);
    symlinkSync('/dev/zero', join(folder, 'b.yaml'));
    mkdirSync(join(folder, 'c.yaml'));
    symlinkSync(join(folder, 'loop.yaml'), join(folder, 'loop.yaml'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'missing.yaml'));
    const startedAt = ownNow();
    const hookSet = await load(root, { trustedFolder: true });
    expect(ownNow() - startedAt).toBeLessThan(1_000);
    expect(hookSet.problems).toHaveLength(6);
    expect(hookSet.hooks.map(({ id }) => id)).toEqual(['good']);
    const all = hookSet.problems.map(({ message }) => message).join('\n');
    for (const word of ['not a regular file', 'is a directory', 'at most 1048576', 'is a symbolic link to itself']) {
      expect(all).toContain(word);
    }
  });

  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, index) => {
      const before = 'abcdefgh'[index];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
    }),
  ].join('\n');

  test.each([
    ['a bomb of aliases', bomb],
    ['a value that contains itself', 'id: &a [*a]'],
    ['5,000 nested brackets', '['.repeat(5_000)],
    ['5,000 nested lists', `${'- '.repeat(5_000)}a`],
    ['nested keys', '? '.repeat(5_000)],
    ['many nested keys', '? '.repeat(200)],
    ['50,000 keys', Array.from({ length: 50_000 }, (_, index) => `k${index}: 1`).join('\n')],
    ['300,000 empty lists', `a: [${'[],'.repeat(300_000)}]`],
    ['thousands of aliases', `a: &a x\nb: [${'*a,'.repeat(5_000)}]`],
  ])('F43 %s is refused in no time', async (_what, text) => {
    const hookSet = await loadTrusted({ 'a.yaml': text, ...beside });
    const startedAt = ownNow();
    const again = await load(hookSet.root, { trustedFolder: true });
    expect(ownNow() - startedAt).toBeLessThan(1_000);
    expect(again.problems.filter(({ severity }) => severity === 'error')).toHaveLength(1);
    expect(reasonsIn(again)).toEqual({ 'a.yaml': 'invalid-config', good: 'run' });
  });

  test('F45 a file that vanishes or changes between two loads is read as it is then', async () => {
    const root = hooksRepository({ 'a.yaml': declaration({ id: 'before' }) });
    expect((await load(root)).hooks.map(({ id }) => id)).toEqual(['before']);
    writeFileSync(join(root, '.system/hooks/a.yaml'), declaration({ id: 'after' }));
    expect((await load(root)).hooks.map(({ id }) => id)).toEqual(['after']);
  });
});

describe('whom a declaration is from', () => {
  const files = { 'a.yaml': declaration({ id: 'canary', command: 'touch ran' }) };
  const context = { ability_id: 'edit', caller: { source: 'ai_session' } } as const;

  test('F60 hooks of a repository nobody trusts are listed and not run', async () => {
    const hookSet = await load(hooksRepository(files));
    expect(hookSet.explain('PreAbilityCall')).toMatchObject([{ planned: 'skip', reason: 'untrusted' }]);
    expect(await hookSet.fire('PreAbilityCall', context)).toMatchObject({ hooks: [] });
  });

  test('a trust check is asked once about each hook, whatever the folder is, and its answer counts', async () => {
    const asked: string[] = [];
    const check = (verdict: boolean | 'changed-since-trusted') => ({
      trustedFolder: true,
      trustCheck: ({ name, eventName, matcher }: { name: string; eventName: string; matcher?: string }) => {
        asked.push(`${name} ${eventName} ${matcher}`);
        return verdict;
      },
    });
    expect(reasonsIn(await load(hooksRepository(files), check(true)))).toEqual({ canary: 'run' });
    expect(reasonsIn(await load(hooksRepository(files), check(false)))).toEqual({ canary: 'untrusted' });
    const changed = await load(hooksRepository(files), check('changed-since-trusted'));
    expect(reasonsIn(changed)).toEqual({ canary: 'changed-since-trusted' });
    // What decides when a hook runs is part of what is approved.
    expect(new Set(asked)).toEqual(new Set(['canary PreAbilityCall {"enabled":true,"match":{},"blocking":true}']));
  });

  test('a trust check that throws trusts nothing and is told to the log', async () => {
    const told: string[] = [];
    const hookSet = await load(hooksRepository(files), {
      trustCheck: () => Promise.reject(new Error('no store')),
      logger: { error: (message) => told.push(message) },
    });
    expect(reasonsIn(hookSet)).toEqual({ canary: 'untrusted' });
    expect(told.join()).toContain('no store');
  });

  test('F44 what a link leads to and is no declaration is not quoted', async () => {
    const outside = repositoryWith({ 'secrets.txt': 'root:x:0:0\n', 'broken.yaml': 'id: [s3cret' });
    const root = hooksRepository({ 'z.yaml': declaration({ id: 'own' }) });
    symlinkSync(join(outside, 'secrets.txt'), join(root, '.system/hooks/a.yaml'));
    symlinkSync(join(outside, 'broken.yaml'), join(root, '.system/hooks/b.yaml'));
    const { problems } = await load(root, { trustedFolder: true });
    expect(problems.map(({ message }) => message)).toEqual(
      ['secrets.txt', 'broken.yaml'].map((name) =>
        expect.stringContaining(`${join(outside, name)}, which is outside the repository and not a declaration`),
      ),
    );
    expect(JSON.stringify(problems)).not.toMatch(/root:x|s3cret/);
  });

  test('F44 a link out of a trusted repository brings in nothing that runs, as file or as folder', async () => {
    const outside = repositoryWith({ 'a.yaml': declaration({ id: 'foreign' }) });
    const root = hooksRepository({ 'z.yaml': declaration({ id: 'own' }) });
    symlinkSync(join(outside, 'a.yaml'), join(root, '.system/hooks/a.yaml'));
    symlinkSync(join(root, '.system/hooks/z.yaml'), join(root, '.system/hooks/y.yaml'));
    expect(reasonsIn(await load(root, { trustedFolder: true }))).toEqual({ foreign: 'untrusted', own: 'duplicate' });
    const linked = repositoryWith({ '.system/keep': '' });
    symlinkSync(outside, join(linked, '.system/hooks'));
    expect(reasonsIn(await load(linked, { trustedFolder: true }))).toEqual({ foreign: 'untrusted' });
  });

  test.each([
    ['fail', 'what it might check is refused', false],
    ['skip', 'what it might check continues without it', true],
  ])(
    'R2066 a guard behind such a link is an error, and its on_fault counts: %s',
    async (policy, consequence, goesOn) => {
      const outside = repositoryWith({ 'a.yaml': declaration({ id: 'foreign', more: `on_fault: ${policy}` }) });
      const root = hooksRepository({ 'z.yaml': declaration({ id: 'own' }) });
      symlinkSync(join(outside, 'a.yaml'), join(root, '.system/hooks/a.yaml'));
      const hookSet = await load(root, { trustedFolder: true });
      const message = expect.stringMatching(`leads to ${join(outside, 'a.yaml')}, .* does not run; ${consequence}`);
      expect(hookSet.problems).toMatchObject([
        { severity: 'error', file: join(root, '.system/hooks/a.yaml'), message },
      ]);
      const context = { ability_id: 'deploy', caller: { source: 'manual_cli' as const } };
      expect(await hookSet.fire('PreAbilityCall', context)).toMatchObject({ success: goesOn });
    },
  );
});
