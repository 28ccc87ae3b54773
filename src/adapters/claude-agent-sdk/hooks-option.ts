import type { Hooks } from '../../facade/index.ts';
import { expectHooks } from '../core/hooks-given.ts';
import { type ClaudeHookAnswer, type Moment, moments } from './sdk-callbacks.ts';

export type { ClaudeHookAnswer } from './sdk-callbacks.ts';

/** What the SDK hands to a callback; which other fields there are depends on the event. */
export interface ClaudeHookInput {
  readonly hook_event_name: string;
}

type Callback = (
  input: ClaudeHookInput,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<ClaudeHookAnswer>;

/** For the option `hooks` of `query()`. */
export type ClaudeHooks = Record<keyof typeof moments, { hooks: Callback[] }[]>;

const callbackFor =
  (hooks: Hooks, ask: Moment): Callback =>
  (input, id, { signal }) =>
    ask(hooks, { fields: { ...input }, id, signal });

/**
 * The hooks of an engine as the option `hooks` of `query()`: what they decide is said in the words of the SDK, which asks its
 * own person where a hook says `ask` (give the engine no `deps.confirm`).
 */
export const hooksOption = (hooks: Hooks): ClaudeHooks => {
  expectHooks('hooksOption', hooks);
  const matchers = (ask: Moment): { hooks: Callback[] }[] => [{ hooks: [callbackFor(hooks, ask)] }];
  return {
    PreToolUse: matchers(moments.PreToolUse),
    PostToolUse: matchers(moments.PostToolUse),
    PostToolUseFailure: matchers(moments.PostToolUseFailure),
    PermissionRequest: matchers(moments.PermissionRequest),
    UserPromptSubmit: matchers(moments.UserPromptSubmit),
    Stop: matchers(moments.Stop),
    SubagentStart: matchers(moments.SubagentStart),
    SubagentStop: matchers(moments.SubagentStop),
    SessionStart: matchers(moments.SessionStart),
    SessionEnd: matchers(moments.SessionEnd),
    PreCompact: matchers(moments.PreCompact),
    Notification: matchers(moments.Notification),
  };
};
