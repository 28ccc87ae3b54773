/** What a shell line runs: each command by itself, those in `$()` and backticks too; nothing where it cannot be told. */
export const commandsIn = (line: string): string[] | undefined => {
  const commands: string[] = [];
  const reader = new Reader(line, commands);
  return reader.read() ? commands.map(withoutAssignments).filter((command) => command !== '') : undefined;
};

/** `A=1 B='x' git push` runs `git push`. */
const withoutAssignments = (command: string): string =>
  command.replace(/^(?:\s*\w+=(?:'[^']*'|"[^"]*"|[^\s'"])*(?=\s|$))+/, '').trim();

const separators: readonly string[] = [';', '&', '|', '\n', '(', ')'];

class Reader {
  readonly #line: string;
  readonly #commands: string[];
  #at = 0;

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
      if (character === end) {
        this.#at += 1;
        finish();
        return true;
      }
      const start = this.#at;
      if (!this.#pass(character)) return false;
      if (separators.includes(character)) finish();
      else command += this.#line.slice(start, this.#at);
    }
    finish();
    return end === undefined;
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
    return this.#readUntil(end);
  }
}
