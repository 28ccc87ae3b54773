export default function noRm({ tool_input }) {
  if (tool_input.command?.includes('rm -rf')) return { decision: 'deny', reason: 'rm -rf is not allowed here' };
}
