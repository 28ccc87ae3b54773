/** Checked by tsc and never run: every promise of the types has its mistake beside it. */
import type * as GenAI1 from '@google/genai';
import type * as GenAI2 from '@google/genai-2';
import {
  Config,
  type Confirm,
  confirmOverBus,
  executeToolWithHooks,
  fireAfterAgentHook,
  fireAfterModelHook,
  fireAfterToolHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  fireBeforeToolHook,
  fireBeforeToolSelectionHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
  type HookSystem,
  type HookTranslator,
  MessageBus,
  type ToolResult,
  type TriggerConfig,
} from '../../src/index.ts';

declare const config: Config;
declare const maybeSignal: AbortSignal | undefined;

export const configuring = (): void => {
  new Config({ enableHooks: true, bus: new MessageBus(), deps: { logger: {} }, sessionId: undefined });
  const system: HookSystem | undefined = config.getHookSystem();
  // @ts-expect-error hooks may be off
  void system.initialize();
  // @ts-expect-error no such option
  new Config({ enabled: true });
  // @ts-expect-error hooks are grouped in definitions
  new Config({ hooks: { BeforeTool: [{ command: './check.sh' }] } });
  // @ts-expect-error no such dependency
  new Config({ deps: { confirmation: () => true } });
  const duck: TriggerConfig = { getSessionId: () => 'a', getHooks: () => undefined };
  void fireBeforeToolHook(duck, 'shell', {});
  // @ts-expect-error a session has an id
  void fireBeforeToolHook({ getHooks: () => undefined }, 'shell', {});
};

export const tools = async (): Promise<void> => {
  const before = await fireBeforeToolHook(config, 'shell', { command: 'ls' }, { signal: maybeSignal, timeoutMs: 5 });
  const changes: Record<string, unknown> | undefined = before?.getModifiedToolInput();
  // @ts-expect-error there may be nothing to say
  before.getModifiedToolInput();
  // @ts-expect-error a tool has arguments
  await fireBeforeToolHook(config, 'shell');
  // @ts-expect-error which are an object
  await fireBeforeToolHook(config, 'shell', 'ls');
  const after = await fireAfterToolHook(config, 'shell', changes ?? {}, { llmContent: 'done' });
  // @ts-expect-error there is no input to modify after the tool
  after?.getModifiedToolInput();
  // @ts-expect-error an error has a message
  await fireAfterToolHook(config, 'shell', {}, { llmContent: 'done', error: {} });
};

interface ShellResult extends ToolResult {
  llmContent: GenAI1.PartListUnion;
  exitCode: number;
}
declare const shell: (input: Record<string, unknown>) => Promise<ShellResult>;

export const execution = async (): Promise<void> => {
  const result = await executeToolWithHooks(config, 'shell', {}, shell, {
    confirm: confirmOverBus(new MessageBus()),
    runTool: async () => shell({}),
    signal: maybeSignal,
  });
  // The content is still what the SDK takes, and what only the tool knows may be missing.
  const content: GenAI1.PartListUnion | undefined = result.llmContent;
  const exitCode: number | undefined = result.exitCode;
  const problem: string | undefined = result.error?.message;
  // @ts-expect-error a result that a hook put there has no exit code
  const certain: number = result.exitCode;
  // @ts-expect-error the tool has no such member
  result.stdout;
  void [content, exitCode, problem, certain];

  // @ts-expect-error a tool is a function
  await executeToolWithHooks(config, 'shell', {}, { llmContent: 'done' });
  // @ts-expect-error the effective input is an object
  await executeToolWithHooks(config, 'shell', {}, (input: string) => ({ llmContent: input }));
  // @ts-expect-error a tool that is run for a hook gives a result as well
  await executeToolWithHooks(config, 'shell', {}, shell, { runTool: () => 'done' });
  // @ts-expect-error yes is true
  const confirm: Confirm = () => 'yes';
  void confirm;
};

declare const request1: GenAI1.GenerateContentParameters;
declare const response1: GenAI1.GenerateContentResponse;
declare const request2: GenAI2.GenerateContentParameters;
declare const response2: GenAI2.GenerateContentResponse;

/** The real SDK's own types go in and come out, so that what hooks changed can be handed on without a cast. */
export const models = async (): Promise<void> => {
  const before1 = await fireBeforeModelHook(config, request1);
  const send1: GenAI1.GenerateContentParameters | undefined = before1.modifiedRequest;
  const text: string | undefined = before1.syntheticResponse?.text;
  const after1 = await fireAfterModelHook(config, request1, response1);
  const keep1: GenAI1.GenerateContentResponse = after1.response;
  const selection1 = await fireBeforeToolSelectionHook(config, request1);
  const config1: GenAI1.GenerateContentConfig = { ...request1.config };
  const spread: GenAI1.GenerateContentConfig = { ...config1, ...(await fireBeforeToolSelectionHook(config, request1)) };
  void spread;
  if (selection1.toolConfig !== undefined) config1.toolConfig = selection1.toolConfig;
  if (selection1.tools !== undefined) config1.tools = selection1.tools;

  const before2 = await fireBeforeModelHook(config, request2);
  const send2: GenAI2.GenerateContentParameters | undefined = before2.modifiedRequest;
  const keep2: GenAI2.GenerateContentResponse = (await fireAfterModelHook(config, request2, response2)).response;
  void [send1, text, keep1, config1, send2, keep2];

  // @ts-expect-error a blocked request is not modified
  const certain: GenAI1.GenerateContentParameters = before1.modifiedRequest;
  void certain;
  // @ts-expect-error a request is an object
  await fireBeforeModelHook(config, 'hi');
  // @ts-expect-error a response belongs to it
  await fireAfterModelHook(config, request1);
  // @ts-expect-error hooks choose among names, not where to send them
  (await fireBeforeToolSelectionHook(config, request1)).model;
};

interface ChatRequest {
  engine: string;
  tool_choice?: 'auto' | 'none';
}
interface ChatResponse {
  choices: string[];
}
declare const foreign: HookTranslator<ChatRequest, ChatResponse, { choice: string }>;
declare const chat: ChatRequest;

/** With a translator of its own, another SDK's types do too. */
export const foreignModels = async (): Promise<void> => {
  const mine = new Config({ enableHooks: true, deps: { translator: foreign } });
  const before = await fireBeforeModelHook<ChatRequest, ChatResponse>(mine, chat);
  const send: ChatRequest | undefined = before.modifiedRequest;
  const answer: ChatResponse | undefined = before.syntheticResponse;
  void [send, answer];
  // @ts-expect-error what makes no requests is no translator
  new Config({ deps: { translator: { toHookLLMRequest: foreign.toHookLLMRequest } } });
};

export const turns = async (): Promise<void> => {
  const { prompt, blocked, reason } = await fireBeforeAgentHook(config, 'hi', { confirm: async () => true });
  const { retry, clearContext } = await fireAfterAgentHook(config, prompt, 'ho', true, { signal: maybeSignal });
  const verdicts: [boolean, boolean, boolean, string | undefined] = [blocked, retry, clearContext, reason];
  void verdicts;
  await fireSessionStartHook(config, 'resume');
  await fireSessionEndHook(config, 'logout');
  await firePreCompressHook(config, 'manual');
  await fireNotificationHook(config, 'ToolPermission', 'May I?', { tool: 'shell' });
  await fireNotificationHook(config, 'Idle', 'Still there?');
  // @ts-expect-error a session does not start like this
  await fireSessionStartHook(config, 'begin');
  // @ts-expect-error nor end like this
  await fireSessionEndHook(config, 'bored');
  // @ts-expect-error and nobody compresses by chance
  await firePreCompressHook(config, 'random');
  // @ts-expect-error an answer is text
  await fireAfterAgentHook(config, 'hi', { text: 'ho' });
  // @ts-expect-error a notification says something
  await fireNotificationHook(config, 'Idle');
};
