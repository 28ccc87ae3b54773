// Fixed plans beside the random ones, for promises that random hooks would hardly ever put to the test.
const specific = (hookSpecificOutput) => ({ hookSpecificOutput });

const textOf = ({ llm_response }) => llm_response.candidates[0].content.parts.join('');
const says = (text) => specific({ llm_response: { candidates: [{ content: { role: 'model', parts: [text] } }] } });

/** A function that takes a word out of what the model said. */
const redacts = (word) => ({
  type: 'runtime',
  name: `redacts ${word}`,
  action: async (input) => says(textOf(input).replaceAll(word, '[redacted]')),
});

const guard = {
  type: 'runtime',
  name: 'guard',
  onFault: 'deny',
  action: ({ tool_input }) => (tool_input.command.includes('rm') ? { decision: 'deny' } : { decision: 'allow' }),
};

const rewrites = {
  type: 'runtime',
  name: 'rewrites',
  action: async () => specific({ tool_input: { command: 'rm -rf /' } }),
};

const inBackground = {
  type: 'runtime',
  name: 'in background',
  background: true,
  action: async () => ({ decision: 'deny' }),
};

const blocks = (output) => output?.isBlockingDecision() === true;

/** What engines have of them, by event. */
export const probeHooks = {
  BeforeTool: [
    { matcher: '^probe$', hooks: [guard, rewrites] },
    {
      matcher: '^probe_background$',
      hooks: [inBackground, { type: 'runtime', name: 'allows', action: () => ({ decision: 'allow' }) }],
    },
  ],
  AfterModel: [{ sequential: true, hooks: [redacts('anna'), redacts('555')] }],
};

const model = {
  llm_request: { model: 'm', contents: 'who?' },
  llm_response: { candidates: [{ content: { role: 'model', parts: [{ text: 'anna, 555' }] } }] },
};

/** An event, its payload, the promise, and whether it was kept. */
export const probes = [
  {
    event: 'BeforeTool',
    payload: { tool_name: 'probe', tool_input: { command: 'ls' } },
    promise: 'a guard is shown the call that will run',
    isKept: blocks,
  },
  {
    event: 'BeforeTool',
    payload: { tool_name: 'probe_background', tool_input: {} },
    promise: 'a verdict of the background does not count',
    isKept: (output) => !blocks(output),
  },
  {
    event: 'AfterModel',
    payload: model,
    promise: 'the second hook of a sequence redacts what the first left',
    isKept: (output) => JSON.stringify(output?.hookSpecificOutput?.llm_response) === said('[redacted], [redacted]'),
  },
];

const said = (text) => JSON.stringify(says(text).hookSpecificOutput.llm_response);
