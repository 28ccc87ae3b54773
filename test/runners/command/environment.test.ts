import { describe, expect, test } from 'vitest';
import {
  createHookEnvironment,
  createSessionEnvironment,
  selectKnownVariables,
} from '../../../src/runners/environment.ts';

const place = { projectDir: '/p', cwd: '/p/sub', sessionId: 's1' };
const variables = selectKnownVariables(place);

const build = (
  base: Record<string, string>,
  own?: Record<string, string>,
  platform: NodeJS.Platform = 'linux',
): Record<string, string> =>
  createHookEnvironment(createSessionEnvironment({ ...place, environment: base, platform }), {
    own,
    runId: 'run-1',
    platform,
  });

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
  const added = selectKnownVariables({ projectDir: '/p', cwd: '/p', sessionId: 's1' }, { CLAUDE_CWD: '/x', MINE: 'm' });
  expect(added).toMatchObject({ CLAUDE_CWD: '/x', MINE: 'm', GEMINI_CWD: '/p' });
});

test("the hook's own variables win over ours, and ours over those of the host", () => {
  const base = { CLAUDE_CWD: 'base', GEMINI_CWD: 'base', KEPT: 'base', PATH: '/bin' };
  expect(build(base, { CLAUDE_CWD: 'own', NEW: 'own' })).toMatchObject({
    CLAUDE_CWD: 'own',
    GEMINI_CWD: '/p/sub',
    KEPT: 'base',
    NEW: 'own',
    PATH: '/bin',
  });
});

test('nobody but us says what the marker is', () => {
  expect(build({ HOOKWRIGHT_RUN: 'outer' }).HOOKWRIGHT_RUN).toBe('run-1');
  expect(build({}, { HOOKWRIGHT_RUN: 'mine' }).HOOKWRIGHT_RUN).toBe('run-1');
});

test.each([
  [undefined, '1'],
  ['', '1'],
  ['0', '1'],
  ['no number', '1'],
  ['1', '1'],
  ['3', '3'],
])('F64 SHLVL %s becomes %s, so that no bash takes itself for a remote login', (given, expected) => {
  expect(build(given === undefined ? {} : { SHLVL: given }).SHLVL).toBe(expected);
});

test('what is given is not changed, and what is made belongs to one hook', () => {
  const base = Object.freeze({ A: '1' });
  const first = build(base, Object.freeze({ A: '2' }));
  first.B = 'mine';
  expect(build(base)).toEqual({ ...variables, A: '1', SHLVL: '1', HOOKWRIGHT_RUN: 'run-1' });
});

test('a change of session or directory is seen', () => {
  const environment = { A: '1' };
  const session = (sessionId: string, added?: Record<string, string>) =>
    createSessionEnvironment({ ...place, environment, sessionId, added, platform: 'linux' });
  expect(session('s1')).toBe(session('s1'));
  expect(session('s2').environment).toMatchObject({ A: '1', CLAUDE_SESSION_ID: 's2' });
  expect(session('s2', { MINE: 'm' }).variables).toMatchObject({ CLAUDE_SESSION_ID: 's2', MINE: 'm' });
});

describe('Windows', () => {
  test('a name replaces the one that differs by case only', () => {
    const environment = build({ Path: 'C:\\Windows', Other: 'x' }, { PATH: 'C:\\mine' }, 'win32');
    expect(environment).toMatchObject({ PATH: 'C:\\mine', Other: 'x' });
    expect(environment).not.toHaveProperty('Path');
  });
});
