import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorCodes } from '../../src/errors.ts';
import { noticeMeanings } from '../../src/protocol/fault-and-notice-codes.ts';
import { faultCodes, skipReasons } from '../../src/protocol/index.ts';

/** The sections of a chapter by their heading, each with its text. */
const sectionsOf = (chapter: string): Map<string, string> => {
  const [, page = ''] = readFileSync(join(import.meta.dirname, '../../docs/reasons.md'), 'utf8').split(
    `\n## ${chapter}\n`,
  );
  const [text = ''] = page.split('\n## ');
  return new Map(
    text
      .split('\n### ')
      .slice(1)
      .map((section) => [/^`(.+)`/.exec(section)?.[1] ?? section, section]),
  );
};

/** The codes a requester may meet come first in the list, and these are all of them. */
const wireCodes = errorCodes.slice(0, errorCodes.indexOf('duplicate_response'));

describe('the page on reasons and codes', () => {
  test('has every reason to skip a hook, in order, with the line the rows have', () => {
    const sections = sectionsOf('Skip reasons');
    expect([...sections.keys()]).toEqual(Object.keys(skipReasons));
    for (const [reason, line] of Object.entries(skipReasons)) {
      expect(sections.get(reason)?.split('\n')).toContain(`**Fix:** ${line}`);
    }
  });

  test('R1642 has every code of a notice, in order, with the meaning that stands in the source', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/reasons.md'), 'utf8');
    const [, chapter = ''] = page.split('\n## Notices\n');
    const rows = [...(chapter.split('\n## ')[0] ?? '').matchAll(/^\| `(.+)` \| (.+) \|$/gm)];
    expect(rows.map(([, code, meaning]) => [code, meaning])).toEqual(Object.entries(noticeMeanings));
  });

  test.each(['README.md', 'docs/doctor.md', 'docs/cli/doctor.md', 'docs/troubleshooting.md'])(
    'R1642 is named by %s, where a reader asks why a hook did not fire',
    (page) => {
      expect(readFileSync(join(import.meta.dirname, '../..', page), 'utf8')).toContain('reasons.md');
    },
  );

  test.each([
    ['Fault codes', faultCodes],
    ['Wire codes', wireCodes],
    ['Other errors', errorCodes.slice(wireCodes.length)],
  ])('has all of the %s, in order, each with what to do', (chapter, codes) => {
    const sections = sectionsOf(chapter);
    expect([...sections.keys()]).toEqual(codes);
    for (const section of sections.values()) expect(section).toContain('\n**What to do:** ');
  });
});
