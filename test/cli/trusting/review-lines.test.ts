import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toTerminal } from '../../../src/cli/rendering/text.ts';
import { formatGoneHooks, formatHookReview } from '../../../src/cli/trusting/review-lines.ts';
import type { ReviewedHook } from '../../../src/trust/index.ts';

const reviewed = (name: string, command: string, more: Partial<ReviewedHook> = {}): ReviewedHook => ({
  id: 'a'.repeat(64),
  hookId: 'project/BeforeTool/x',
  name,
  file: '/project/.hookwright/settings.json',
  line: 3,
  status: 'new',
  entry: {
    kind: 'hook',
    event: 'BeforeTool',
    matcher: '',
    sequential: false,
    source: 'project',
    hook: { name, command },
  },
  script: { covered: false, files: [], notes: [] },
  ...more,
});

const shown = (hook: ReviewedHook): string => toTerminal(formatHookReview(hook, { width: 80, cwd: '/project' }), false);

describe('what is shown of a hook before it is approved', () => {
  test('has a line break in a command in sight', () => {
    expect(shown(reviewed('x', 'true\nrm -rf ~'))).toContain('"true\\nrm -rf ~"');
  });

  test.each([
    ['an escape sequence', 'x\u001b[2J\u001b[H'],
    ['a change of direction', 'safe\u202egnp.exe'],
    ['a character of no width', 'gu\u200bard'],
    ['blanks that push the rest away', `true${' '.repeat(200)}; rm -rf ~`],
  ])('gives %s away', (_title, command) => {
    const text = shown(reviewed('x', command));
    for (const character of ['\u001b', '\u202e', '\u200b']) expect(text).not.toContain(character);
    expect(text).toMatch(/command {3}"/);
  });

  test('cannot bring lines of its own, whatever it is called', () => {
    const printed = /^[^\p{Cc}]*$/u;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, command) => {
        const lines = shown(reviewed(name, command)).trimEnd().split('\n');
        expect(lines.every((line) => printed.test(line))).toBe(true);
        expect(lines[0]).toMatch(/^ {2}new /);
      }),
    );
  });

  test('says what changed since it was approved, but of a script only that it did', () => {
    const text = shown(
      reviewed('x', 'wget', {
        status: 'changed',
        previous: { entry: {}, approvedAt: '2026-01-02T03:04:05.678Z' },
        differences: [
          { what: 'hook.command', before: 'curl', after: 'wget' },
          { what: 'check.sh', before: 'sha256 aa', after: 'sha256 bb' },
          { what: 'hook.env.A', after: '1' },
        ],
      }),
    );
    expect(text).toContain('on 2026-01-02');
    expect(text).toContain('- curl');
    expect(text).toContain('+ wget');
    expect(text).toContain('check.sh has changed');
    expect(text).not.toContain('sha256');
    expect(text).toContain('hook.env.A');
  });

  test('tells of what is gone by name', () => {
    const gone = { id: 'a', hookId: 'b', name: 'x\ny', entry: {}, approvedAt: '2026-01-02T03:04:05.678Z' };
    expect(toTerminal(formatGoneHooks([gone], { width: 80, cwd: '/' }), false)).toContain('"x\\ny"');
  });
});
