// How pages are found: the same for the index that the build makes and for the page that reads it.

/** Words of a question that say nothing about its subject. */
const QUESTION_WORDS = new Set(
  'a an and are at be can did do does for how i in is it its my not of on or so that the this to what when where which who why with'.split(
    ' ',
  ),
);

export const indexOptions = {
  processTerm: (term) => (QUESTION_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
  fields: ['section', 'page', 'text'],
  storeFields: ['url', 'section', 'page', 'rank', 'text'],
};

const searchOptions = {
  boost: { section: 4, page: 3 },
  prefix: (term) => term.length > 1,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boostDocument: (_id, _term, { rank }) => rank,
};

/** So many sections of one page, that it does not hide all others. */
const OF_A_PAGE = 3;

/** All words first; where no section has all of them, any. */
export const find = (index, words) => {
  const strict = index.search(words, { ...searchOptions, combineWith: 'AND' });
  const hits = strict.length > 0 ? strict : index.search(words, searchOptions);
  const seen = new Map();
  return hits.filter(({ url }) => {
    const [page] = url.split('#');
    const before = seen.get(page) ?? 0;
    seen.set(page, before + 1);
    return before < OF_A_PAGE;
  });
};
