import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';

/** The numbers there have to be: rules from the first to the last of each section, then contradictions. */
const sections: readonly (readonly [first: number, last: number])[] = [
  [1, 27],
  [30, 48],
  [50, 75],
  [80, 98],
  [100, 126],
  [130, 147],
  [150, 176],
  [180, 195],
  [200, 215],
  [2067, 2067],
  [220, 236],
  [240, 265],
  [270, 288],
  [290, 302],
  [310, 318],
  [320, 328],
  [330, 336],
  [340, 346],
  [350, 367],
  [370, 376],
  [380, 396],
  [400, 416],
  [420, 425],
  [430, 448],
  [450, 464],
  [470, 486],
  [2007, 2007],
  [2045, 2047],
  [2050, 2050],
  [490, 499],
  [2041, 2044],
  [2048, 2049],
  [505, 512],
  [520, 537],
  [2091, 2094],
  [545, 559],
  [2071, 2076],
  [2078, 2079],
  [1420, 1423],
  [2002, 2005],
  [1630, 1638],
  [1640, 1642],
  [560, 567],
  [1354, 1355],
  [1000, 1012],
  [2033, 2033],
  [580, 594],
  [600, 611],
  [640, 657],
  [670, 684],
  [720, 731],
  [2065, 2066],
  [750, 756],
  [770, 786],
  [790, 799],
  [800, 805],
  [1996, 1996],
  [1998, 1999],
  [2008, 2008],
  [815, 824],
  [2006, 2006],
  [830, 834],
  [845, 863],
  [1350, 1353],
  [864, 874],
  [890, 903],
  [930, 944],
  [2077, 2077],
  [875, 889],
  [1120, 1133],
  [905, 926],
  [945, 948],
  [2080, 2080],
  [949, 963],
  [1040, 1059],
  [1500, 1509],
  [2001, 2001],
  [1090, 1098],
  [1160, 1170],
  [1210, 1224],
  [2009, 2009],
  [2021, 2023],
  [1250, 1257],
  [1300, 1317],
  [1450, 1457],
  [1380, 1389],
  [1680, 1691],
  [1535, 1549],
  [1550, 1558],
  [1730, 1744],
  [1763, 1764],
  [1780, 1792],
  [1810, 1815],
  [1820, 1825],
  [1800, 1805],
  [1880, 1882],
  [1900, 1907],
  [2051, 2060],
  [1580, 1588],
  [1997, 1997],
  [1590, 1591],
  [1600, 1600],
  [1610, 1614],
  [1710, 1714],
  [1760, 1762],
  [1515, 1522],
  [1523, 1525],
  [1860, 1865],
  [1840, 1845],
  [1930, 1938],
  [1940, 1944],
  [1950, 1958],
  [2024, 2024],
  [1960, 1960],
  [2000, 2000],
  [1970, 1986],
  [1990, 1995],
  [2010, 2020],
  [2027, 2027],
  [2029, 2032],
  [2081, 2086],
  [2061, 2064],
  [2034, 2039],
];

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const numbers = [
  ...sections.flatMap(([first, last]) => range(first, last)).map((number) => `R${String(number).padStart(3, '0')}`),
  ...range(1, 62).flatMap((number) => [`C${String(number).padStart(2, '0')}`, ...(number === 28 ? ['C28b'] : [])]),
];

// ── the document ─────────────────────────────────────────────────────────────────────────────────────────────────────

interface Rule {
  readonly number: string;
  readonly text: string;
  readonly marks: string;
}

const rulesIn = (markdown: string): Rule[] =>
  [...markdown.matchAll(/^\| ([RC]\d+b?) \| (.+?) \| (.+) \|$/gm)].map(([, number = '', text = '', marks = '']) => ({
    number,
    text,
    marks,
  }));

const mark =
  /(?:tested: "(?<title>[^"]+)"(?: \(`(?<file>[^`]+)`\))?|example: `(?<example>[^`]+)`|by design: (?<design>[^;]+))(?:; |$)/y;

type Mark = Readonly<Record<string, string | undefined>>;

/** The marks of a rule; what is none of them comes back as `unreadable`. */
const marksIn = (text: string): Mark[] => {
  const marks: Mark[] = [];
  for (let index = 0; index < text.length; index = mark.lastIndex) {
    mark.lastIndex = index;
    const found = mark.exec(text);
    if (found === null) return [...marks, { unreadable: text.slice(index) }];
    marks.push(found.groups ?? {});
  }
  return marks;
};

// ── the tests ────────────────────────────────────────────────────────────────────────────────────────────────────────

const isNode = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A text as it stands in the source: of a template with holes nobody knows what it will be. */
const textOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  const parts = node.type === 'TemplateLiteral' && Array.isArray(node.quasis) ? node.quasis : [];
  const [only] = parts;
  return parts.length === 1 && isNode(only) && isNode(only.value) ? String(only.value.cooked) : undefined;
};

/** `test` for `test(…)`, `test.each(…)(…)` and `test.skipIf(…).each(…)(…)`; what is never run is no test. */
const calleeOf = (node: unknown): unknown => {
  if (!isNode(node)) return undefined;
  if (isNode(node.property) && (node.property.name === 'skip' || node.property.name === 'todo')) return undefined;
  if (node.type === 'Identifier') return node.name;
  return calleeOf(node.object ?? node.callee ?? node.tag);
};

/** The titles of a file's tests, by themselves and behind those of the groups around them: `group > title`. */
const titlesIn = (source: string): Set<string> => {
  const titles = new Set<string>();
  const visit = (node: unknown, groups: readonly string[]): void => {
    if (Array.isArray(node)) for (const inner of node) visit(inner, groups);
    if (!isNode(node) || Array.isArray(node)) return;
    const [first, second] = node.type === 'CallExpression' && Array.isArray(node.arguments) ? node.arguments : [];
    const title = textOf(first);
    const callee = title === undefined || second === undefined ? undefined : calleeOf(node.callee);
    if (title !== undefined && (callee === 'test' || callee === 'it')) {
      titles.add(title).add([...groups, title].join(' > '));
    }
    const inside = title !== undefined && callee === 'describe' ? [...groups, title] : groups;
    for (const member of Object.values(node)) visit(member, inside);
  };
  visit(parseAst(source, { lang: 'ts' }), []);
  return titles;
};

const root = join(import.meta.dirname, '..');

/** Suites that several tests share lie in `src/testing`, where users find them too. */
const titlesByFile = new Map(
  ['test', 'src/testing']
    .flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((file) =>
        `${directory}/${file}`.replaceAll('\\', '/'),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test-d.ts') && !file.startsWith('test/fixtures/'))
    .map((file) => [file, titlesIn(readFileSync(join(root, file), 'utf8'))]),
);

const hasTest = (title: string, file: string | undefined): boolean =>
  file === undefined
    ? [...titlesByFile.values()].some((titles) => titles.has(title))
    : titlesByFile.get(file)?.has(title) === true;

/** What is wrong with a mark, if anything is. */
const issueWith = ({ title, file, example, design, unreadable }: Mark): string | undefined => {
  if (unreadable !== undefined) return `no mark: ${unreadable}`;
  if (title !== undefined && !hasTest(title, file))
    return `no test "${title}"${file === undefined ? '' : ` in ${file}`}`;
  if (example !== undefined && !existsSync(join(root, example))) return `no example ${example}`;
  const named = [...(design ?? '').matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  const gone = named.find((path) => !existsSync(join(root, path)));
  if (gone !== undefined) return `no ${gone}`;
  return undefined;
};

const rules = rulesIn(readFileSync(join(root, 'docs/specification.md'), 'utf8'));

describe('the specification', () => {
  test('has every rule and every contradiction once, in order', () => {
    expect(rules.map(({ number }) => number)).toEqual(numbers);
  });

  test('says of each how we know that it holds, and all of that is there', () => {
    const issues = rules.flatMap(({ number, marks }) => {
      const found = marksIn(marks);
      const wrong = found.length === 0 ? ['no mark at all'] : found.flatMap((one) => issueWith(one) ?? []);
      return wrong.map((issue) => `${number}: ${issue}`);
    });
    expect(issues).toEqual([]);
  });
});

describe('what reads it', () => {
  test('finds titles in all their forms', () => {
    const source = `
      test('one', () => {});
      test.each([1])('two %s', (n) => { (n as number).toFixed(); });
      describe('group', () => {
        it('three', () => {});
        test.runIf(true).each\`a\`(\`four\`, () => {});
      });
      describe.each(['x'])(\`group \${x}\`, () => test('five', () => {}));
      // test('six', () => {});
      test.skip('six', () => {});
      regex.test('seven');
    `;
    expect([...titlesIn(source)]).toEqual(['one', 'two %s', 'three', 'group > three', 'four', 'group > four', 'five']);
  });

  test('finds the marks of a rule and what is none', () => {
    const marks = marksIn('tested: "a; b" (`x.test.ts`); example: `a.mjs`; by design: `src`, so');
    expect(marks).toMatchObject([{ title: 'a; b', file: 'x.test.ts' }, { example: 'a.mjs' }, { design: '`src`, so' }]);
    expect(marksIn('tested: "a"; surely')).toMatchObject([{ title: 'a' }, { unreadable: 'surely' }]);
    expect(marksIn('tested: "a", example: `b`')).toMatchObject([{ unreadable: 'tested: "a", example: `b`' }]);
  });

  test.each([
    [{ title: 'no such test' }, 'no test'],
    [{ title: 'one', file: 'test/none.test.ts' }, 'no test'],
    [{ example: 'examples/none.mjs' }, 'no example'],
    [{ design: '`src/index.ts` joins what `src/none.ts` has' }, 'no src/none.ts'],
    [{ unreadable: 'x' }, 'no mark'],
  ])('objects to %j', (one, issue) => {
    expect(issueWith(one)).toContain(issue);
  });
});
