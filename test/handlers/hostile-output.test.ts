import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { printable } from '../../src/index.ts';
import { formatTable } from '../../src/testing/text-table.ts';
import { engineOf, groupOf, payloads } from '../support/engine.ts';
import { keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const ESC = '\u001b';
const hostile = `${ESC}]52;c;aGk=\u0007${ESC}[2J\u009b31m\r\u202eevil\u200b\nforged line`;
/** As octal escapes for printf. */
const printed = [...Buffer.from(hostile)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const says = (stream: 1 | 2, exitCode: number): string => `printf '${printed}' >&${stream}; exit ${exitCode}`;

const host = { getWorkingDir: tmpdir };

/** More than a line break, which is fine between the lines of an error. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

describe.skipIf(process.platform === 'win32')('F66 what hooks print and are called', () => {
  test.each([
    ['a message', says(1, 0)],
    ['a refusal', says(2, 2)],
    ['a failure', says(2, 1)],
    ['a broken answer', `printf '{"reason":"${printed}'`],
    ['a program that is not there', `/nowhere/'${hostile.replaceAll('\n', '')}'`],
  ])('F66 %s reaches no log and no error with a control character in it', async (_what, command) => {
    const { logger, ...lines } = keepLines();
    const hook = { type: 'command', name: `name${hostile}`, command } as const;
    const system = await engineOf({ hooks: { BeforeTool: groupOf(hook) }, host, deps: { logger } });
    const result = await system.getEventHandler().fire('BeforeTool', untyped(payloads.BeforeTool));
    expect(result.allOutputs.length + result.errors.length).toBeGreaterThan(0);
    const logged = [...lines.debug, ...lines.log, ...lines.warn, ...lines.error];
    expect(logged.length).toBeGreaterThan(0);
    for (const line of logged) expect(line).not.toMatch(/[\n\t]/);
    for (const text of [...logged, ...result.errors.map(({ message }) => message)]) expect(text).not.toMatch(control);
  });

  test('F66 a table is made of lines that nobody else wrote', () => {
    const table = formatTable(['hook', 'said'], [[`a${hostile}`, hostile]]);
    expect(table).not.toMatch(control);
    expect(table.split('\n')).toHaveLength(3);
  });

  test('what is for the model stays as the hook wrote it; whoever shows it makes it printable', async () => {
    const answer = JSON.stringify({ systemMessage: hostile }).replaceAll("'", '');
    const hook = { type: 'command', name: 'h', command: `cat <<'END'\n${answer}\nEND` } as const;
    const system = await engineOf({ hooks: { BeforeTool: groupOf(hook) }, host });
    const result = await system.getEventHandler().fire('BeforeTool', untyped(payloads.BeforeTool));
    expect(result.finalOutput?.systemMessage).toBe(hostile);
    expect(printable(result.finalOutput?.systemMessage ?? '')).not.toMatch(control);
  });
});
