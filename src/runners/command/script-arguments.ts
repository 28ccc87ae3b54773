/** By which option a family of interpreters is given the program itself; several stand in one word, as in `-Ic`. */
interface Family {
  readonly names: RegExp;
  readonly inline: RegExp;
}

const families: readonly Family[] = [
  { names: /^(?:pwsh|powershell)$/, inline: /^-(?:c|command|e|ec|encodedcommand)$/i },
  { names: /sh$/, inline: /^-[A-Za-z]*c[A-Za-z]*$/ },
  { names: /^python/, inline: /^-[bBdEhiIOPqsSuvVx]*[cm]/ },
  { names: /^perl/, inline: /^-[acfhlnpsStTuUvwWX\d]*[eE]/ },
  { names: /^(?:ruby|lua)/, inline: /^-[aclnpsSvwW]*e/ },
  { names: /^php/, inline: /^-[rBRE]/ },
];

const anyFamily: Family = { names: /^/, inline: /^-(?:[a-z]*[ce]|m|p|-eval|-print)(?:=|$)/ };

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
