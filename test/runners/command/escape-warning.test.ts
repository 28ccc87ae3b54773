import { describe, expect, test } from 'vitest';
import { warnOfEscape } from '../../../src/runners/command/run-command.ts';

describe.each(['darwin', 'win32'] as const)('F06 on %s', (platform) => {
  test.each(['setsid sleep 30 & sleep 30', 'set -m; sleep 30 &', 'server & disown', 'Start-Process server'])(
    '%s is warned of',
    (command) => expect(warnOfEscape({ command }, platform)).toMatchObject({ code: 'escaped-process' }),
  );

  test.each(['./check.sh', 'reset -more', 'echo resetsid'])('%s is not', (command) => {
    expect(warnOfEscape({ command }, platform)).toBeUndefined();
  });

  test('args are looked at too, and a hook that may leave something behind is not warned of', () => {
    expect(warnOfEscape({ command: 'env', args: ['setsid', 'server'] }, platform)).toBeDefined();
    expect(warnOfEscape({ command: 'setsid server', leaveBackground: true }, platform)).toBeUndefined();
  });
});

test('F06 on Linux the marker finds them', () => {
  expect(warnOfEscape({ command: 'setsid sleep 30' }, 'linux')).toBeUndefined();
});
