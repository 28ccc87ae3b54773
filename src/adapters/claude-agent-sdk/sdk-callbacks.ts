// Hooks as callbacks of the Claude Agent SDK: translates its events into ours, and our answers into its format.
import { PreCompressTrigger, SessionEndReason, SessionStartSource } from '../../events/index.ts';
import type { Hooks, HookVerdict } from '../../facade/index.ts';
import { describeThrown, hasSameJsonText, isRecord, type Members, omitUndefined, textOf } from '../../kit/index.ts';
import { forbidsAction as isVerdictAgainst, mayProceedFreely } from '../../protocol/index.ts';
import { readRefusal } from '../core/stopped-calls.ts';
import { createPerEngine, expectHooks, NewestEntries } from '../core/wrapping.ts';

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
  readonly fields: Members;
  readonly id: string | undefined;
  readonly signal: AbortSignal;
}

type EventCallback = (hooks: Hooks, call: EventCall) => Promise<ClaudeHookAnswer>;

const readText = (value: unknown): string => textOf(value) ?? '';
const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {});

const readEnumValue = <Word extends string>(words: Readonly<Record<string, Word>>, value: unknown, other: Word): Word =>
  Object.values(words).find((word) => word === value) ?? other;

const forbidsAction = ({ verdict }: HookVerdict): boolean => isVerdictAgainst(verdict);

const toCommonMembers = ({ messages, stopReason }: HookVerdict): ClaudeHookAnswer => ({
  ...(messages.length === 0 ? {} : { systemMessage: messages.join('\n') }),
  ...(stopReason === undefined ? {} : { continue: false, stopReason }),
});

const toSpecificOutput = (hookEventName: string, fields: Members): ClaudeHookAnswer => {
  const given = omitUndefined(fields);
  return Object.keys(given).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...given } };
};

const toAnswerWithContext = (
  hookEventName: string,
  answer: HookVerdict & { readonly context?: string | undefined },
): ClaudeHookAnswer => ({
  ...toCommonMembers(answer),
  ...toSpecificOutput(hookEventName, { additionalContext: answer.context }),
});

const readReason = ({ reason, stopReason }: HookVerdict): string => reason ?? stopReason ?? 'blocked by hook';

/** Users are not asked about results, so `ask` withholds the result. */
const isWithheld = ({ verdict }: HookVerdict): boolean => !mayProceedFreely(verdict);

const toBlock = (answer: HookVerdict): ClaudeHookAnswer =>
  forbidsAction(answer) ? { decision: 'block', reason: readReason(answer) } : {};

const permissionByVerdict = { deny: 'deny', stop: 'deny', ask: 'ask', allow: 'allow', none: undefined } as const;

const toToolCall = ({ fields, id, signal }: EventCall) => ({
  tool: readText(fields.tool_name),
  input: toRecord(fields.tool_input),
  id: id ?? textOf(fields.tool_use_id),
  signal,
});

const callbacksByEvent = {
  PreToolUse: async (hooks, one) => {
    const call = toToolCall(one);
    const answer = await hooks.beforeTool(call);
    const updatedInput = forbidsAction(answer) || hasSameJsonText(answer.input, call.input) ? undefined : answer.input;
    const permission = permissionByVerdict[answer.verdict];
    return {
      ...toCommonMembers(answer),
      ...toSpecificOutput('PreToolUse', {
        // Changing the arguments does not approve the call: the user confirms the changed arguments.
        permissionDecision: permission,
        permissionDecisionReason: permission === undefined ? undefined : (answer.reason ?? answer.stopReason),
        updatedInput,
        additionalContext: answer.context,
      }),
    };
  },
  PostToolUse: async (hooks, { fields, id, signal }) => {
    const output = fields.tool_response;
    const payload = {
      tool_name: readText(fields.tool_name),
      tool_input: toRecord(fields.tool_input),
      tool_use_id: id ?? textOf(fields.tool_use_id),
      tool_response: typeof output === 'string' ? { llmContent: output } : (output ?? null),
    };
    const { output: merged, ...answer } = await hooks.fire('AfterTool', payload, { signal });
    if (isWithheld(answer))
      return { ...toCommonMembers(answer), ...withholdResult(readReason(answer), fields, answer) };
    const updated = merged?.hookSpecificOutput?.updatedOutput;
    const updatedToolOutput = updated === undefined ? undefined : replaceOutput(output, updated);
    return {
      ...toCommonMembers(answer),
      ...toSpecificOutput('PostToolUse', { additionalContext: answer.context, updatedToolOutput }),
    };
  },
  PermissionRequest: async (hooks, one) => {
    const call = toToolCall(one);
    const answer = await hooks.permissionRequest(call);
    if (forbidsAction(answer)) {
      const interrupt = answer.verdict === 'stop' ? true : undefined;
      const decision = { behavior: 'deny', message: readReason(answer), ...(interrupt && { interrupt }) };
      return { ...toCommonMembers(answer), ...toSpecificOutput('PermissionRequest', { decision }) };
    }
    if (answer.verdict !== 'allow') return toCommonMembers(answer);
    const updated = hasSameJsonText(answer.input, call.input) ? {} : { updatedInput: answer.input };
    return {
      ...toCommonMembers(answer),
      ...toSpecificOutput('PermissionRequest', { decision: { behavior: 'allow', ...updated } }),
    };
  },
  PostToolUseFailure: async (hooks, one) => {
    const answer = await hooks.afterToolFailure({ ...toToolCall(one), error: readText(one.fields.error) });
    return toAnswerWithContext('PostToolUseFailure', answer);
  },
  UserPromptSubmit: async (hooks, { fields, signal }) => {
    const prompt = readText(fields.prompt);
    getPromptsBySession(hooks).keep(readText(fields.session_id), prompt);
    const answer = await hooks.beforeAgent({ prompt, signal });
    const reason = readRefusal(answer);
    const block: ClaudeHookAnswer = reason === undefined ? {} : { decision: 'block', reason };
    return { ...toAnswerWithContext('UserPromptSubmit', answer), ...block };
  },
  Stop: async (hooks, { fields, signal }) => {
    const answer = await hooks.afterAgent({
      prompt: getPromptsBySession(hooks).get(readText(fields.session_id)) ?? '',
      response: readText(fields.last_assistant_message),
      stopHookActive: fields.stop_hook_active === true,
      signal,
    });
    return { ...toCommonMembers(answer), ...toBlock(answer) };
  },
  SubagentStart: async (hooks, { fields, signal }) => {
    const answer = await hooks.subagentStart({ agentType: textOf(fields.agent_type) ?? 'agent', signal });
    return toAnswerWithContext('SubagentStart', answer);
  },
  SubagentStop: async (hooks, { fields, signal }) => {
    const answer = await hooks.subagentStop({
      agentType: textOf(fields.agent_type) ?? 'agent',
      response: readText(fields.last_assistant_message),
      stopHookActive: fields.stop_hook_active === true,
      signal,
    });
    return { ...toCommonMembers(answer), ...toBlock(answer) };
  },
  SessionStart: async (hooks, { fields, signal }) => {
    const source = readEnumValue(SessionStartSource, fields.source, SessionStartSource.Startup);
    return toAnswerWithContext('SessionStart', await hooks.sessionStart({ source, signal }));
  },
  SessionEnd: async (hooks, { fields, signal }) => {
    const reason = readEnumValue(SessionEndReason, fields.reason, SessionEndReason.Other);
    return toCommonMembers(await hooks.sessionEnd({ reason, signal }));
  },
  PreCompact: async (hooks, { fields, signal }) => {
    const trigger = readEnumValue(PreCompressTrigger, fields.trigger, PreCompressTrigger.Auto);
    return toCommonMembers(await hooks.preCompress({ trigger, signal }));
  },
  Notification: async (hooks, { fields, signal }) => {
    const type = textOf(fields.notification_type) ?? 'notification';
    return toCommonMembers(await hooks.notify({ type, message: readText(fields.message), signal }));
  },
} as const satisfies Record<string, EventCallback>;

const getPromptsBySession = createPerEngine(() => new NewestEntries<string>());

/** The SDK rejects an output in which the values of these keys changed. */
const structuralKeys: ReadonlySet<string> = new Set(['type', 'mode']);

/** A block only adds a reason to the output, so the output is replaced. */
const withholdResult = (
  reason: string,
  { tool_response: output }: Members,
  { context }: { readonly context?: string | undefined } = {},
): ClaudeHookAnswer => ({
  decision: 'block',
  reason,
  ...toSpecificOutput('PostToolUse', {
    additionalContext: context,
    updatedToolOutput: replaceTexts(output, `The result is withheld: ${reason}`),
  }),
});

const replaceOutput = (output: unknown, updated: unknown): unknown => {
  const text = textOf(isRecord(updated) ? updated.llmContent : updated);
  return text === undefined ? updated : replaceTexts(output, text);
};

/**
 * Empties all texts of an output and puts another one in place of the first. The structure stays, because the SDK
 * ignores an output of another structure and would show the result to the model.
 */
const replaceTexts = (output: unknown, text: string): unknown => {
  let isSaid = false;
  const say = (): string => {
    const words = isSaid ? '' : text;
    isSaid = true;
    return words;
  };
  const hide = (value: unknown, key?: string): unknown => {
    if (typeof value === 'string') return key !== undefined && structuralKeys.has(key) ? value : say();
    if (Array.isArray(value)) return value.map((one) => hide(one));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(one, name)]));
  };
  const hidden = hide(output);
  return isSaid ? hidden : text;
};

export interface ClaudeHookInput {
  readonly hook_event_name: string;
}

type SdkCallback = (
  input: ClaudeHookInput,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<ClaudeHookAnswer>;

/** The option `hooks` of `query()`. */
export type ClaudeHooks = Record<keyof typeof callbacksByEvent, { hooks: SdkCallback[] }[]>;

const refusalWriters: Readonly<Record<string, ((message: string, fields: Members) => ClaudeHookAnswer) | undefined>> = {
  PreToolUse: (permissionDecisionReason) =>
    toSpecificOutput('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason }),
  PermissionRequest: (message) => toSpecificOutput('PermissionRequest', { decision: { behavior: 'deny', message } }),
  PostToolUse: withholdResult,
  UserPromptSubmit: (reason) => ({ decision: 'block', reason }),
};

/** The SDK may continue after a callback threw, so an event whose hooks could not run is refused here. */
const createCallback =
  (hooks: Hooks, event: string, ask: EventCallback): SdkCallback =>
  async (input, id, { signal }) => {
    try {
      return await ask(hooks, { fields: { ...input }, id, signal });
    } catch (error) {
      const refuse = refusalWriters[event];
      if (refuse === undefined || signal.aborted) throw error;
      return refuse(`Hooks could not be asked: ${describeThrown(error)}`, { ...input });
    }
  };

/**
 * Hooks of an engine as the option `hooks` of `query()`. If a hook answers `ask`, the SDK asks its user, so the engine
 * needs no `deps.confirm`.
 */
export const hooksOption = (hooks: Hooks): ClaudeHooks => {
  expectHooks('hooksOption', hooks);
  const matchers = (event: keyof ClaudeHooks): { hooks: SdkCallback[] }[] => [
    { hooks: [createCallback(hooks, event, callbacksByEvent[event])] },
  ];
  return {
    PreToolUse: matchers('PreToolUse'),
    PostToolUse: matchers('PostToolUse'),
    PostToolUseFailure: matchers('PostToolUseFailure'),
    PermissionRequest: matchers('PermissionRequest'),
    UserPromptSubmit: matchers('UserPromptSubmit'),
    Stop: matchers('Stop'),
    SubagentStart: matchers('SubagentStart'),
    SubagentStop: matchers('SubagentStop'),
    SessionStart: matchers('SessionStart'),
    SessionEnd: matchers('SessionEnd'),
    PreCompact: matchers('PreCompact'),
    Notification: matchers('Notification'),
  };
};
