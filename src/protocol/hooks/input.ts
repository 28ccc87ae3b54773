// The fields that the engine adds to the input of every hook.
export interface BaseHookInput {
  session_id: string;
  /** Empty if the host keeps no transcript. */
  transcript_path: string;
  cwd: string;
  hook_event_name: string;
  /** An ISO 8601 time. */
  timestamp: string;
}

/** Callers must not set these fields, because a hook trusts them as facts of the engine. */
export const hasBaseField = (payload: object): boolean =>
  'session_id' in payload ||
  'transcript_path' in payload ||
  'cwd' in payload ||
  'hook_event_name' in payload ||
  'timestamp' in payload;
