import { type HookConfig, type Notice, notice } from '../../protocol/index.ts';

/** Ways of a command line to put a process where neither a group nor a process tree reaches it. */
const waysOut = /\bsetsid\b|\bdisown\b|\bdaemonize\b|\bset\s+-\w*m|\bStart-Process\b|\bstart\s+\/b\b/i;

/** Where no marker can be looked up, an escaping process cannot be followed; the user of the hook should know. */
export const escapeWarning = (
  { command = '', args = [], leaveBackground = false }: Pick<HookConfig, 'command' | 'args' | 'leaveBackground'>,
  platform: NodeJS.Platform,
): Notice | undefined => {
  if (platform === 'linux' || leaveBackground) return undefined;
  const way = waysOut.exec([command, ...args].join(' '))?.[0];
  if (way === undefined) return undefined;
  return notice(
    'escaped-process',
    `"${way}" lets a process leave the hook, and on ${platform} it cannot be found again`,
    {
      fix: 'end it yourself',
    },
  );
};
