export default {
  cacheDir: '../../node_modules/.vite/examples',
  // One process for all files: to start one takes longer than most of them.
  test: { include: ['*.test.mjs'], isolate: false, maxWorkers: 1 },
};
