import { basename } from 'node:path';

export const nameOf = (program: string): string => basename(program).replace(/\.exe$/i, '');

/** Programs and words of a shell that start what is named after them. */
const starters =
  /^(?:exec|command|builtin|env|nohup|nice|time|timeout|xargs|sudo|doas|npx|bunx|pnpx|pnpm|yarn|uv|uvx|poetry|pipenv|go|run|dlx|if|then|elif|else|while|until|do|!|\{)$/;

/** Their options that no value follows. After any other one the next word may be its value, and may be the program. */
const flags: Readonly<Record<string, RegExp>> = {
  env: /^-(?:[i0v]+|-ignore-environment|-null|-debug)$/,
  exec: /^-[cl]+$/,
  command: /^-[pvV]+$/,
  time: /^-[pv]+$/,
  timeout: /^-(?:v|-verbose|-foreground|-preserve-status)$/,
  xargs: /^-[0rtxop]+$/,
  sudo: /^-[AbEHiKklnPSsVv]+$/,
  npx: /^-(?:y|q|-yes|-no|-quiet)$/,
};

const beforeProgram = /^(?:\w+\+?=.*|\d+(?:\.\d+)?[smhd]?)$/s;

const splitString = /^(?:-[i0v]*S|--split-string=?)(.*)$/s;

/** What words start in the end. */
export interface StartedWords {
  /** The program with its arguments; more than one where an option may have taken the first for its value. */
  readonly commands: readonly (readonly string[])[];
  /** Texts that are taken apart once more before anything is started. */
  readonly lines: readonly string[];
}

/** More ways to read a command than this are not tried. */
const MAX_STARTS = 32;

/** `env A=1 timeout 5 ./check.sh` starts ./check.sh. */
export const startedBy = (words: readonly string[]): StartedWords => {
  const commands: (readonly string[])[] = [];
  const lines: string[] = [];
  const starts = [0];
  for (let next = 0; next < starts.length && next < MAX_STARTS; next += 1) {
    const start = starts[next] ?? 0;
    const name = nameOf(words[start] ?? '');
    const add = (index: number): void => {
      if (starts.length <= MAX_STARTS && !starts.includes(index)) starts.push(index);
    };
    if (name === 'eval' && start < words.length - 1) lines.push(words.slice(start + 1).join(' '));
    else if (!starters.test(name) || start === words.length - 1) commands.push(words.slice(start));
    else {
      let index = start + 1;
      for (; index < words.length; index += 1) {
        const word = words[index] ?? '';
        if (beforeProgram.test(word)) continue;
        if (!word.startsWith('-')) break;
        const split = name === 'env' ? splitString.exec(word)?.[1] : undefined;
        if (split !== undefined) lines.push([split, ...words.slice(index + 1)].join(' '));
        const value = words[index + 1];
        const isAlone = /^--?$/.test(word) || word.includes('=') || flags[name]?.test(word) === true;
        if (isAlone || value === undefined || value.startsWith('-') || beforeProgram.test(value)) continue;
        add(index + 1);
        index += 1;
      }
      if (index < words.length) add(index);
    }
  }
  // What was not read to its end, or starts nothing, is its own program.
  const isWhole = commands.length + lines.length > 0 && starts.length <= MAX_STARTS;
  return { commands: isWhole ? commands : [...commands, words], lines };
};
