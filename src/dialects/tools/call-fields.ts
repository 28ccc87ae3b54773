import type { Call, Json } from '../dialect.ts';

/** How most agents tell a hook of a call of a tool. */
export const callFields = ({ tool, callId }: Call): Json => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
  tool_use_id: callId,
});
