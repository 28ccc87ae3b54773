// The loop of an agent, with hooks wherever it matters. This is all that a host has to write.
import {
  confirmOverBus,
  executeToolWithHooks,
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
} from 'hookwright';

const declarationsOf = (tools) => [{ functionDeclarations: Object.keys(tools).map((name) => ({ name })) }];

/** Asks the model, unless a hook answers in its place or is against it. */
const askModel = async ({ config, model, request, signal }) => {
  const before = await fireBeforeModelHook(config, request, { signal });
  if (before.syntheticResponse !== undefined) return { sent: request, response: before.syntheticResponse };
  if (before.blocked) return { ended: before.reason };
  const sent = before.modifiedRequest ?? request;
  const after = await fireAfterModelHook(config, sent, await model(sent, { signal }), { signal });
  return after.blocked ? { ended: after.reason } : { sent, response: after.response };
};

/** Works on a prompt until the model has no further wish or a hook stops it. */
export const work = async ({ config, model, tools, prompt, report, signal }) => {
  const confirm = confirmOverBus(config.getMessageBus(), { timeoutMs: 5_000, fallback: 'deny' });
  const contents = [{ role: 'user', parts: [{ text: prompt }] }];

  for (let turn = 1; ; turn += 1) {
    report.turn(turn);
    const request = { model: 'scripted', contents, config: { temperature: 0.9, tools: declarationsOf(tools) } };
    const { blocked, reason, ...selection } = await fireBeforeToolSelectionHook(config, request, { signal });
    if (blocked) return reason;
    const asked = { ...request, config: { ...request.config, ...selection } };
    const { sent, response, ended } = await askModel({ config, model, request: asked, signal });
    if (ended !== undefined) return ended;

    const { content } = response.candidates[0];
    contents.push(content);
    report.model(sent, content);
    const call = content.parts.find((part) => part.functionCall !== undefined)?.functionCall;
    if (call === undefined) return undefined;

    const { name, args } = call;
    let ran;
    const run = async (input) => {
      ran = await tools[name](input);
      return ran;
    };
    const result = await executeToolWithHooks(config, name, args, run, { confirm, signal });
    if (ran === undefined) report.didNotRun(name, result);
    else if (result.suppressDisplay !== true) report.ran(name, ran);
    if (result.stopped !== undefined) return result.stopped.reason;
    contents.push({ role: 'user', parts: [{ functionResponse: { name, response: { output: result.llmContent } } }] });
  }
};
