/** What an interpreter is told to run. */
export interface ScriptArguments {
  /** Files: the script, and what options in front of it may load. */
  readonly files: readonly string[];
  /** Whether the program stands in the arguments themselves. */
  readonly isInline: boolean;
  /** Whether the program comes from its input although files are named. */
  readonly readsInput: boolean;
  /** Options with a value of their own in the same word, which may load anything: `-Mmodule`, `-r./setup`. */
  readonly loading: readonly string[];
}

/** How the options of a family of interpreters are read; several stand in one word, as in `-Ic`. */
interface Family {
  readonly names: RegExp;
  /** Options that carry the program itself, so that what follows is no file. */
  readonly inline: RegExp;
  /** Options that no value follows, so that what comes next is the script. */
  readonly flags: RegExp;
  readonly loading?: RegExp;
  readonly input?: RegExp;
}

const families: readonly Family[] = [
  { names: /^(?:pwsh|powershell)$/, inline: /^-(?:c|command|e|ec|encodedcommand)$/i, flags: /^-no\w+$/i },
  {
    names: /sh$/,
    inline: /^-[A-Za-z]*c[A-Za-z]*$/,
    flags: /^[-+][abefhklmnptuvxBCEHPT]+$/,
    input: /^-[A-Za-z]*s[A-Za-z]*$/,
  },
  { names: /^python/, inline: /^-[bBdEhiIOPqsSuvVx]*[cm]/, flags: /^-[bBdEiIOPqsSuvVx]+$/ },
  {
    names: /^perl/,
    inline: /^-[acfhlnpsStTuUvwWX\d]*[eE]/,
    flags: /^-[acfnpsStTuUvwWX]+$/,
    loading: /^-[IMmF]./,
  },
  { names: /^(?:ruby|lua)/, inline: /^-[aclnpsSvwW]*e/, flags: /^-[aclnpsSvwi]+$/, loading: /^-[ICrlx]./ },
  { names: /^php/, inline: /^-[rBRE]/, flags: /^-[nqwaev]+$/ },
];

const anyFamily: Family = {
  names: /^/,
  inline: /^-(?:[a-z]*[ce]|m|p|-eval|-print)(?:=|$)/,
  flags: /^-[uvwqx]+$/,
};

const familyOf = (program: string): Family => {
  const name = program.replace(/\.exe$/i, '');
  return families.find(({ names }) => names.test(name)) ?? anyFamily;
};

/** The program that stands in an argument, behind `-c` or `-e`; nothing when it stands in a file. */
export const inlineProgram = (args: readonly string[], program = ''): { readonly text: string } | undefined => {
  const { inline } = familyOf(program);
  const index = args.findIndex((arg) => inline.test(arg));
  return index === -1 ? undefined : { text: args[index + 1] ?? '' };
};

/** Long options that no value follows. */
const longFlags = /^--(?:no-[\w-]+|trace[\w-]*|inspect[\w-]*|harmony[\w-]*|norc|noprofile|posix|verbose|quiet|silent)$/;

/**
 * Finds the script among the arguments of an interpreter: the first that is no option. What follows an option that may
 * take a value counts as well, because it may be loaded (`node --import ./setup.mjs check.mjs`); where it cannot be told
 * which of two is the script, both are named.
 */
export const scriptArguments = (args: readonly string[], program = ''): ScriptArguments => {
  const { inline, flags, loading: loads, input } = familyOf(program);
  const files: string[] = [];
  const loading: string[] = [];
  let readsInput = false;
  for (const [index, arg] of args.entries()) {
    const isFlag = flags.test(arg);
    if (arg.startsWith('-') || isFlag) {
      if (inline.test(arg)) return { files, isInline: true, readsInput, loading };
      const value = /^--?[\w-]+=(.+)$/.exec(arg)?.[1];
      if (value !== undefined) files.push(value);
      if (loads?.test(arg)) loading.push(arg);
      readsInput ||= input?.test(arg) === true;
      continue;
    }
    files.push(arg);
    const before = args[index - 1] ?? '';
    const mayTakeValue = before.startsWith('-') && before !== '--' && !before.includes('=');
    // `deno run check.ts`: the word may be a script, and may stand before one.
    if (!(mayTakeValue && !flags.test(before) && !longFlags.test(before)) && arg !== 'run') break;
  }
  return { files, isInline: false, readsInput, loading };
};
