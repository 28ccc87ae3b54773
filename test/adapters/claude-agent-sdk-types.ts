/**
 * What `@anthropic-ai/claude-agent-sdk` 0.3 says of hooks, as far as we rely on it. The package itself brings along a binary of
 * a whole agent for each platform, which is too much for a look at types.
 */

interface BaseHookInput {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode?: string;
}

interface ToolInput extends BaseHookInput {
  tool_name: string;
  tool_input: unknown;
  tool_use_id: string;
}

export type HookInput =
  | (ToolInput & { hook_event_name: 'PreToolUse' })
  | (ToolInput & { hook_event_name: 'PostToolUse'; tool_response: unknown })
  | (ToolInput & { hook_event_name: 'PostToolUseFailure'; error: string; is_interrupt?: boolean })
  | (BaseHookInput & { hook_event_name: 'PermissionRequest'; tool_name: string; tool_input: unknown })
  | (BaseHookInput & { hook_event_name: 'UserPromptSubmit'; prompt: string })
  | (BaseHookInput & { hook_event_name: 'Stop'; stop_hook_active: boolean; last_assistant_message?: string })
  | (BaseHookInput & { hook_event_name: 'SessionEnd'; reason: string });

type SpecificOutput =
  | {
      hookEventName: 'PreToolUse';
      permissionDecision?: 'allow' | 'deny' | 'ask' | 'defer';
      permissionDecisionReason?: string;
      updatedInput?: Record<string, unknown>;
      additionalContext?: string;
    }
  | { hookEventName: 'PostToolUse'; additionalContext?: string; updatedToolOutput?: unknown }
  | { hookEventName: 'UserPromptSubmit'; additionalContext?: string };

export type HookJSONOutput =
  | { async: true; asyncTimeout?: number }
  | {
      continue?: boolean;
      suppressOutput?: boolean;
      stopReason?: string;
      decision?: 'approve' | 'block';
      systemMessage?: string;
      reason?: string;
      hookSpecificOutput?: SpecificOutput;
    };

export interface HookCallbackMatcher {
  matcher?: string;
  hooks: ((
    input: HookInput,
    toolUseID: string | undefined,
    options: { signal: AbortSignal },
  ) => Promise<HookJSONOutput>)[];
  timeout?: number;
}

type HookEvent =
  | HookInput['hook_event_name']
  | 'PreCompact'
  | 'Notification'
  | 'SessionStart'
  | 'SubagentStart'
  | 'SubagentStop';

/** The option of `query()`. */
export interface Options {
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
}
