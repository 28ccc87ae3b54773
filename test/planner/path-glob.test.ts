import picomatch from 'picomatch';
import { expect, it } from 'vitest';
import { fitsPathGlob } from '../../src/planner/condition.ts';

const globs = [
  'a',
  '.x',
  '*',
  '**',
  '?',
  '*.ts',
  'a*',
  '{a,b}',
  '[ab]',
  '[^ab]',
  '[a-c]x',
  '{a,{b,.x}}',
  '**b',
  'a?',
  '+',
  '$',
  '\\*',
];
const names = ['a', 'b', '.x', 'ab', 'c', 'a.ts', 'xb', 'bx', '+', '$', '..y', '*'];

const twoDeep = (parts: readonly string[]): string[] => [
  ...parts.map((one) => `/p/${one}`),
  ...parts.flatMap((one) => parts.map((other) => `/p/${one}/${other}`)),
];

it('the path in the `if` of a hook is compared as picomatch compares it', () => {
  const different = twoDeep(globs)
    // Of these picomatch says that they match `/p/a/**`, and not `/p/a`.
    .filter((glob) => !/[*?\]}]\/\*\*$/.test(glob))
    .flatMap((glob) => {
      const expected = picomatch([glob, `${glob}/**`], { dot: true });
      return twoDeep(names).flatMap((path) => (expected(path) === fitsPathGlob(glob, path) ? [] : [`${glob} ${path}`]));
    });
  expect(different).toEqual([]);
});

it.each([
  ['/p/[!ab]', '/p/c', true],
  ['/p/[!ab]', '/p/a', false],
  ['/p/(group)/page.tsx', '/p/(group)/page.tsx', true],
  ['/p/a.ts', '/p/a.ts/below', true],
  ['/p/a.ts', '/p/axts', false],
  // What cannot be told fits: a run more is no harm.
  ['/p/!(a|b)', '/p/a', true],
  ['/p/{1..3}', '/p/9', true],
  ['/p/[z-a]', '/p/x', true],
])('%s and %s', (glob, path, fits) => {
  expect(fitsPathGlob(glob, path)).toBe(fits);
});
