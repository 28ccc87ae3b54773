import { expect, test } from 'vitest';
import { killTreeCommand } from '../../../src/runners/process/kill-processes.ts';

test('Windows: the tree is ended by taskkill, by its absolute path', () => {
  expect(killTreeCommand(42, { SystemRoot: 'D:\\Win' })).toEqual({
    file: 'D:\\Win\\System32\\taskkill.exe',
    args: ['/PID', '42', '/T', '/F'],
  });
  expect(killTreeCommand(42, {}).file).toBe('C:\\Windows\\System32\\taskkill.exe');
});
