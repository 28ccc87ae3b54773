/** What `hookwright new` and `hookwright test` are given where nobody says anything. */
export const newGiven = {
  event: undefined,
  tool: undefined,
  matcher: undefined,
  scope: undefined,
  template: undefined,
  worker: false,
  forbid: [],
  language: undefined,
  'dry-run': false,
};

export const testGiven = {
  files: [],
  name: undefined,
  hook: [],
  event: [],
  timeout: undefined,
  reporter: undefined,
  update: false,
  watch: false,
  chaos: false,
  'trust-project': false,
  agent: undefined,
  'agent-version': undefined,
  mode: undefined,
};
