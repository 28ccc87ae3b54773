/** What an interpreter is told to run. */
export interface ScriptArguments {
  /** Files: the script, and what options in front of it may load. */
  readonly files: readonly string[];
  /** Whether the program stands in the arguments themselves. */
  readonly isInline: boolean;
}

/** Arguments that carry the program themselves, so that what follows is no file. */
const inlinePrograms = /^-(?:[a-z]*[ce]|m|p|-eval|-print)$/;

/** The program that stands in an argument, behind `-c` or `-e`; nothing when it stands in a file. */
export const inlineProgram = (args: readonly string[]): { readonly text: string } | undefined => {
  const index = args.findIndex((arg) => inlinePrograms.test(arg));
  return index === -1 ? undefined : { text: args[index + 1] ?? '' };
};

/** Options that no value follows, so that what comes next is the script. */
const plainFlags =
  /^-[euxvnBEIsSquwT]+$|^--(?:no-[\w-]+|trace[\w-]*|inspect[\w-]*|harmony[\w-]*|norc|noprofile|posix|verbose|quiet|silent)$/;

/**
 * Finds the script among the arguments of an interpreter: the first that is no option. What follows an option that may
 * take a value counts as well, because it may be loaded (`node --import ./setup.mjs check.mjs`); where it cannot be told
 * which of two is the script, both are named.
 */
export const scriptArguments = (args: readonly string[]): ScriptArguments => {
  const files: string[] = [];
  for (const [index, arg] of args.entries()) {
    if (arg.startsWith('-')) {
      if (inlinePrograms.test(arg)) return { files, isInline: true };
      const value = /^--?[\w-]+=(.+)$/.exec(arg)?.[1];
      if (value !== undefined) files.push(value);
      continue;
    }
    files.push(arg);
    const before = args[index - 1] ?? '';
    const mayBeValue = before.startsWith('-') && before !== '--' && !before.includes('=') && !plainFlags.test(before);
    // `deno run check.ts`: the word may be a script, and may stand before one.
    if (!mayBeValue && arg !== 'run') break;
  }
  return { files, isInline: false };
};
