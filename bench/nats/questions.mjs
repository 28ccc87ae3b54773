export const BARE = 'bare.request';
export const BARE_HOOKS = 'bare.hooks';

export const requestOf = (index) => ({
  type: 'hook-execution-request',
  correlationId: `request-${index}`,
  eventName: 'BeforeTool',
  payload: { tool_name: 'run_shell_command', tool_input: { command: `rm -rf build-${index}`, cwd: '/srv/project' } },
});

/** The answer of a hook that denies. */
export const resultOf = ({ correlationId, eventName, payload }) => {
  const output = { decision: 'deny', reason: payload.tool_input.command };
  const result = { success: true, finalOutput: output, allOutputs: [output], errors: [], totalDuration: 0.1 };
  return { type: 'hook-execution-response', correlationId, eventName, success: true, result, output };
};
