/** Constants for the values of payload fields, for programs that use the package. Hooks read these strings. */

export const SessionStartSource = {
  Startup: 'startup',
  Resume: 'resume',
  Clear: 'clear',
  Compress: 'compress',
} as const;
export type SessionStartSource = (typeof SessionStartSource)[keyof typeof SessionStartSource];

export const SessionEndReason = {
  Exit: 'exit',
  Clear: 'clear',
  Logout: 'logout',
  PromptInputExit: 'prompt_input_exit',
  Other: 'other',
  Error: 'error',
  Timeout: 'timeout',
} as const;
export type SessionEndReason = (typeof SessionEndReason)[keyof typeof SessionEndReason];

export const PreCompressTrigger = { Manual: 'manual', Auto: 'auto' } as const;
export type PreCompressTrigger = (typeof PreCompressTrigger)[keyof typeof PreCompressTrigger];

export const NotificationType = { ToolPermission: 'ToolPermission' } as const;
export type NotificationType = (typeof NotificationType)[keyof typeof NotificationType];
