import { expect, test } from 'vitest';
import { findInlineProgram, isInterpreter, parseCommands } from '../../../src/runners/process-api.ts';

test.each(['sh', '/bin/bash', 'node', '/opt/node/bin/node', 'python3.12', 'node.exe', 'java'])(
  '%s is an interpreter',
  (program) => expect(isInterpreter(program)).toBe(true),
);

test.each(['./check.sh', 'jq', 'npm', 'nodemon', 'shellcheck', 'pythonic'])('%s is none', (program) =>
  expect(isInterpreter(program)).toBe(false),
);

test.each([
  ['bash', '-e a.sh', false],
  ['sh', '-xce a.sh', true],
  ['python3.12', '-Ic code a.py', true],
  ['python3', '-cimport_x a.py', true],
  ['python3', '-I a.py data', false],
  ['perl', '-I lib a.pl', false],
  ['perl', '-E code', true],
  ['php', '-r code', true],
  ['pwsh', '-NoProfile -File a.ps1', false],
  ['pwsh', '-Command code', true],
])('%s %s has its program in its arguments: %s', (program, line, isInline) => {
  expect(findInlineProgram(line.split(' '), program) !== undefined).toBe(isInline);
});

test('the program in an argument is what stands behind its option', () => {
  expect(findInlineProgram(['-e', 'a b'])).toEqual({ text: 'a b' });
  expect(findInlineProgram(['x', '-c'])).toEqual({ text: '' });
  expect(findInlineProgram(['x'])).toBe(undefined);
});

test.each([
  ['./a.sh', [['./a.sh']]],
  ['env A=1 timeout 5s ./a.sh x', [['./a.sh', 'x']]],
  ['./a.sh && ./b.sh | ./c.sh; ./d.sh', [['./a.sh'], ['./b.sh'], ['./c.sh'], ['./d.sh']]],
  ['>out 2>>err ./a.sh <in x', [['./a.sh', 'x']]],
  ['./a.sh "b > c" d', [['./a.sh', 'b > c', 'd']]],
  ['env -u b ./a.sh', [['b', './a.sh'], ['./a.sh']]],
  ['env -S "./a.sh x" y', [['./a.sh x', 'y'], ['y'], ['./a.sh', 'x', 'y']]],
  [`eval './a.sh x; ./b.sh'`, [['./a.sh', 'x'], ['./b.sh']]],
  ['if true; then ./a.sh; fi', [['true'], ['./a.sh'], ['fi']]],
  ['A=1 B=2 ./a.sh > out 2>&1', [['./a.sh'], ['1']]],
  [`sh -c './a.sh; ./b.sh'`, [['sh', '-c', './a.sh; ./b.sh'], ['./a.sh'], ['./b.sh']]],
  ['$X/a.sh', [['/x/a.sh']]],
  [`bash -c "bash -c 'bash -c ./a.sh'"`, 4],
])('the commands of %s', (line, expected) => {
  const words = parseCommands(line, { X: '/x' }).map((command) => command.words);
  if (typeof expected === 'number') expect(words).toHaveLength(expected);
  else expect(words).toEqual(expected);
});

test('lines of env -S in lines of env -S are taken apart as often as they differ, and a hundred times at most', () => {
  const nested = (times: number): string => `b.sh |${"env -S '".repeat(times)}`;
  expect(parseCommands(nested(90), {}).length).toBeLessThan(500);
  expect(parseCommands(nested(1000), {}).length).toBeLessThan(500);
});
