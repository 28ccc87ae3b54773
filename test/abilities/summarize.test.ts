import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_SUMMARY_LENGTH, summarize } from '../../src/abilities/tools/summarize.ts';

describe('a summary', () => {
  test.each([
    [{ path: 'config/prod/app.yml', text: 'a: 1\nb:  2' }, 'path=config/prod/app.yml text="a: 1 b: 2"'],
    [{ text: 'first', file: 'src/a b.ts' }, 'file="src/a b.ts" text=first'],
    [{ paths: ['a.ts', 'b.ts'], dry: true, most: null }, 'paths[0]=a.ts paths[1]=b.ts dry=true most=null'],
    [{ edit: { target: { service: 'billing' } }, times: 3 }, 'edit.target.service=billing times=3'],
    [{ files: { 'config/prod/app.yml': 'a: 1' } }, 'files.config/prod/app.yml files.config/prod/app.yml="a: 1"'],
    ['all   is\nwell', 'all is well'],
    ['config/prod/app.yml', 'config/prod/app.yml'],
    [7, '7'],
    [{}, ''],
    [undefined, undefined],
  ])('of %j reads %j', (value, text) => expect(summarize(value)).toBe(text));

  test('has paths and names first, cuts none of them, and ends with a mark where it is cut', () => {
    const text = 'x'.repeat(50_000);
    const summary = summarize({ text, more: text, path: 'config/prod/app.yml', deep: [{ unusual: 'a/b.yml' }] }) ?? '';
    expect(summary).toMatch(/^path=config\/prod\/app\.yml deep\[0\]\.unusual=a\/b\.yml text=x/);
    expect(summary).toMatch(/… \(\d+ more characters\)$/);
    expect(summary.length).toBeLessThanOrEqual(MAX_SUMMARY_LENGTH);
    const paths = Array.from({ length: 300 }, (_, index) => `config/prod/service-${index}/app.yml`);
    expect(summarize({ text, files: { 'config/prod/app.yml': text } })).toMatch(
      /^files\.config\/prod\/app\.yml text=x/,
    );
    const many = summarize({ text, paths }) ?? '';
    for (const path of paths) expect(many).toContain(path);
  });

  test('masks what looks like a secret, by its name and by its looks', () => {
    const summary =
      summarize({ password: 'hunter22', path: 'a.yml', text: 'use ghp_abcdefghijklmnop1234 for it' }) ?? '';
    expect(summary).toBe('path=a.yml password=[redacted] text="use [redacted] for it"');
  });

  test('names every path that was given, wherever it stands', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const path = fc.array(word, { minLength: 2, maxLength: 6 }).map((parts) => `${parts.join('/')}.yml`);
    fc.assert(
      fc.property(path, fc.jsonValue(), fc.string({ maxLength: 5_000 }), (given, beside, text) => {
        expect(summarize({ text, beside, inner: { list: [{ anything: given }] } })).toContain(given);
        expect(summarize({ text, beside, files: { [given]: text } })).toContain(given);
      }),
    );
  });
});
