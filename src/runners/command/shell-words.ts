/** Values that a command line may name as `$NAME` or `${NAME}`. */
export type Variables = Readonly<Record<string, string>>;

const syntax = new Set('|&;<>()$`\\*?[]#~=%!{}');

const isControl = (character: string): boolean => character < ' ' || character === '\u007f';

const reference = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;

interface Reference {
  readonly name: string;
  readonly value: string;
  readonly length: number;
}

/** The known variable that is named at this place of the line, if one is. */
const referenceAt = (line: string, index: number, variables: Variables): Reference | undefined => {
  reference.lastIndex = index;
  const match = reference.exec(line);
  const name = match?.[1] ?? match?.[2];
  if (match === null || name === undefined || !Object.hasOwn(variables, name)) return undefined;
  return { name, value: variables[name] ?? '', length: match[0].length };
};

/** What stands between double quotes, and where it ends; nothing when a shell would do more than copy it. */
const doubleQuoted = (line: string, start: number, variables: Variables): { text: string; end: number } | undefined => {
  let text = '';
  for (let index = start; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === '"') return { text, end: index };
    if (character === '`' || character === '\\' || character === '!') return undefined;
    if (character !== '$') {
      text += character;
      continue;
    }
    const known = referenceAt(line, index, variables);
    if (known === undefined) return undefined;
    text += known.value;
    index += known.length - 1;
  }
  return undefined;
};

/**
 * The words of a line that needs no shell: words, plain quotes and known variables. Nothing when anything in it could
 * mean more than itself; when in doubt it is left to the shell.
 */
export const plainWords = (line: string, variables: Variables): string[] | undefined => {
  const words: string[] = [];
  let word: string | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === ' ' || character === '\t') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'") {
      const end = line.indexOf("'", index + 1);
      if (end === -1) return undefined;
      word = (word ?? '') + line.slice(index + 1, end);
      index = end;
    } else if (character === '"') {
      const quoted = doubleQuoted(line, index + 1, variables);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      index = quoted.end;
    } else if (character === '$') {
      const known = referenceAt(line, index, variables);
      if (known === undefined) return undefined;
      word = (word ?? '') + known.value;
      index += known.length - 1;
    } else if (syntax.has(character) || isControl(character)) {
      return undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
};

/** Replaces known variables by their value, as it stands: for texts that no shell reads. */
export const expandPlainly = (text: string, variables: Variables): string => {
  if (!text.includes('$')) return text;
  let expanded = '';
  for (let index = 0; index < text.length; index += 1) {
    const known = text[index] === '$' ? referenceAt(text, index, variables) : undefined;
    expanded += known?.value ?? text[index];
    if (known !== undefined) index += known.length - 1;
  }
  return expanded;
};

/** How a known variable is written into a line for a shell. */
export interface Writer {
  readonly unquoted: (known: Reference) => string;
  /** Absent where the shell itself finds the variable in its environment. */
  readonly doubleQuoted?: (known: Reference) => string;
  /** What takes the meaning from the next character. */
  readonly escape: string;
  readonly singleQuotes: boolean;
}

/** Replaces known variables in a line that a shell will read. Single quotes mean "as it stands", here too. */
export const expandForShell = (line: string, variables: Variables, writer: Writer): string => {
  if (!line.includes('$')) return line;
  let expanded = '';
  let quote = '';
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === writer.escape && quote !== "'") {
      expanded += line.slice(index, index + 2);
      index += 1;
    } else if (character === '"' && quote !== "'") {
      quote = quote === '"' ? '' : '"';
      expanded += character;
    } else if (character === "'" && writer.singleQuotes && quote !== '"') {
      quote = quote === "'" ? '' : "'";
      expanded += character;
    } else {
      const write = quote === '' ? writer.unquoted : quote === '"' ? writer.doubleQuoted : undefined;
      const known = character === '$' && write !== undefined ? referenceAt(line, index, variables) : undefined;
      expanded += known === undefined || write === undefined ? character : write(known);
      if (known !== undefined) index += known.length - 1;
    }
  }
  return expanded;
};

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
