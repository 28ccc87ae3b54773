/** What a shell line runs: each command by itself, those in `$()` and backticks too; nothing where it cannot be told. */
export const commandsIn = (line: string): string[] | undefined => {
  const commands: string[] = [];
  const reader = new Reader(line, commands);
  if (!reader.read() || commands.some(beginsElsewhere)) return undefined;
  return commands
    .map(withoutWords)
    .map(withoutAssignments)
    .filter((command) => command !== '');
};

/** A command may stand behind the file that it reads or writes. */
const beginsElsewhere = (command: string): boolean => /^\d*[<>]/.test(command);

/** `if git push` and `do git push` run `git push`. */
const withoutWords = (command: string): string =>
  command.replace(/^(?:(?:if|then|else|elif|while|until|do|time|coproc|!|\{)(?=\s)\s+)+/, '');

/** `A=1 B='x' git push` runs `git push`. */
const withoutAssignments = (command: string): string =>
  command.replace(/^(?:\s*\w+=(?:'[^']*'|"[^"]*"|[^\s'"])*(?=\s|$))+/, '').trim();

const separators: readonly string[] = [';', '&', '|', '\n', '(', ')'];

/** What is run inside is a command of its own; here it stands for some text without a blank. */
const withoutInner = (piece: string): string =>
  piece.length > 1 && /\$\(|`/.test(piece) && !piece.startsWith("'") ? '$()' : piece;

class Reader {
  readonly #line: string;
  readonly #commands: string[];
  #at = 0;
  #open = 0;

  constructor(line: string, commands: string[]) {
    this.#line = line;
    this.#commands = commands;
  }

  /** False where a quote or a bracket has no end. */
  read(): boolean {
    return this.#readUntil(undefined);
  }

  #readUntil(end: string | undefined): boolean {
    let command = '';
    const finish = (): void => {
      this.#commands.push(command.trim());
      command = '';
    };
    while (this.#at < this.#line.length) {
      const character = this.#line.charAt(this.#at);
      if (character === end && this.#open === 0) {
        this.#at += 1;
        finish();
        return true;
      }
      const start = this.#at;
      if (!this.#pass(character)) return false;
      if (character === '(') this.#open += 1;
      if (character === ')') this.#open -= 1;
      if (this.#open < 0) return false;
      if (separators.includes(character)) finish();
      else command += withoutInner(this.#line.slice(start, this.#at));
    }
    finish();
    return end === undefined && this.#open === 0;
  }

  /** Goes behind what begins here. */
  #pass(character: string): boolean {
    if (character === '\\') this.#at += 2;
    else if (character === "'") return this.#passQuote();
    else if (character === '"') return this.#passText();
    else if (character === '`') return this.#inside(1, '`');
    else if (this.#line.startsWith('$(', this.#at)) return this.#inside(2, ')');
    else this.#at += 1;
    return true;
  }

  #passQuote(): boolean {
    const close = this.#line.indexOf("'", this.#at + 1);
    this.#at = close + 1;
    return close >= 0;
  }

  #passText(): boolean {
    this.#at += 1;
    while (this.#at < this.#line.length) {
      const character = this.#line.charAt(this.#at);
      if (character === '"') {
        this.#at += 1;
        return true;
      }
      if (character === "'") this.#at += 1;
      else if (!this.#pass(character)) return false;
    }
    return false;
  }

  #inside(skip: number, end: string): boolean {
    this.#at += skip;
    const outside = this.#open;
    this.#open = 0;
    const isRead = this.#readUntil(end) && this.#open === 0;
    this.#open = outside;
    return isRead;
  }
}
