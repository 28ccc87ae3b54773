import { describe, expect, test } from 'vitest';
import { convertHooks, createTarget, hookwrightTarget } from '../../src/agents/convert.ts';
import { type Dialect, dialectNamed, dialects, readDialectFile } from '../../src/agents/index.ts';

const need = (name: string): Dialect => {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  return dialect;
};

const claude = need('claude-code');

const settings = (command: string): object => ({
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
});

const converted = (from: Dialect, to: string, written: object, scope: 'project' | 'user' = 'project') => {
  const file = { path: '/home/u/.cursor/hooks.json', scope, form: 'settings', text: JSON.stringify(written) };
  const target = to === 'hookwright' ? hookwrightTarget : createTarget(need(to));
  const { settings: out, losses } = convertHooks(readDialectFile(from, file).entries, from, target);
  return { text: JSON.stringify(out), losses: losses.map(({ message }) => message) };
};

describe('a line that names the directory of the project', () => {
  test.each([
    ['codex', '"$(git rev-parse --show-toplevel)"/guard.sh'],
    ['gemini', '"$CLAUDE_PROJECT_DIR"/guard.sh'],
    ['qwen-code', '"$CLAUDE_PROJECT_DIR"/guard.sh'],
    ['cursor', '"$CLAUDE_PROJECT_DIR"/guard.sh'],
    ['llxprt', '"$LLXPRT_PROJECT_DIR"/guard.sh'],
    ['copilot', '"."/guard.sh'],
    ['vscode', '"."/guard.sh'],
    ['antigravity', '"."/guard.sh'],
    ['hookwright', '"$CLAUDE_PROJECT_DIR"/guard.sh'],
  ])('of Claude Code says it in the words of %s', (to, line) => {
    const { text, losses } = converted(claude, to, settings('"${CLAUDE_PROJECT_DIR}"/guard.sh'));
    const plain = line.replace('$CLAUDE_PROJECT_DIR', '${CLAUDE_PROJECT_DIR}');
    expect(text).toContain(JSON.stringify(plain));
    expect(losses.some((loss) => loss.includes('sets no CLAUDE_PROJECT_DIR'))).toBe(plain === line);
  });

  test('leaves longer names alone', () => {
    const { text } = converted(claude, 'codex', settings('$CLAUDE_PROJECT_DIRECTORY/guard.sh'));
    expect(text).toContain('$CLAUDE_PROJECT_DIRECTORY/guard.sh');
  });

  test('and one of another agent is said in the words of ours', () => {
    const written = { version: 1, hooks: { preToolUse: [{ command: '$CURSOR_PROJECT_DIR/guard.sh' }] } };
    const { text } = converted(need('cursor'), 'hookwright', written);
    expect(text).toContain('$HOOKWRIGHT_PROJECT_DIR/guard.sh');
  });
});

test('a line of the user that Cursor starts beside its settings keeps its script', () => {
  const written = { version: 1, hooks: { preToolUse: [{ command: './hooks/guard.sh --all' }] } };
  expect(converted(need('cursor'), 'claude-code', written, 'user').text).toContain(
    JSON.stringify('"/home/u/.cursor/hooks/guard.sh" --all').slice(1, -1),
  );
  expect(converted(need('cursor'), 'claude-code', written).text).toContain('"./hooks/guard.sh --all"');
});

describe('ways to say no', () => {
  test.each([
    ['gemini', 'a denial in the format of Claude Code blocks in Claude Code; Gemini CLI goes on'],
    ['codex', 'exit code 2, no output blocks in Claude Code; Codex goes on'],
    ['qwen-code', 'exit code 2, no output blocks in Claude Code; Qwen Code goes on'],
  ])('that %s does not hear are told', (to, loss) => {
    const { losses } = converted(claude, to, settings('./guard.sh'));
    expect(losses.filter((one) => one.startsWith(loss))).toHaveLength(1);
  });

  test('are asked of our own engine, too', () => {
    const own = converted(claude, 'hookwright', settings('./guard.sh')).losses;
    expect(own.filter((loss) => loss.includes('blocks in Claude Code'))).toEqual([]);
    const cursor = { version: 1, hooks: { preToolUse: [{ command: './guard.sh' }] } };
    expect(converted(need('cursor'), 'hookwright', cursor).losses.filter((loss) => loss.includes('goes on'))).toEqual(
      [],
    );
    const copilot = { version: 1, hooks: { preToolUse: [{ bash: './guard.sh' }] } };
    expect(converted(need('copilot'), 'hookwright', copilot).losses).toContain(
      'exit code 1 blocks in Copilot CLI; hookwright goes on',
    );
  });

  test('a script that fails denies in Copilot CLI and nowhere it is brought to but Antigravity', () => {
    const written = { version: 1, hooks: { preToolUse: [{ bash: './guard.sh' }] } };
    for (const { name, title } of dialects) {
      const { losses } = converted(need('copilot'), name, written);
      const isTold = losses.some((loss) => loss.startsWith(`exit code 1 blocks in Copilot CLI; ${title}`));
      expect([name, isTold]).toEqual([name, !['copilot', 'antigravity'].includes(name)]);
    }
  });

  test('are told once for each event, and none is where both hear the same', () => {
    const two = {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              { type: 'command', command: 'a' },
              { type: 'command', command: 'b' },
            ],
          },
        ],
      },
    };
    expect(converted(claude, 'codex', two).losses.filter((loss) => loss.startsWith('exit code 2'))).toHaveLength(1);
    expect(converted(claude, 'vscode', two).losses.filter((loss) => loss.includes('blocks in Claude Code'))).toEqual(
      [],
    );
  });
});
