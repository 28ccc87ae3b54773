// A model that knows its lines: it takes and gives what the SDK of a real one would, and needs no network.
const lines = [
  ['I will look at the file first.', 'read_file', { path: 'greeting.mjs' }],
  ['Perhaps .env says more.', 'read_file', { path: '.env' }],
  ['Then without it. The greeting has a typo.', 'edit_file', { path: 'greeting.mjs', find: 'Helo', replace: 'Hello' }],
  ['Does it run?', 'run_shell', { command: 'node greeting.mjs', timeout_seconds: 600 }],
  ['Now I clean up.', 'run_shell', { command: 'rm -rf build', timeout_seconds: 5 }],
  ['Then I will see what else there is.', 'run_shell', { command: 'ls -a' }],
];

export const scriptedModel = async ({ contents }) => {
  const turn = contents.filter(({ role }) => role === 'model').length;
  const [text, name, args] = lines[turn] ?? ['I have no further wish.'];
  const parts = name === undefined ? [{ text }] : [{ text }, { functionCall: { name, args } }];
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
  };
};
