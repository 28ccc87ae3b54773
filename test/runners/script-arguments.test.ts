import { expect, test } from 'vitest';
import { commandsIn, isInterpreter } from '../../src/runners/command-words.ts';
import { inlineProgram, scriptArguments } from '../../src/runners/script-arguments.ts';

test.each([
  ['a.mjs', ['a.mjs'], false],
  ['a.mjs data.json', ['a.mjs'], false],
  ['-u a.py data', ['a.py'], false],
  ['--no-warnings a.mjs data', ['a.mjs'], false],
  ['--import ./setup.mjs a.mjs data', ['./setup.mjs', 'a.mjs'], false],
  ['--require=./setup.cjs a.mjs', ['./setup.cjs', 'a.mjs'], false],
  ['-- a.mjs data', ['a.mjs'], false],
  ['run -A a.ts', ['run', 'a.ts'], false],
  ['a.mjs -e prod', ['a.mjs'], false],
  ['-e 1', [], true],
  ['-m http.server', [], true],
  ['-xec ./a.sh', [], true],
  ['', [], false],
])('"%s" names %j as what is run', (line, files, isInline) => {
  expect(scriptArguments(line.split(' ').filter((word) => word !== ''))).toMatchObject({ files, isInline });
});

test.each([
  ['bash', '-e a.sh', ['a.sh'], false],
  ['bash', '+x a.sh data', ['a.sh'], false],
  ['bash', '-O extglob a.sh', ['extglob', 'a.sh'], false],
  ['sh', '-xce a.sh', [], true],
  ['python3.12', '-Ic code a.py', [], true],
  ['python3', '-cimport_x a.py', [], true],
  ['python3', '-I a.py data', ['a.py'], false],
  ['perl', '-I lib a.pl', ['lib', 'a.pl'], false],
  ['perl', '-E code', [], true],
  ['perl', '-Mstrict a.pl', ['a.pl'], false],
  ['php', '-r code', [], true],
  ['pwsh', '-NoProfile -File a.ps1', ['a.ps1'], false],
  ['pwsh', '-Command code', [], true],
])('to %s "%s" names %j', (program, line, files, isInline) => {
  expect(scriptArguments(line.split(' '), program)).toMatchObject({ files, isInline });
});

test('what is read from the input, or loaded by an option, is told', () => {
  expect(scriptArguments(['-s', 'a.sh'], 'bash').readsInput).toBe(true);
  expect(scriptArguments(['-s', 'a.py'], 'python3').readsInput).toBe(false);
  expect(scriptArguments(['-r./x', 'a.rb'], 'ruby').loading).toEqual(['-r./x']);
});

test.each(['sh', '/bin/bash', 'node', '/opt/node/bin/node', 'python3.12', 'node.exe', 'java'])(
  '%s is an interpreter',
  (program) => expect(isInterpreter(program)).toBe(true),
);

test.each(['./check.sh', 'jq', 'npm', 'nodemon', 'shellcheck', 'pythonic'])('%s is none', (program) =>
  expect(isInterpreter(program)).toBe(false),
);

test('the program in an argument is what stands behind its option', () => {
  expect(inlineProgram(['-e', 'a b'])).toEqual({ text: 'a b' });
  expect(inlineProgram(['x', '-c'])).toEqual({ text: '' });
  expect(inlineProgram(['x'])).toBe(undefined);
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
  const words = commandsIn(line, { X: '/x' }).map((command) => command.words);
  if (typeof expected === 'number') expect(words).toHaveLength(expected);
  else expect(words).toEqual(expected);
});
