// Finds the programs and scripts that a command line starts. Only for hints: it must never decide what may run.
import { basename } from 'node:path';
import { expandPlainly, splitPlainWords, type Variables } from './shell-words.ts';

const interpreterPattern =
  /^(?:ba|da|z|k)?sh$|^(?:node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|tclsh|julia|groovy|java|osascript|Rscript|pwsh|powershell)$|^python[\d.]*$/;

export const isInterpreter = (program: string): boolean => interpreterPattern.test(getProgramName(program));

export interface SimpleCommand {
  readonly words: readonly string[];
}

const splitLoosely = (text: string, variables: Variables): string[] => {
  const words = text.match(/(?:[^ \t"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => expandPlainly(word.replace(/["']/g, ''), variables));
};

const redirectionPattern =
  /("[^"]*"|'[^']*')|(?:(?<=^|[ \t])\d+)?(?:<>|<{1,3}|>{1,2})[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'<>])*/g;

const assignmentPattern = /^[ \t]*(?:\w+\+?=[^ \t]*[ \t]+)*/;

const parseCommand = (piece: string, variables: Variables): string[] => {
  const text = piece.replace(redirectionPattern, (_, quoted?: string) => quoted ?? ' ').replace(assignmentPattern, '');
  return splitPlainWords(text, variables) ?? splitLoosely(text, variables);
};

const MAX_COMMAND_NESTING = 3;

const MAX_PARSED_LINES = 100;

interface FoundCommands {
  readonly commands: SimpleCommand[];
  readonly read: Set<string>;
}

const collectCommands = (
  words: readonly string[],
  variables: Variables,
  nesting: number,
  found: FoundCommands,
): void => {
  const { commands, lines } = findStartedWords(words);
  const isTooDeep = nesting >= MAX_COMMAND_NESTING;
  const own = isTooDeep && lines.length > 0 ? [...commands, words] : commands;
  found.commands.push(...own.map((one) => ({ words: one })));
  if (isTooDeep) return;
  const inline = own.flatMap(([program = '', ...args]) =>
    /sh$/.test(getProgramName(program)) ? (findInlineProgram(args, getProgramName(program))?.text ?? []) : [],
  );
  for (const line of [...inline, ...lines]) collectLineCommands(line, variables, nesting + 1, found);
};

const collectLineCommands = (line: string, variables: Variables, nesting: number, found: FoundCommands): void => {
  const key = `${nesting} ${line}`;
  if (found.read.has(key) || found.read.size === MAX_PARSED_LINES) return;
  found.read.add(key);
  const whole = splitPlainWords(line, variables);
  const pieces = whole === undefined ? line.split(/[|&;()\n]/) : [];
  const simple = pieces.map((piece) => parseCommand(piece, variables)).filter((words) => words.length > 0);
  for (const words of whole === undefined ? simple : [whole]) collectCommands(words, variables, nesting, found);
};

export const listCommands = (words: readonly string[], variables: Variables): readonly SimpleCommand[] => {
  const found: FoundCommands = { commands: [], read: new Set() };
  collectCommands(words, variables, 0, found);
  return found.commands;
};

export const parseCommands = (line: string, variables: Variables): readonly SimpleCommand[] => {
  const found: FoundCommands = { commands: [], read: new Set() };
  collectLineCommands(line, variables, 0, found);
  return found.commands;
};

const loadingOptionPattern = /^(?:-r|--require|--import|--loader|--experimental-loader|--rcfile|--init-file)$/;
const valueOptionPattern = /^(?:-[WXOoCI]|--conditions|--title)$/;

const listGivenScripts = (args: readonly string[]): string[] => {
  const loaded: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (!/^[-+]/.test(word)) return [...loaded, word];
    const value = args[index + 1];
    if (loadingOptionPattern.test(word) && value !== undefined) loaded.push(value);
    if (loadingOptionPattern.test(word) || valueOptionPattern.test(word)) index += 1;
  }
  return loaded;
};

export const listStartedFiles = ({ words: [program = '', ...args] }: SimpleCommand): string[] => {
  if (program === '.' || program === 'source') return args.slice(0, 1);
  const isRead = isInterpreter(program) && findInlineProgram(args, basename(program)) === undefined;
  return [...(/[\\/]|\.\w+$/.test(program) ? [program] : []), ...(isRead ? listGivenScripts(args) : [])];
};

const getProgramName = (program: string): string => basename(program).replace(/\.exe$/i, '');

const starterPattern =
  /^(?:exec|command|builtin|env|nohup|nice|time|timeout|xargs|sudo|doas|npx|bunx|pnpx|pnpm|yarn|uv|uvx|poetry|pipenv|go|run|dlx|if|then|elif|else|while|until|do|!|\{)$/;

/** These options have no value. After any other option, the next word may be a value or the program. */
const flagPatterns: Readonly<Record<string, RegExp>> = {
  env: /^-(?:[i0v]+|-ignore-environment|-null|-debug)$/,
  exec: /^-[cl]+$/,
  command: /^-[pvV]+$/,
  time: /^-[pv]+$/,
  timeout: /^-(?:v|-verbose|-foreground|-preserve-status)$/,
  xargs: /^-[0rtxop]+$/,
  sudo: /^-[AbEHiKklnPSsVv]+$/,
  npx: /^-(?:y|q|-yes|-no|-quiet)$/,
};

const beforeProgramPattern = /^(?:\w+\+?=.*|\d+(?:\.\d+)?[smhd]?)$/s;

const splitStringPattern = /^(?:-[i0v]*S|--split-string=?)(.*)$/s;

interface StartedWords {
  readonly commands: readonly (readonly string[])[];
  readonly lines: readonly string[];
}

const MAX_START_POSITIONS = 32;

/** In `env A=1 timeout 5 ./check.sh`, `./check.sh` is started. */
const findStartedWords = (words: readonly string[]): StartedWords => {
  const commands: (readonly string[])[] = [];
  const lines: string[] = [];
  const starts = [0];
  for (let next = 0; next < starts.length && next < MAX_START_POSITIONS; next += 1) {
    const start = starts[next] ?? 0;
    const name = getProgramName(words[start] ?? '');
    const add = (index: number): void => {
      if (starts.length <= MAX_START_POSITIONS && !starts.includes(index)) starts.push(index);
    };
    if (name === 'eval' && start < words.length - 1) lines.push(words.slice(start + 1).join(' '));
    else if (!starterPattern.test(name) || start === words.length - 1) commands.push(words.slice(start));
    else {
      let index = start + 1;
      for (; index < words.length; index += 1) {
        const word = words[index] ?? '';
        if (beforeProgramPattern.test(word)) continue;
        if (!word.startsWith('-')) break;
        const split =
          name === 'env' && lines.length < MAX_START_POSITIONS ? splitStringPattern.exec(word)?.[1] : undefined;
        if (split !== undefined) lines.push([split, ...words.slice(index + 1)].join(' '));
        const value = words[index + 1];
        const isAlone = /^--?$/.test(word) || word.includes('=') || flagPatterns[name]?.test(word) === true;
        if (isAlone || value === undefined || value.startsWith('-') || beforeProgramPattern.test(value)) continue;
        add(index + 1);
        index += 1;
      }
      if (index < words.length) add(index);
    }
  }
  const isWhole = commands.length + lines.length > 0 && starts.length <= MAX_START_POSITIONS;
  return { commands: isWhole ? commands : [...commands, words], lines };
};

/** Options of interpreters for inline code. They may be combined with others, as in `-Ic`. The first match is used. */
const inlineOptions: readonly { readonly names: RegExp; readonly inline: RegExp }[] = [
  { names: /^(?:pwsh|powershell)$/, inline: /^-(?:c|command|e|ec|encodedcommand)$/i },
  { names: /sh$/, inline: /^-[A-Za-z]*c[A-Za-z]*$/ },
  { names: /^python/, inline: /^-[bBdEhiIOPqsSuvVx]*[cm]/ },
  { names: /^perl/, inline: /^-[acfhlnpsStTuUvwWX\d]*[eE]/ },
  { names: /^(?:ruby|lua)/, inline: /^-[aclnpsSvwW]*e/ },
  { names: /^php/, inline: /^-[rBRE]/ },
  { names: /^/, inline: /^-(?:[a-z]*[ce]|m|p|-eval|-print)(?:=|$)/ },
];

export const findInlineProgram = (args: readonly string[], program = ''): { readonly text: string } | undefined => {
  const family = inlineOptions.find(({ names }) => names.test(getProgramName(program)));
  const index = args.findIndex((arg) => family?.inline.test(arg));
  return index === -1 ? undefined : { text: args[index + 1] ?? '' };
};
