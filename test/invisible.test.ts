import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AbilityLog } from '../src/abilities/index.ts';
import { TaskStore } from '../src/abilities/internal.ts';
import { importHooks } from '../src/agents/index.ts';
import { setJsonValues } from '../src/cli/hook-tests/update-tests.ts';
import { appendToList } from '../src/cli/settings-edit/edit-text.ts';
import { createHooks } from '../src/index.ts';
import { record } from '../src/sessions/index.ts';
import { openTap } from '../src/sessions/tap.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** A direction that changes, a character without width, an escape sequence, a hidden text. */
const HOSTILE = 'a\u202eb\u200bc\u001b[2Jd\u{e0041}';
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const directory = (): string => temporaryFolder('invisible');

const textsBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));

/** Each of these writes somebody else's text; what comes back is all that was written, and what it has to mean. */
const writers: Readonly<Record<string, () => Promise<{ written: readonly string[]; means: unknown }>>> = {
  'a change of settings': async () => {
    const edited = appendToList('{\n\t"a": 1\n}\n', ['hooksConfig', 'disabled'], HOSTILE);
    const text = edited.ok ? edited.text : '';
    return { written: [text], means: JSON.parse(text) };
  },
  'an update of a test': async () => {
    const text = setJsonValues('{\n  "expect": {}\n}', [{ path: ['expect', 'reason'], value: HOSTILE }]);
    return { written: [text], means: JSON.parse(text) };
  },
  'an import from another agent': async () => {
    const root = directory();
    const cwd = join(root, 'project');
    mkdirSync(join(cwd, '.claude'), { recursive: true });
    const hook = { type: 'command', command: `echo ${HOSTILE}` };
    const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } };
    writeFileSync(join(cwd, '.claude/settings.json'), JSON.stringify(settings));
    const { changes } = await importHooks({ from: 'claude-code', cwd, home: join(root, 'home'), env: {} });
    return { written: changes.map(({ after }) => after), means: JSON.parse(changes[0]?.after ?? '{}') };
  },
  'a recording': async () => {
    const root = directory();
    const hooks = await createHooks({ sessionId: HOSTILE });
    hooks.on('BeforeTool', () => ({ decision: 'deny', reason: HOSTILE }), { name: HOSTILE });
    const recording = record(hooks.bus, { file: join(root, 'session.jsonl') });
    await hooks.beforeTool({ tool: HOSTILE, input: { [HOSTILE]: HOSTILE } });
    await recording.close();
    await hooks.close();
    const written = textsBelow(root);
    return {
      written,
      means: written.flatMap((text) => text.trim().split('\n')).map((line): unknown => JSON.parse(line)),
    };
  },
  'a tap': async () => {
    const hooks = await createHooks();
    const tap = await openTap(hooks.bus, { name: HOSTILE, directory: directory() });
    const socket = connect(tap.path);
    const text = await new Promise<string>((resolve) => socket.once('data', (piece) => resolve(String(piece))));
    socket.destroy();
    await tap.close();
    await hooks.close();
    return { written: [text], means: JSON.parse(text) };
  },
  'the task of an ability': async () => {
    const root = directory();
    await new TaskStore({ root }).create({
      ability_id: 'edit_file',
      ability_ref: { kind: 'ability_id', value: 'edit_file' },
      input: { path: HOSTILE },
      environment: undefined,
      session_id: HOSTILE,
      caller: { source: 'ai_session', session_id: HOSTILE },
      created_at: '2026-01-01T00:00:00.000Z',
    });
    const written = textsBelow(root);
    return { written, means: written.map((text): unknown => JSON.parse(text)) };
  },
  'the log of abilities': async () => {
    const root = directory();
    const log = new AbilityLog({ root });
    log.write({ kind: 'test', name: HOSTILE });
    await log.idle();
    const written = textsBelow(root);
    return { written, means: written.map((text): unknown => JSON.parse(text)) };
  },
};

describe.skipIf(process.platform === 'win32')('R821 what is written', () => {
  test.each(Object.entries(writers))(
    'by %s has nothing raw in it that cannot be seen, and means what it meant',
    async (_what, write) => {
      const { written, means } = await write();
      expect(written.length).toBeGreaterThan(0);
      for (const text of written) expect(text).not.toMatch(invisible);
      expect(JSON.stringify(means)).toContain(JSON.stringify(HOSTILE).slice(1, -1));
    },
  );
});
