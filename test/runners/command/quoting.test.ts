import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteForCmd, quoteForPosix } from '../../../src/runners/command/shell-words.ts';

/** Everything a variable can hold: no process can be given a NUL byte. */
const value = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', ''));
const nasty = fc.array(fc.constantFrom(...'\'"`$\\;&|<>(){}[]*?~#!%^= \t\n\r-ab\u2019é😀'.split(/(?:)/u)), {
  maxLength: 20,
});
const values = fc.array(
  fc.oneof(
    value,
    nasty.map((characters) => characters.join('')),
  ),
  { minLength: 1, maxLength: 30 },
);

// A shell starts slowly from a worker that has grown large.
const patience = { timeout: 60_000 };

describe.skipIf(process.platform === 'win32').each(['sh', 'bash'])('F65 quoted for %s', (shell) => {
  test('any text arrives as one literal argument', patience, () => {
    fc.assert(
      fc.property(values, (texts) => {
        const line = `printf '%s\\0' ${texts.map(quoteForPosix).join(' ')}`;
        const { stdout, status } = spawnSync(shell, ['-c', line], { encoding: 'utf8' });
        expect({ status, arrived: stdout.split('\0').slice(0, -1) }).toEqual({ status: 0, arrived: texts });
      }),
      { numRuns: 50 },
    );
  });

  test('it stays one argument in the middle of a word', patience, () => {
    fc.assert(
      fc.property(value, (text) => {
        const { stdout } = spawnSync(shell, ['-c', `printf '%s\\0' a${quoteForPosix(text)}/b`], { encoding: 'utf8' });
        expect(stdout).toBe(`a${text}/b\0`);
      }),
      { numRuns: 30 },
    );
  });
});

describe('F65 quoted for cmd', () => {
  /** One pass of cmd over a line: a caret takes the meaning from the next character; anything special left is a fault. */
  const readByCmd = (line: string): string => {
    let read = '';
    for (let index = 0; index < line.length; index += 1) {
      const character = line[index] ?? '';
      if (character === '^') {
        index += 1;
        read += line[index];
      } else {
        expect('"%!&|<>()').not.toContain(character);
        read += character;
      }
    }
    return read;
  };

  /** How a Windows program splits its command line, for one quoted argument. */
  const readByProgram = (argument: string): string => {
    expect(argument).toMatch(/^"[\s\S]*"$/);
    return argument
      .slice(1, -1)
      .replace(/(\\*)\\"/g, (_all, before: string) => `${'\\'.repeat(before.length / 2)}"`)
      .replace(/\\+$/, (trailing) => '\\'.repeat(trailing.length / 2));
  };

  const onOneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');

  test('any text reaches a program as one literal argument, on one line', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          nasty.map((characters) => characters.join('')),
        ),
        (text) => {
          expect(readByProgram(readByCmd(quoteForCmd(text)))).toBe(onOneLine(text));
          expect(readByProgram(readByCmd(readByCmd(quoteForCmd(text, 'batch'))))).toBe(onOneLine(text));
        },
      ),
    );
  });

  test('no percent sign is left for cmd to expand', () => {
    expect(quoteForCmd('%PATH%')).toBe('^"^%PATH^%^"');
    expect(quoteForCmd('a" & calc')).toBe('^"a\\^"^ ^&^ calc^"');
    expect(quoteForCmd('C:\\dir\\')).toBe('^"C:\\dir\\\\^"');
  });
});
