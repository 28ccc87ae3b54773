/** A value as it stands in a line for a shell, piece by piece: in quotes, or bare; what a shell would fill in is none. */
const piece = /'([^']*)'|"((?:[^"$`\\]|\\[$`"\\])*)"|([\w%+,./:=@^-]+)/y;

const assignment = /\s*([A-Za-z_]\w*)=/y;

/** What a line sets, where all it does is to set variables to plain values. */
const readLine = (line: string): [name: string, value: string][] | undefined => {
  const [start] = /^(?:export|declare -x)(?=\s)/.exec(line) ?? [];
  if (start === undefined) return undefined;
  const variables: [string, string][] = [];
  for (let at = start.length; at < line.length; ) {
    assignment.lastIndex = at;
    const [head, name] = assignment.exec(line) ?? [];
    if (head === undefined || name === undefined) return undefined;
    at += head.length;
    let value = '';
    for (; at < line.length && !/\s/.test(line[at] ?? ''); at = piece.lastIndex) {
      piece.lastIndex = at;
      const [found, single, double, bare = ''] = piece.exec(line) ?? [];
      if (found === undefined) return undefined;
      value += single ?? double?.replaceAll(/\\(.)/g, '$1') ?? bare;
    }
    variables.push([name, value]);
  }
  return variables;
};

export interface Exported {
  readonly variables: Readonly<Record<string, string>>;
  /** How many lines only a shell can make something of. */
  readonly strange: number;
}

/** What lines such as `export NAME=value` set. Nothing is run: a line that does anything else is left to a shell. */
export const exportedIn = (text: string): Exported => {
  const variables: [string, string][] = [];
  let strange = 0;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const read = readLine(line);
    if (read === undefined) strange += 1;
    else variables.push(...read);
  }
  return { variables: Object.fromEntries(variables), strange };
};
