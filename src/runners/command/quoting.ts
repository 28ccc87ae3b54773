/** How a shell is spoken to. `other` is a shell we know nothing about beyond `-c`. */
export type ShellKind = 'posix' | 'powershell' | 'cmd' | 'other';

/** One literal argument for sh, bash, dash and zsh. Always quoted: `2` before `>` or `if` in first place would mean more. */
export const quoteForPosix = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** What cmd.exe gives a meaning to, quotes included: once a quote has a caret, cmd never enters its quoted mode. */
const cmdSpecial = /[()[\]%!^"`<>&|;, *?]/g;

/**
 * One literal argument for a program started by cmd.exe: quoted for the program's own parser first, then for cmd.
 * A batch file has its arguments read by cmd a second time, so they are escaped twice. cmd ends a command at a line
 * break and has no way to quote one; line breaks become blanks.
 */
export const quoteForCmd = (value: string, reader: 'program' | 'batch' = 'program'): string => {
  const oneLine = value.replace(/[\r\n]+/g, ' ');
  const quoted = `"${oneLine.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`;
  const escaped = quoted.replace(cmdSpecial, '^$&');
  return reader === 'batch' ? escaped.replace(cmdSpecial, '^$&') : escaped;
};
