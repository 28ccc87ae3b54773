// What an agent with two hooks says on its bus, played back: the example needs no server.

const notes = { hookId: 'project/SessionStart/notes', hookName: 'notes', source: 'project', position: 1, total: 1 };
const ask = { hookId: 'project/BeforeTool/ask-first', hookName: 'ask-first', source: 'project', position: 1, total: 1 };
const context = { hookSpecificOutput: { additionalContext: 'Greetings are written in full.' } };
const refusal = {
  code: 'validation_failure',
  message: 'SessionStart: payload.source: expected one of startup, resume, clear, compress',
};
const ranOnce = (output) => ({
  success: true,
  finalOutput: output,
  allOutputs: [output],
  errors: [],
  totalDuration: 3,
});
const ranNothing = { success: false, allOutputs: [], errors: [], totalDuration: 0 };

const run = (correlationId, eventName, hook) => [
  { type: 'hook-started', correlationId, eventName, ...hook },
  { type: 'hook-finished', correlationId, eventName, ...hook, outcome: 'answered', durationMs: 3 },
];

const answer = ({ correlationId, eventName, payload }) => {
  const response = { type: 'hook-execution-response', correlationId, eventName };
  return payload.source === 'startup'
    ? [
        ...run(correlationId, eventName, notes),
        { ...response, success: true, result: ranOnce(context), output: context },
      ]
    : [{ ...response, success: false, result: ranNothing, error: refusal }];
};

/** Then the agent works on its own: a tool call, about which its hook wants a person asked. */
const question = [
  ...run('call-1', 'BeforeTool', ask),
  {
    type: 'hook-confirmation-request',
    correlationId: 'question-1',
    eventName: 'BeforeTool',
    reason: 'It leaves this machine.',
    toolName: 'run_shell',
    toolInput: { command: 'git push' },
    expiresAt: '2100-01-01T00:00:00.000Z',
  },
];

/** The agent's end of a port: texts, as `linkBus` writes them. Resolves when its question was answered. */
export const playAgent = (port) => {
  const sayAll = (messages) => {
    for (const message of messages) port.postMessage(JSON.stringify(message));
  };
  let requests = 0;
  return new Promise((finish) => {
    port.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === 'hook-confirmation-response') finish();
      if (message.type !== 'hook-execution-request') return;
      requests += 1;
      setTimeout(() => sayAll(answer(message)), 0);
      if (requests === 2) setTimeout(() => sayAll(question), 0);
    });
    port.start();
  });
};
