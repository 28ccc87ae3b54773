// Fields of every hook input. The engine adds them; callers must not.
export interface BaseHookInput {
  session_id: string;
  /** Empty if the host keeps no transcript. */
  transcript_path: string;
  cwd: string;
  hook_event_name: string;
  /** Time in ISO 8601. */
  timestamp: string;
}

/** Whether a caller's payload contains a field that only the engine may set. */
export const hasBaseField = (payload: object): boolean =>
  'session_id' in payload ||
  'transcript_path' in payload ||
  'cwd' in payload ||
  'hook_event_name' in payload ||
  'timestamp' in payload;
