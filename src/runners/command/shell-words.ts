// Splits command lines into words as a shell does.
export type Variables = Readonly<Record<string, string>>;

const shellCharacters = new Set('|&;<>()$`\\*?[]#~=%!{}');

const isControl = (character: string): boolean => character < ' ' || character === '\u007f';

const variablePattern = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y;

interface VariableReference {
  readonly name: string;
  readonly value: string;
  readonly length: number;
}

const parseReference = (line: string, index: number, variables: Variables): VariableReference | undefined => {
  variablePattern.lastIndex = index;
  const match = variablePattern.exec(line);
  const name = match?.[1] ?? match?.[2];
  if (match === null || name === undefined || !Object.hasOwn(variables, name)) return undefined;
  return { name, value: variables[name] ?? '', length: match[0].length };
};

const parseDoubleQuoted = (
  line: string,
  start: number,
  variables: Variables,
): { text: string; end: number } | undefined => {
  let text = '';
  for (let index = start; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === '"') return { text, end: index };
    if (character === '`' || character === '\\' || character === '!') return undefined;
    if (character !== '$') {
      text += character;
      continue;
    }
    const known = parseReference(line, index, variables);
    if (known === undefined) return undefined;
    text += known.value;
    index += known.length - 1;
  }
  return undefined;
};

/** `undefined` if a shell could give any part another meaning than a word, a simple quote or a known variable. */
export const splitPlainWords = (line: string, variables: Variables): string[] | undefined => {
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
      const quoted = parseDoubleQuoted(line, index + 1, variables);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      index = quoted.end;
    } else if (character === '$') {
      const known = parseReference(line, index, variables);
      if (known === undefined) return undefined;
      word = (word ?? '') + known.value;
      index += known.length - 1;
    } else if (shellCharacters.has(character) || isControl(character)) {
      return undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
};

export const expandPlainly = (text: string, variables: Variables): string => {
  if (!text.includes('$')) return text;
  let expanded = '';
  for (let index = 0; index < text.length; index += 1) {
    const known = text[index] === '$' ? parseReference(text, index, variables) : undefined;
    expanded += known?.value ?? text[index];
    if (known !== undefined) index += known.length - 1;
  }
  return expanded;
};

export interface VariableWriter {
  readonly unquoted: (known: VariableReference) => string;
  readonly doubleQuoted?: (known: VariableReference) => string;
  readonly escape: string;
  readonly singleQuotes: boolean;
}

export const expandForShell = (line: string, variables: Variables, writer: VariableWriter): string => {
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
      const known = character === '$' && write !== undefined ? parseReference(line, index, variables) : undefined;
      expanded += known === undefined || write === undefined ? character : write(known);
      if (known !== undefined) index += known.length - 1;
    }
  }
  return expanded;
};

export type ShellKind = 'posix' | 'powershell' | 'cmd' | 'other';

/** Always quoted: without quotes, `2` before `>` is a file descriptor, and `if` is a keyword. */
export const quoteForPosix = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/** Contains `"` too, because an escaped quotation mark does not start the quoted mode of cmd.exe. */
const cmdSpecialPattern = /[()[\]%!^"`<>&|;, *?]/g;

/**
 * Quotes for the parser of the program, then for cmd.exe, which reads arguments of batch files twice and cannot quote
 * line breaks.
 */
export const quoteForCmd = (value: string, reader: 'program' | 'batch' = 'program'): string => {
  const oneLine = value.replace(/[\r\n]+/g, ' ');
  const quoted = `"${oneLine.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`;
  const escaped = quoted.replace(cmdSpecialPattern, '^$&');
  return reader === 'batch' ? escaped.replace(cmdSpecialPattern, '^$&') : escaped;
};
