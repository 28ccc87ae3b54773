import { onTestFinished, test } from 'vitest';
import { type ClaudeHookAnswer, type ClaudeHooks, hooksOption } from '../../src/adapters/claude-agent-sdk/index.ts';
import { createHooks } from '../../src/index.ts';
import { type HostDriver, hostCoverage, type ToolCallContext } from '../../src/testing/index.ts';
import { expectCovered, ofOtherTools, ofSubAgents } from './support.ts';

const REASON = 'Hook blocked it: ';

/**
 * An agent that asks the option's callbacks where `query()` does, and does with their answers what the SDK documents. The SDK
 * itself starts a process of its own and asks a model, so it is not here.
 */
class Agent {
  readonly #option: ClaudeHooks;
  readonly #session = { session_id: 's', transcript_path: '', cwd: '.' };

  constructor(option: ClaudeHooks) {
    this.#option = option;
  }

  async ask(event: keyof ClaudeHooks, input: object, signal = new AbortController().signal): Promise<ClaudeHookAnswer> {
    const [answer = {}] = await Promise.all(
      this.#option[event].flatMap(({ hooks }) =>
        hooks.map((hook) => hook({ hook_event_name: event, ...this.#session, ...input }, 'toolu_1', { signal })),
      ),
    );
    return answer;
  }

  async callTool(name: string, input: Record<string, unknown>, { run, signal }: ToolCallContext): Promise<unknown> {
    const call = { tool_name: name, tool_input: input };
    const before = await this.ask('PreToolUse', call, signal);
    const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext } =
      before.hookSpecificOutput ?? {};
    // Nobody is there to be asked.
    if (permissionDecision === 'deny' || permissionDecision === 'ask') return REASON + permissionDecisionReason;
    signal.throwIfAborted();
    const tool_input = updatedInput ?? input;
    let tool_response: unknown;
    try {
      tool_response = await run(tool_input);
    } catch (error) {
      await this.ask('PostToolUseFailure', { ...call, tool_input, error: String(error) }, signal);
      throw error;
    }
    const after = await this.ask('PostToolUse', { ...call, tool_input, tool_response }, signal);
    const { updatedToolOutput = tool_response, additionalContext: more } = after.hookSpecificOutput ?? {};
    return [updatedToolOutput, additionalContext, more, after.reason, before.systemMessage, after.systemMessage];
  }

  async sendPrompt(prompt: string, model: (request: string) => Promise<string>): Promise<string> {
    const before = await this.ask('UserPromptSubmit', { prompt });
    if (before.decision === 'block') return REASON + before.reason;
    let said = await model(`${prompt}\n${before.hookSpecificOutput?.additionalContext ?? ''}`);
    for (let isActive = false; ; isActive = true) {
      const end = { stop_hook_active: isActive, last_assistant_message: said };
      const after = await this.ask('Stop', end);
      if (after.decision !== 'block') return said;
      said = await model(`${prompt}\n${after.reason}`);
    }
  }
}

/** What happens inside of the SDK, where no hook reaches: its model, and that an agent that was stopped asks it no more. */
const notOfTheSdk = [
  'turn after a tool call',
  'agent stopped before a tool',
  'agent stopped after a tool',
  'result that is not shown',
  'plain model call',
  'narrowed tools',
  'changed model request',
  'changed model response',
  'blocked model call',
  'blocked model call with a synthetic response',
  'model call answered by a hook',
  'streamed model call',
  'changed response of a stream',
  'blocked stream',
  'blocked stream with a synthetic response',
];

test('the option of query() passes for every path that the SDK has hooks for', async () => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  const agent = new Agent(hooksOption(hooks));
  const driver: HostDriver = {
    hooks,
    callTool: (name, input, context) => agent.callTool(name, input, context),
    sendPrompt: (prompt, { model }) =>
      agent.sendPrompt(prompt, async (text) => {
        const response = await model({ model: 'claude', contents: [{ role: 'user', parts: [{ text }] }] });
        return JSON.stringify(response);
      }),
    startSession: (source) => agent.ask('SessionStart', { source }),
    endSession: (reason) => agent.ask('SessionEnd', { reason }),
    compress: (trigger) => agent.ask('PreCompact', { trigger, custom_instructions: null }),
    notify: (notification_type, message) => agent.ask('Notification', { notification_type, message }),
  };
  const report = await hostCoverage(driver);
  expectCovered(report, { moreThan: 15, uncovered: [...notOfTheSdk, ...ofOtherTools, ...ofSubAgents] });
});
