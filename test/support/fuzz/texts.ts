/** A whole number from 0 on, below another. */
export type Numbers = (below: number) => number;

/** A sequence of numbers that follows from a seed: what was found once is found again. */
export const numbersFrom = (seed: number): Numbers => {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const pieces: readonly string[] = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    "'",
    '\\',
    '\n',
    '\r\n',
    '\t',
    ' ',
    '  ',
    '- ',
    '#',
    '//',
    '/*',
    '*/',
    '&a',
    '*a',
    '|',
    '>',
  ],
  ...[
    'null',
    'true',
    '1e999',
    '-0',
    '"\\u0000"',
    '\u0000',
    '\ufeff',
    '\u202e',
    '\ud800',
    '💥',
    '__proto__',
    'constructor',
  ],
  ...[
    '"decision"',
    '"deny"',
    '"allow"',
    '"hooks"',
    '"BeforeTool"',
    '"command"',
    '"matcher"',
    '"onFault"',
    '(a+)+$',
    '$X',
    '$\u007bA}',
  ],
  ...[
    './a.sh',
    'sh',
    'node',
    '../',
    '; ',
    ' && ',
    '`',
    '$(',
    ')',
    '<',
    '>>',
    "env -S '",
    '-c',
    '%3D',
    '=',
    '!!js/function',
    '<<: *a',
  ],
];

/** One text made of others: parts of them swapped, doubled, cut and mixed with what parsers stumble over. */
export const mutated = (corpus: readonly string[], next: Numbers): string => {
  let text = corpus[next(corpus.length)] ?? '';
  const changes = 1 + next(6);
  for (let change = 0; change < changes; change += 1) {
    const at = next(text.length + 1);
    const to = Math.min(text.length, at + next(20));
    const piece = pieces[next(pieces.length)] ?? '';
    const other = corpus[next(corpus.length)] ?? '';
    const start = next(other.length + 1);
    const ways = [
      () => text.slice(0, at) + piece + text.slice(at),
      () => text.slice(0, at) + text.slice(to),
      () => text.slice(0, at) + piece.repeat(1 + next(50)) + text.slice(to),
      () => text.slice(0, at) + other.slice(start, start + next(60)) + text.slice(to),
      () => text.slice(0, at),
      () => text.slice(0, to) + text.slice(at),
    ];
    text = ways[next(ways.length)]?.() ?? text;
  }
  return text.slice(0, 20_000);
};
