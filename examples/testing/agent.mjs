// A small agent with hooks around its tools and its model, as a host writes them.
import {
  executeToolWithHooks,
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  fireSessionEndHook,
  fireSessionStartHook,
} from 'hookwright';

export class Agent {
  constructor(config, tools) {
    this.config = config;
    this.tools = tools;
  }

  start() {
    return fireSessionStartHook(this.config, 'startup');
  }

  end(reason) {
    return fireSessionEndHook(this.config, reason);
  }

  /** What the model is told of a tool call. */
  async callTool(name, input, signal) {
    const { llmContent } = await executeToolWithHooks(this.config, name, input, this.tools[name], { signal });
    return llmContent;
  }

  /** What goes into the history. */
  async ask(model, request) {
    const { toolConfig } = await fireBeforeToolSelectionHook(this.config, request);
    const asked = toolConfig === undefined ? request : { ...request, config: { ...request.config, toolConfig } };
    const before = await fireBeforeModelHook(this.config, asked);
    if (before.syntheticResponse !== undefined) return before.syntheticResponse;
    if (before.blocked) return { candidates: [{ content: { role: 'model', parts: [{ text: before.reason }] } }] };
    const sent = before.modifiedRequest ?? asked;
    const after = await fireAfterModelHook(this.config, sent, await model(sent));
    return after.response;
  }
}
