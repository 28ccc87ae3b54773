import { describe, expect, test } from 'vitest';
import { environmentOf, knownVariables } from '../../src/runners/environment.ts';

const variables = knownVariables({ projectDir: '/p', cwd: '/p/sub', sessionId: 's1' });
const parts = { base: {}, variables, runId: 'run-1', platform: 'linux' } as const;

test('hooks find the project, the directory and the session under the names of three agents', () => {
  expect(variables).toEqual({
    GEMINI_PROJECT_DIR: '/p',
    CLAUDE_PROJECT_DIR: '/p',
    HOOKWRIGHT_PROJECT_DIR: '/p',
    GEMINI_CWD: '/p/sub',
    CLAUDE_CWD: '/p/sub',
    HOOKWRIGHT_CWD: '/p/sub',
    GEMINI_SESSION_ID: 's1',
    CLAUDE_SESSION_ID: 's1',
    HOOKWRIGHT_SESSION_ID: 's1',
  });
});

test('what the host adds may replace them', () => {
  const added = knownVariables({ projectDir: '/p', cwd: '/p', sessionId: 's1' }, { CLAUDE_CWD: '/x', MINE: 'm' });
  expect(added).toMatchObject({ CLAUDE_CWD: '/x', MINE: 'm', GEMINI_CWD: '/p' });
});

test("the hook's own variables win over ours, and ours over those of the host", () => {
  const base = { CLAUDE_CWD: 'base', GEMINI_CWD: 'base', KEPT: 'base', PATH: '/bin' };
  const environment = environmentOf({ ...parts, base, own: { CLAUDE_CWD: 'own', NEW: 'own' } });
  expect(environment).toMatchObject({
    CLAUDE_CWD: 'own',
    GEMINI_CWD: '/p/sub',
    KEPT: 'base',
    NEW: 'own',
    PATH: '/bin',
  });
});

test('nobody but us says what the marker is', () => {
  const marked = environmentOf({ ...parts, base: { HOOKWRIGHT_RUN: 'outer' }, own: { HOOKWRIGHT_RUN: 'mine' } });
  expect(marked.HOOKWRIGHT_RUN).toBe('run-1');
});

test.each([
  [undefined, '1'],
  ['', '1'],
  ['0', '1'],
  ['no number', '1'],
  ['1', '1'],
  ['3', '3'],
])('F64 SHLVL %s becomes %s, so that no bash takes itself for a remote login', (given, expected) => {
  const base: Record<string, string> = given === undefined ? {} : { SHLVL: given };
  expect(environmentOf({ ...parts, base }).SHLVL).toBe(expected);
});

test('neither the base nor the variables are changed', () => {
  const base = Object.freeze({ A: '1' });
  environmentOf({ ...parts, base, variables: Object.freeze({ ...variables }), own: Object.freeze({ A: '2' }) });
  expect(base).toEqual({ A: '1' });
});

describe('Windows', () => {
  test('a name replaces the one that differs by case only', () => {
    const base = { Path: 'C:\\Windows', Other: 'x' };
    const environment = environmentOf({ ...parts, base, own: { PATH: 'C:\\mine' }, platform: 'win32' });
    expect(environment).toMatchObject({ PATH: 'C:\\mine', Other: 'x' });
    expect(environment).not.toHaveProperty('Path');
  });
});
