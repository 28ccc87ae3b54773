/** The fields every hook input has. The engine adds them; callers never do. */
export interface BaseHookInput {
  session_id: string;
  /** Empty when the host keeps no transcript. */
  transcript_path: string;
  cwd: string;
  hook_event_name: string;
  /** ISO 8601. */
  timestamp: string;
}
