import fc from 'fast-check';

const trivia = fc
  .array(
    fc.constantFrom(' ', '\n', '\r\n', '\t', '  ', '/* c */', '// l\n', '/* two\n lines */', '//\r\n', '\n\n    '),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(''));

const separated = (items: fc.Arbitrary<string[]>, open: string, close: string): fc.Arbitrary<string> =>
  fc.tuple(items, fc.array(trivia, { minLength: 12, maxLength: 12 }), fc.boolean()).map(([list, gaps, trailing]) => {
    const gap = (index: number): string => gaps[index % gaps.length] ?? '';
    const body = list.map((item, index) => `${gap(3 * index)}${item}${gap(3 * index + 1)}`).join(',');
    const comma = trailing && list.length > 0 ? ',' : '';
    return `${open}${body}${comma}${gap(2)}${close}`;
  });

const literal = fc.oneof(
  fc.integer().map(String),
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('true', 'null', '{}', '[]', '[1, 2]', '{"x": 1}'),
);

const names = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.string().map((name) => JSON.stringify(name)) },
    { weight: 1, arbitrary: literal },
  ),
  { maxLength: 3 },
);

const property = (key: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(trivia, value).map(([gap, text]) => `${JSON.stringify(key)}:${gap}${text}`);

const some = <T>(...arbitraries: fc.Arbitrary<T>[]): fc.Arbitrary<T[]> =>
  fc
    .tuple(...arbitraries.map((arbitrary) => fc.option(arbitrary, { nil: undefined })))
    .map((list) => list.flatMap((item) => (item === undefined ? [] : [item])));

const hooksConfig = separated(
  some(property('enabled', fc.constant('true')), property('disabled', separated(names, '[', ']'))),
  '{',
  '}',
);

/** Any settings file: with comments anywhere, commas at the end, blanks and line ends of every kind. */
export const settingsDocument = fc
  .tuple(
    trivia,
    separated(
      some(property('hooks', literal), property('hooksConfig', hooksConfig), property('other', literal)),
      '{',
      '}',
    ),
    trivia,
  )
  .map((parts) => parts.join(''));
