import { isRecord } from '../../kit/index.ts';
import type { Call, JsonObject } from '../dialect.ts';

/** How most agents tell a hook of a call of a tool. */
export const callFields = ({ tool, callId }: Call): JsonObject => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
  tool_use_id: callId,
});

/** The result of a tool where hooks get what the model gets: its text, not the record that holds it. */
export const plainResponse = ({ input: { tool_response: response } }: Call): unknown =>
  isRecord(response) && response.llmContent !== undefined ? response.llmContent : response;
