import { shorten } from '../../kit/index.ts';
import { type Notice, notice } from '../../protocol/index.ts';

/** How interpreters and tools complain when they never came to run what was asked of them, yet end with 2. */
const complaints: readonly RegExp[] = [
  /can't open file .*\[Errno \d+\]/,
  /^Can't open perl script /,
  /^(?:[\w./-]*\/)?(?:sh|bash|dash|zsh|ksh): .*(?:not found|No such file|[Ss]yntax error|unexpected EOF|cannot open|Can't open|Permission denied)/,
  /: line \d+: (?:syntax error|unexpected EOF)/,
  /: \d+: Syntax error: /,
  /^(?:e?grep|ls|awk|g?awk|diff|find|sort|make|tar|jq)\b.*: .*(?:No such file|cannot open|[Cc]ould not open|Permission denied|No rule)/,
  /^Error: Cannot find module /,
  /: error: (?:the following arguments are required|unrecognized arguments|argument )/,
];

const MAX_LINES = 20;

/**
 * The line in which an interpreter reports that it could not do its own work. A hook that exits with 2 blocks all the
 * same, since only its author can know what it meant; this is for the person who looks for the reason.
 */
export const suspectLaunch = (stderr: string): Notice | undefined => {
  const lines = stderr.split('\n', MAX_LINES).map((line) => line.slice(0, 500).trim());
  const complaint = lines.find((line) => complaints.some((pattern) => pattern.test(line)));
  if (complaint === undefined) return undefined;
  const said = shorten(complaint, 200);
  return notice(
    'suspect-launch',
    `exit code 2 came with "${said}": the command may have failed to start rather than decided to block`,
  );
};
