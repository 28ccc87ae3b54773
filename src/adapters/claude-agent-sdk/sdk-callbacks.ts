// Hooks as callbacks of the Claude Agent SDK: translates its events into ours, and our answers into its format.
import { PreCompressTrigger, SessionEndReason, SessionStartSource } from '../../events/index.ts';
import type { Hooks, HookVerdict } from '../../facade/index.ts';
import { isRecord, selectDefinedMembers, textOf } from '../../kit/index.ts';
import { isAgainst as isVerdictAgainst, proceedsFreely } from '../../protocol/index.ts';
import { expectHooks, NewestEntries } from '../core/wrapping.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The answer of a callback in the SDK's format. */
export interface ClaudeHookAnswer {
  continue?: boolean;
  stopReason?: string;
  decision?: 'approve' | 'block';
  reason?: string;
  systemMessage?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK has a type for each event, and an answer has to fit each of them
  hookSpecificOutput?: any;
}

interface EventCall {
  readonly fields: Fields;
  /** Id of the tool call, if there is one. */
  readonly id: string | undefined;
  readonly signal: AbortSignal;
}

type EventCallback = (hooks: Hooks, call: EventCall) => Promise<ClaudeHookAnswer>;

const text = (value: unknown): string => textOf(value) ?? '';
const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {});

const wordOf = <Word extends string>(words: Readonly<Record<string, Word>>, value: unknown, other: Word): Word =>
  Object.values(words).find((word) => word === value) ?? other;

const isAgainst = ({ verdict }: HookVerdict): boolean => isVerdictAgainst(verdict);

/** Members for all events: messages for the user, and whether the agent stops. */
const common = ({ messages, stopReason }: HookVerdict): ClaudeHookAnswer => ({
  ...(messages.length === 0 ? {} : { systemMessage: messages.join('\n') }),
  ...(stopReason === undefined ? {} : { continue: false, stopReason }),
});

const specific = (hookEventName: string, fields: Fields): ClaudeHookAnswer => {
  const given = selectDefinedMembers(fields);
  return Object.keys(given).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...given } };
};

const reasonOf = ({ reason, stopReason }: HookVerdict): string => reason ?? stopReason ?? 'blocked by hook';

/** Users are not asked about results, so `ask` withholds the result. */
const isWithheld = ({ verdict }: HookVerdict): boolean => !proceedsFreely(verdict);

/** Events without permissions only have blocks. */
const blocked = (answer: HookVerdict): ClaudeHookAnswer =>
  isAgainst(answer) ? { decision: 'block', reason: reasonOf(answer) } : {};

const permissions = { deny: 'deny', stop: 'deny', ask: 'ask', allow: 'allow', none: undefined } as const;

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const toolCall = ({ fields, id, signal }: EventCall) => ({
  tool: text(fields.tool_name),
  input: record(fields.tool_input),
  id: id ?? textOf(fields.tool_use_id),
  signal,
});

const callbacks = {
  PreToolUse: async (hooks, one) => {
    const call = toolCall(one);
    const answer = await hooks.beforeTool(call);
    const updatedInput = isAgainst(answer) || isSame(answer.input, call.input) ? undefined : answer.input;
    const permission = permissions[answer.verdict];
    return {
      ...common(answer),
      ...specific('PreToolUse', {
        // A change of arguments approves nothing: the user confirms the changed ones.
        permissionDecision: permission,
        permissionDecisionReason: permission === undefined ? undefined : (answer.reason ?? answer.stopReason),
        updatedInput,
        additionalContext: answer.context,
      }),
    };
  },
  PostToolUse: async (hooks, one) => {
    const output = one.fields.tool_response;
    const answer = await hooks.afterTool({ ...toolCall(one), output });
    // A block only adds a reason to the result; replacing the output removes it.
    const reason = isWithheld(answer) ? `The result is withheld: ${reasonOf(answer)}` : undefined;
    const updatedToolOutput = reason === undefined ? undefined : withheldOutput(output, reason);
    return {
      ...common(answer),
      ...(reason === undefined ? {} : { decision: 'block', reason: reasonOf(answer) }),
      ...specific('PostToolUse', { additionalContext: answer.context, updatedToolOutput }),
    };
  },
  PermissionRequest: async (hooks, one) => {
    const call = toolCall(one);
    const answer = await hooks.permissionRequest(call);
    if (isAgainst(answer)) {
      const interrupt = answer.verdict === 'stop' ? true : undefined;
      const decision = { behavior: 'deny', message: reasonOf(answer), ...(interrupt && { interrupt }) };
      return { ...common(answer), ...specific('PermissionRequest', { decision }) };
    }
    if (answer.verdict !== 'allow') return common(answer);
    const updated = isSame(answer.input, call.input) ? {} : { updatedInput: answer.input };
    return { ...common(answer), ...specific('PermissionRequest', { decision: { behavior: 'allow', ...updated } }) };
  },
  PostToolUseFailure: async (hooks, one) => {
    const answer = await hooks.afterToolFailure({ ...toolCall(one), error: text(one.fields.error) });
    return { ...common(answer), ...specific('PostToolUseFailure', { additionalContext: answer.context }) };
  },
  UserPromptSubmit: async (hooks, { fields, signal }) => {
    const prompt = text(fields.prompt);
    keepPrompt(hooks, textOf(fields.session_id), prompt);
    const answer = await hooks.beforeAgent({ prompt, signal });
    return {
      ...common(answer),
      ...blocked(answer),
      ...specific('UserPromptSubmit', { additionalContext: answer.context }),
    };
  },
  Stop: async (hooks, { fields, signal }) => {
    const answer = await hooks.afterAgent({
      prompt: keptPrompt(hooks, textOf(fields.session_id)),
      response: text(fields.last_assistant_message),
      stopHookActive: fields.stop_hook_active === true,
      signal,
    });
    return { ...common(answer), ...blocked(answer) };
  },
  SubagentStart: async (hooks, { fields, signal }) => {
    const answer = await hooks.subagentStart({ agentType: textOf(fields.agent_type) ?? 'agent', signal });
    return { ...common(answer), ...specific('SubagentStart', { additionalContext: answer.context }) };
  },
  SubagentStop: async (hooks, { fields, signal }) => {
    const answer = await hooks.subagentStop({
      agentType: textOf(fields.agent_type) ?? 'agent',
      response: text(fields.last_assistant_message),
      stopHookActive: fields.stop_hook_active === true,
      signal,
    });
    return { ...common(answer), ...blocked(answer) };
  },
  SessionStart: async (hooks, { fields, signal }) => {
    const source = wordOf(SessionStartSource, fields.source, SessionStartSource.Startup);
    const answer = await hooks.sessionStart({ source, signal });
    return { ...common(answer), ...specific('SessionStart', { additionalContext: answer.context }) };
  },
  SessionEnd: async (hooks, { fields, signal }) => {
    const reason = wordOf(SessionEndReason, fields.reason, SessionEndReason.Other);
    return common(await hooks.sessionEnd({ reason, signal }));
  },
  PreCompact: async (hooks, { fields, signal }) => {
    const trigger = wordOf(PreCompressTrigger, fields.trigger, PreCompressTrigger.Auto);
    return common(await hooks.preCompress({ trigger, signal }));
  },
  Notification: async (hooks, { fields, signal }) => {
    const type = textOf(fields.notification_type) ?? 'notification';
    return common(await hooks.notify({ type, message: text(fields.message), signal }));
  },
} as const satisfies Record<string, EventCallback>;

const prompts = new WeakMap<Hooks, NewestEntries<string>>();

/** Remembers the prompt, because the `Stop` event does not have it. */
const keepPrompt = (hooks: Hooks, session = '', prompt = ''): void => {
  const kept = prompts.get(hooks) ?? new NewestEntries<string>();
  prompts.set(hooks, kept);
  kept.keep(session, prompt);
};

const keptPrompt = (hooks: Hooks, session = ''): string => prompts.get(hooks)?.get(session) ?? '';

/** Keys that determine the type of a value; the SDK rejects other values. */
const shapeKeys: ReadonlySet<string> = new Set(['type', 'mode']);

/**
 * Replaces all texts of an output, the first one by the reason. The structure stays, because the SDK ignores other
 * structures and would show the result to the model.
 */
const withheldOutput = (output: unknown, reason: string): unknown => {
  let isSaid = false;
  const say = (): string => {
    const words = isSaid ? '' : reason;
    isSaid = true;
    return words;
  };
  const hide = (value: unknown, key?: string): unknown => {
    if (typeof value === 'string') return key !== undefined && shapeKeys.has(key) ? value : say();
    if (Array.isArray(value)) return value.map((one) => hide(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(one, name)]));
  };
  const hidden = hide(output);
  return isSaid ? hidden : reason;
};

export interface ClaudeHookInput {
  readonly hook_event_name: string;
}

type Callback = (
  input: ClaudeHookInput,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<ClaudeHookAnswer>;

/** The option `hooks` of `query()`. */
export type ClaudeHooks = Record<keyof typeof callbacks, { hooks: Callback[] }[]>;

const callbackFor =
  (hooks: Hooks, ask: EventCallback): Callback =>
  (input, id, { signal }) =>
    ask(hooks, { fields: { ...input }, id, signal });

/**
 * Hooks of an engine as the option `hooks` of `query()`. If a hook answers `ask`, the SDK asks its user, so the engine
 * needs no `deps.confirm`.
 */
export const hooksOption = (hooks: Hooks): ClaudeHooks => {
  expectHooks('hooksOption', hooks);
  const matchers = (ask: EventCallback): { hooks: Callback[] }[] => [{ hooks: [callbackFor(hooks, ask)] }];
  return {
    PreToolUse: matchers(callbacks.PreToolUse),
    PostToolUse: matchers(callbacks.PostToolUse),
    PostToolUseFailure: matchers(callbacks.PostToolUseFailure),
    PermissionRequest: matchers(callbacks.PermissionRequest),
    UserPromptSubmit: matchers(callbacks.UserPromptSubmit),
    Stop: matchers(callbacks.Stop),
    SubagentStart: matchers(callbacks.SubagentStart),
    SubagentStop: matchers(callbacks.SubagentStop),
    SessionStart: matchers(callbacks.SessionStart),
    SessionEnd: matchers(callbacks.SessionEnd),
    PreCompact: matchers(callbacks.PreCompact),
    Notification: matchers(callbacks.Notification),
  };
};
