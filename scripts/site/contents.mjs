// The table of contents of the site: which page stands where in the menu. A page of docs/ that is in no group stops the build,
// and so does a name here that is no page. `folder/*` is every page of a folder, in the order of their names.
export const groups = [
  {
    title: 'Begin',
    pages: [
      'README.md',
      'install.md',
      'embedding.md',
      'sdks.md',
      'hooks.md',
      'playground.md',
      'hooks-for-your-users.md',
      'ci.md',
      'recipes.md',
      'troubleshooting.md',
    ],
  },
  {
    title: 'Coming from',
    pages: ['coming-from/claude-code.md', 'coming-from/*', 'dialects.md', 'conformance.md', 'agent-hooks-standard.md'],
  },
  { title: 'Events', pages: ['events/*'] },
  {
    title: 'With hooks',
    pages: [
      ...[
        'configuration.md',
        'trust.md',
        'workers.md',
        'prompts-and-tools.md',
        'hook-tests.md',
        'doctor.md',
        'reasons.md',
      ],
      ...['replay.md', 'backtest.md', 'inspector.md', 'abilities.md'],
    ],
  },
  {
    title: 'In an agent',
    pages: [
      ...['adapters/*', 'translators.md', 'lifecycle.md', 'testing-your-hooks.md', 'lanes.md'],
      ...['nats.md', 'scale.md'],
    ],
  },
  {
    title: 'Reference',
    pages: ['../README.md', 'cli.md', 'reliability.md', 'stability.md', 'architecture.md', 'specification.md'],
  },
  { title: 'Commands', pages: ['cli/*'] },
  { title: 'About', pages: ['../CHANGELOG.md', '../SECURITY.md', '../CONTRIBUTING.md', 'decisions/*'] },
];

/** Groups whose pages are many and seldom wanted: closed in the menu. */
export const closed = new Set(['Events', 'Commands', 'About']);

/** How much sooner or later than others a search finds the pages of a group, or one page. */
export const ranks = new Map([
  ['Begin', 1.5],
  ['Coming from', 0.7],
  ['Reference', 0.6],
  ['Commands', 0.8],
  ['About', 0.1],
  ['docs/configuration.md', 1.3],
  ['docs/conformance.md', 0.1],
  ['docs/specification.md', 0.1],
  ['docs/trust.md', 1.3],
]);
