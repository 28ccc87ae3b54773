import { expect, test } from 'vitest';
import { killTreeCommand } from '../../src/runners/kill-tree.ts';

test('Windows: the tree is ended by taskkill, by its absolute path', () => {
  expect(killTreeCommand('win32', 42, { SystemRoot: 'D:\\Win' })).toEqual({
    file: 'D:\\Win\\System32\\taskkill.exe',
    args: ['/PID', '42', '/T', '/F'],
  });
  expect(killTreeCommand('win32', 42, {})?.file).toBe('C:\\Windows\\System32\\taskkill.exe');
});

test.each(['linux', 'darwin', 'freebsd'] as const)('%s has process groups', (platform) => {
  expect(killTreeCommand(platform, 42, {})).toBeUndefined();
});
