import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { importHooks } from '../../src/agents/index.ts';
import { type CreateHooksOptions, createHooks, type Hooks } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Place {
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  write(path: string, content: unknown): string;
}

const createPlace = (): Place => {
  const root = temporaryFolder('dialect');
  const write = (path: string, content: unknown): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  write('project/.git/HEAD', '');
  write('home/.keep', '');
  return { root, cwd: join(root, 'project'), home: join(root, 'home'), write };
};

const CLAUDE = 'project/.claude/settings.json';

const claude = (command: string): object => ({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
});

/** An engine that would trust whatever it is asked about. */
const started = async ({ cwd, home }: Place, options: CreateHooksOptions = {}): Promise<Hooks> => {
  const dialects = { 'claude-code': true };
  const hooks = await createHooks({ cwd, home, dialects, deps: { trustCheck: () => true }, ...options });
  onTestFinished(() => hooks.close());
  return hooks;
};

describe.skipIf(process.platform === 'win32')('R816 files of other agents', () => {
  test.each<[what: string, link: (place: Place, command: string) => void]>([
    [
      'itself',
      ({ root, write }, command) => {
        mkdirSync(join(root, dirname(CLAUDE)));
        symlinkSync(write('elsewhere/settings.json', claude(command)), join(root, CLAUDE));
      },
    ],
    [
      'with the directory it is in',
      ({ root, write }, command) => {
        write('elsewhere/settings.json', claude(command));
        symlinkSync(join(root, 'elsewhere'), join(root, dirname(CLAUDE)));
      },
    ],
  ])(
    'F44 that a link puts out of the project (%s) are told, and their hooks listed and never run',
    async (_what, link) => {
      const place = createPlace();
      const mark = join(place.root, 'ran');
      link(place, `touch ${mark}`);
      const hooks = await started(place);
      expect(hooks.problems).toMatchObject([
        { severity: 'warning', message: expect.stringContaining('is outside the project') },
      ]);
      await hooks.beforeTool({ tool: 'Bash', input: {} });
      expect(existsSync(mark)).toBe(false);
      expect(await hooks.explain('BeforeTool')).toMatchObject([
        { planned: 'skip', reason: 'untrusted', hint: expect.stringContaining('put the file itself there') },
      ]);
    },
  );

  test('F44 that a link puts out of the project and are none of an agent are not quoted', async () => {
    const place = createPlace();
    mkdirSync(join(place.root, dirname(CLAUDE)));
    symlinkSync(place.write('home/.ssh/key', '{"hooks": [], secret: "here"}'), join(place.root, CLAUDE));
    const { problems } = await started(place);
    expect(problems.map(({ message }) => message).join('\n')).toContain('outside of the project and no settings of');
    expect(JSON.stringify(problems)).not.toMatch(/secret|here"/);
  });

  test.each<[what: string, make: (file: string) => void, said: string]>([
    ['a named pipe', (file) => execFileSync('mkfifo', [file]), 'is not a regular file; replace it with one'],
    [
      'a link to an endless device',
      (file) => symlinkSync('/dev/zero', file),
      'is not a regular file; replace it with one',
    ],
    [
      'larger than a person writes',
      (file) => {
        writeFileSync(file, '{}');
        truncateSync(file, 3 * 2 ** 30);
      },
      'has 3221225472 bytes; at most 1048576 are read',
    ],
  ])('that are %s are left alone, at once, and that is told', { timeout: 5_000 }, async (_what, make, said) => {
    const place = createPlace();
    mkdirSync(join(place.root, dirname(CLAUDE)));
    make(join(place.root, CLAUDE));
    const { problems } = await started(place);
    expect(problems).toMatchObject([
      { severity: 'error', file: join(place.root, CLAUDE), message: `the file ${said}` },
    ]);
  });

  test('R525 of a project do not switch off the hooks of the user, who may', async () => {
    const place = createPlace();
    place.write('home/.claude/settings.json', claude('echo no >&2; exit 2'));
    place.write(CLAUDE, { disableAllHooks: true });
    const hooks = await started(place);
    expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ verdict: 'deny', reason: 'no' });
    place.write('home/.claude/settings.json', { disableAllHooks: true, ...claude('echo no >&2; exit 2') });
    const off = await started(place);
    expect(await off.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ verdict: 'none' });
  });

  test('R678 of the user that everybody may write do not count, which is an error', async () => {
    const place = createPlace();
    const mark = join(place.root, 'ran');
    chmodSync(place.write('home/.claude/settings.json', claude(`touch ${mark}`)), 0o666);
    const hooks = await started(place);
    expect(hooks.problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining('can be written by every user') },
    ]);
    await hooks.beforeTool({ tool: 'Bash', input: {} });
    expect(existsSync(mark)).toBe(false);
  });

  test('are not imported through a link out of the project, nor into what cannot be read', async () => {
    const place = createPlace();
    mkdirSync(join(place.root, dirname(CLAUDE)));
    const foreign = place.write('elsewhere/settings.json', claude('touch x'));
    symlinkSync(foreign, join(place.root, CLAUDE));
    const linked = await importHooks({ from: 'claude-code', ...place, env: {} });
    expect(linked).toMatchObject({ changes: [], files: [] });
    expect(linked.problems).toMatchObject([{ message: expect.stringContaining('is outside the project') }]);

    rmSync(join(place.root, CLAUDE));
    place.write(CLAUDE, claude('touch x'));
    const own = place.write('project/.hookwright/settings.json', '{"hooks":{}}');
    truncateSync(own, 2 * 2 ** 20);
    const large = await importHooks({ from: 'claude-code', ...place, env: {} });
    expect(large.changes).toEqual([]);
    expect(large.problems).toMatchObject([
      { file: own, message: expect.stringContaining('nothing is brought into it') },
    ]);
  });
});
