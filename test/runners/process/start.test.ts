import diagnostics from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import { loadExeca } from '../../../src/runners/process-api.ts';

// On POSIX a process is started without execa; where it is needed, the whole process is listened to for a moment.
test('what this process starts is looked at only while a hook is started', async () => {
  const start = await loadExeca();
  expect(diagnostics.channel('child_process').hasSubscribers).toBe(false);
  const limits = { drainMs: 100, stdoutBytes: 1_000, stderrBytes: 1_000 };
  const request = { file: process.execPath, args: ['--eval', ''], cwd: process.cwd(), env: {}, stdin: '' };
  const started = start({ ...request, timeoutMs: 5_000, limits });
  expect(diagnostics.channel('child_process').hasSubscribers).toBe(false);
  if (!('child' in started)) throw new Error('it was not started');
  await new Promise<void>((resolve) => started.child.once('exit', () => resolve()));
});
