// The fields that the engine adds to the input of every hook.
export interface BaseHookInput {
  session_id: string;
  /** Empty without a transcript. */
  transcript_path: string;
  cwd: string;
  hook_event_name: string;
  /** An ISO 8601 time. */
  timestamp: string;
}

/** Hooks trust these fields as facts of the engine, so callers must not set them. */
export const hasBaseField = (payload: object): boolean =>
  'session_id' in payload ||
  'transcript_path' in payload ||
  'cwd' in payload ||
  'hook_event_name' in payload ||
  'timestamp' in payload;
