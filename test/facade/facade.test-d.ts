/** Checked by tsc and never run: every promise of the types has its mistake beside it. */
import type * as GenAI1 from '@google/genai';
import type * as GenAI2 from '@google/genai-2';
import * as z from 'zod/mini';
import {
  type CallToolOptions,
  Config,
  createHooks,
  type DefinedHook,
  defineHook,
  type HookAnswer,
  type HookDefinitionOf,
  type HookInput,
  type Hooks,
  type HooksByEvent,
  type ToolResult,
  type Verdict,
} from '../../src/index.ts';

declare const hooks: Hooks;
declare const flag: boolean;

/** The event decides what a hook is given. */
export const inputs = (): void => {
  defineHook({
    event: 'BeforeTool',
    name: 'a',
    run: ({ tool_name, tool_input }) => void [tool_name.length, tool_input.x],
  });
  defineHook({
    event: 'AfterTool',
    name: 'a',
    run: ({ tool_response, session_id }) => void [tool_response, session_id.length],
  });
  defineHook({
    event: 'BeforeModel',
    name: 'a',
    run: ({ llm_request }) => void llm_request.messages[0]?.content.length,
  });
  defineHook({ event: 'AfterModel', name: 'a', run: ({ llm_response }) => void llm_response.candidates.length });
  defineHook({ event: 'SessionStart', name: 'a', run: ({ source }) => void source.length });
  defineHook({ event: 'BeforeTool', name: 'a', run: (_input, { signal }) => signal.throwIfAborted() });
  // @ts-expect-error a tool that has not run has no response
  defineHook({ event: 'BeforeTool', name: 'a', run: ({ tool_response }) => void tool_response });
  // @ts-expect-error no prompt is a number
  defineHook({ event: 'BeforeAgent', name: 'a', run: ({ prompt }) => void prompt.toFixed() });
  // @ts-expect-error no such event
  defineHook({ event: 'BeforeLunch', name: 'a', run: () => undefined });
  // @ts-expect-error a hook has a name
  defineHook({ event: 'BeforeTool', run: () => undefined });
  // @ts-expect-error and a function
  defineHook({ event: 'BeforeTool', name: 'a' });
  // @ts-expect-error a matcher is a text
  defineHook({ event: 'BeforeTool', name: 'a', matcher: /shell/, run: () => undefined });
  // @ts-expect-error a fault allows, denies or asks
  defineHook({ event: 'BeforeTool', name: 'a', onFault: 'block', run: () => undefined });
  defineHook({ event: 'BeforeTool', name: 'a', timeout: 5, run: () => undefined });
  defineHook({ event: 'BeforeTool', name: 'a', timeout: '5s', run: () => undefined });
  // @ts-expect-error a time is a number of milliseconds, or a text with a unit
  defineHook({ event: 'BeforeTool', name: 'a', timeout: 'soon', run: () => undefined });
};

const beforeTool = { event: 'BeforeTool', name: 'a' } as const;
const beforeSelection = { event: 'BeforeToolSelection', name: 'a' } as const;

/** It decides what a hook may answer, and a word that is misspelt is not taken for silence. */
export const answers = (): void => {
  defineHook({ ...beforeTool, run: () => {} });
  defineHook({ ...beforeTool, run: async () => undefined });
  defineHook({ ...beforeTool, run: async () => (flag ? { decision: 'deny', reason: 'no' } : undefined) });
  defineHook({
    ...beforeTool,
    run: ({ tool_name }) => {
      if (tool_name === 'shell') return { decision: 'ask', systemMessage: 'careful' };
    },
  });
  defineHook({ ...beforeTool, run: () => ({ hookSpecificOutput: { tool_input: { deep: { er: 1 } } } }) });
  defineHook({ event: 'AfterTool', name: 'a', run: () => ({ hookSpecificOutput: { anything: 1 } }) });
  defineHook({ event: 'AfterAgent', name: 'a', run: () => ({ hookSpecificOutput: { clearContext: true } }) });
  const seeded = { llm_request: { config: { seed: 1 } } };
  defineHook({ event: 'BeforeModel', name: 'a', run: () => ({ hookSpecificOutput: seeded }) });
  const shared = ({ tool_name }: HookInput<'BeforeTool'>): HookAnswer<'BeforeTool'> => ({ reason: tool_name });
  defineHook({ ...beforeTool, run: shared });

  // However many ways there are through a hook.
  defineHook({ ...beforeTool, run: () => (flag ? { decision: 'deny', reason: 'no' } : { decision: 'allow' }) });
  defineHook({
    ...beforeTool,
    run: ({ tool_name }) => {
      if (tool_name === 'shell') return { decision: 'deny', reason: 'no' };
      if (tool_name === 'read') return { systemMessage: 'careful' };
      return { hookSpecificOutput: { tool_input: { dry_run: true } } };
    },
  });
  defineHook({
    ...beforeTool,
    run: async ({ tool_name }) => {
      if (tool_name === 'shell') return { decision: 'deny', reason: 'no' };
      if (tool_name === 'read') return;
      return { decision: 'allow' };
    },
  });
  defineHook({
    ...beforeTool,
    run: () => (flag ? Promise.resolve({ systemMessage: 'later' }) : { decision: 'allow' }),
  });
  const definition: HookDefinitionOf<'BeforeTool'> = { ...beforeTool, run: () => ({ decision: 'deny' }) };
  defineHook(definition);

  // @ts-expect-error misspelt in one of the ways
  defineHook({ ...beforeTool, run: () => (flag ? { decision: 'allow' } : { desicion: 'deny', reason: 'no' }) });
  // @ts-expect-error also later
  defineHook({ ...beforeTool, run: async () => (flag ? { reason: 'no' } : { desicion: 'deny', reason: 'no' }) });
  // @ts-expect-error a decision is one of five words
  defineHook({ ...beforeTool, run: () => ({ decision: 'denied' }) });
  // @ts-expect-error a misspelt decision
  defineHook({ ...beforeTool, run: () => ({ desicion: 'deny', reason: 'no' }) });
  // @ts-expect-error also later
  defineHook({ ...beforeTool, run: async () => ({ desicion: 'deny', reason: 'no' }) });
  // @ts-expect-error an answer is no text
  defineHook({ ...beforeTool, run: () => 'deny' });
  // @ts-expect-error a flag is no text
  defineHook({ ...beforeTool, run: () => ({ continue: 'no' }) });
  // @ts-expect-error there is no context to clear before a tool
  defineHook({ ...beforeTool, run: () => ({ hookSpecificOutput: { clearContext: true } }) });
  // @ts-expect-error not even beside what there is
  defineHook({ ...beforeTool, run: () => ({ hookSpecificOutput: { tool_input: {}, clearContext: true } }) });
  // @ts-expect-error a mode nobody knows
  defineHook({ ...beforeSelection, run: () => ({ hookSpecificOutput: { toolConfig: { mode: 'SOME' } } }) });
  // @ts-expect-error nothing can be changed when a session ends
  defineHook({ event: 'SessionEnd', name: 'a', run: () => ({ hookSpecificOutput: { additionalContext: 'x' } }) });
};

/** `on` is typed as `defineHook` is. */
export const subscribing = (): void => {
  const off: () => void = hooks.on('BeforeTool', ({ tool_name }) =>
    tool_name === 'x' ? { decision: 'deny' } : undefined,
  );
  off();
  hooks.on('BeforeTool', () => (flag ? { decision: 'deny', reason: 'no' } : { decision: 'allow' }));
  hooks.on('AfterModel', async ({ llm_response }) => void llm_response.candidates, {
    sequential: true,
    onFault: 'deny',
  });
  // @ts-expect-error no such event
  hooks.on('BeforeLunch', () => undefined);
  // @ts-expect-error a session that starts has no tool
  hooks.on('SessionStart', ({ tool_name }) => void tool_name);
  // @ts-expect-error a misspelt decision
  hooks.on('BeforeTool', () => ({ desicion: 'deny', reason: 'no' }));
  // @ts-expect-error no such option
  hooks.on('BeforeTool', () => undefined, { order: 1 });
};

export const creating = async (): Promise<void> => {
  const defined: DefinedHook = defineHook({ event: 'BeforeTool', name: 'a', run: () => undefined });
  await createHooks();
  await createHooks({ hooks: [defined], sessionId: undefined, cwd: '/work' });
  await createHooks({
    hooks: { BeforeTool: [{ matcher: 'shell', hooks: [{ command: './check.sh', timeout: 500 }] }] },
  });
  await createHooks({ config: new Config({ enableHooks: true }) });
  await createHooks({ config: { getSessionId: () => '', getHooks: () => undefined } });
  // @ts-expect-error hooks are grouped in definitions
  await createHooks({ hooks: { BeforeTool: [{ command: './check.sh' }] } });
  // @ts-expect-error a list is of defined hooks
  await createHooks({ hooks: [{ command: './check.sh' }] });
  // @ts-expect-error no such option
  await createHooks({ hook: [defined] });
  // @ts-expect-error a directory is a text
  await createHooks({ cwd: new URL('file:///work') });
};

/** `none` is a verdict of its own: who reads it as one of the others is told. */
export const verdicts = async (): Promise<void> => {
  const { verdict, reason, stopReason, context, messages, faults } = await hooks.beforeTool({
    tool: 'shell',
    input: {},
  });
  const texts: (string | undefined)[] = [reason, stopReason, context, ...messages, faults[0]?.hook, faults[0]?.code];
  const meaning: Record<Verdict, boolean> = { none: true, allow: true, ask: false, deny: false, stop: false };
  void [texts, meaning[verdict]];
  // @ts-expect-error none is missing
  const incomplete: Record<Verdict, boolean> = { allow: true, ask: false, deny: false, stop: false };
  // @ts-expect-error there is no such verdict
  const blocked = verdict === 'block';
  // @ts-expect-error there may be no reason
  const length = reason.length;
  // @ts-expect-error what is told is not to be changed
  messages.push('mine');
  void [incomplete, blocked, length];
};

interface ShellResult extends ToolResult {
  llmContent: GenAI1.PartListUnion;
  exitCode: number;
}
declare const result: ShellResult;

export const tools = async (): Promise<void> => {
  const { input } = await hooks.beforeTool({
    tool: 'shell',
    input: { command: 'ls' },
    timeoutMs: 5,
    signal: undefined,
  });
  const args: Record<string, unknown> = input;
  const text = await hooks.afterTool({ tool: 'shell', input: args, output: 'done' });
  const output: string = text.output;
  const display: boolean = text.suppressDisplay;
  const next: string | undefined = text.tailToolCall?.name;
  const shell = await hooks.afterTool({ tool: 'shell', input: args, output: result });
  const content: GenAI1.PartListUnion | undefined = shell.output.llmContent;
  const rows = await hooks.afterTool({ tool: 'query', input: args, output: { rows: 3 } });
  const count: number | undefined = 'rows' in rows.output ? rows.output.rows : undefined;
  void [output, display, next, content, count];
  // @ts-expect-error a tool has a name
  await hooks.beforeTool({ input: {} });
  // @ts-expect-error and arguments
  await hooks.beforeTool({ tool: 'shell' });
  // @ts-expect-error which are an object
  await hooks.beforeTool({ tool: 'shell', input: 'ls' });
  // @ts-expect-error after a tool there is an output
  await hooks.afterTool({ tool: 'shell', input: {} });
  // @ts-expect-error which a hook may have withheld
  const exitCode: number = shell.output.exitCode;
  // @ts-expect-error a controller is no signal
  await hooks.beforeTool({ tool: 'shell', input: {}, signal: new AbortController() });
  void exitCode;
};

declare const request1: GenAI1.GenerateContentParameters;
declare const response1: GenAI1.GenerateContentResponse;
declare const request2: GenAI2.GenerateContentParameters;
declare const response2: GenAI2.GenerateContentResponse;

/** The real SDK's own types go in and come out. */
export const models = async (): Promise<void> => {
  const before = await hooks.beforeModel({ request: request1 });
  const send: GenAI1.GenerateContentParameters = before.request;
  const answer: string | undefined = before.response?.text;
  const keep: GenAI1.GenerateContentResponse = (await hooks.afterModel({ request: request1, response: response1 }))
    .response;
  const { toolConfig, tools: offered } = await hooks.beforeToolSelection({ request: request1 });
  const config: GenAI1.GenerateContentConfig = {
    ...(toolConfig && { toolConfig }),
    ...(offered && { tools: offered }),
  };
  const send2: GenAI2.GenerateContentParameters = (await hooks.beforeModel({ request: request2 })).request;
  const keep2: GenAI2.GenerateContentResponse = (await hooks.afterModel({ request: request2, response: response2 }))
    .response;
  void [send, answer, keep, config, send2, keep2];
  // @ts-expect-error a request is an object
  await hooks.beforeModel({ request: 'hi' });
  // @ts-expect-error a response belongs to it
  await hooks.afterModel({ request: request1 });
  // @ts-expect-error one SDK's request is not the other's response
  const wrong: GenAI1.GenerateContentResponse = before.request;
  void wrong;
};

export const turns = async (): Promise<void> => {
  const prompt: string = (await hooks.beforeAgent({ prompt: 'hi' })).prompt;
  const { retry, clearContext } = await hooks.afterAgent({ prompt, response: 'ho', stopHookActive: true });
  const flags: boolean[] = [retry, clearContext];
  await hooks.sessionStart({ source: 'startup' });
  await hooks.sessionEnd({ reason: 'logout' });
  await hooks.preCompress({ trigger: 'auto' });
  await hooks.notify({ type: 'Idle', message: 'hi' });
  void flags;
  // @ts-expect-error a session does not start like this
  await hooks.sessionStart({ source: 'begin' });
  // @ts-expect-error nor end without a reason
  await hooks.sessionEnd({});
  // @ts-expect-error an answer is text
  await hooks.afterAgent({ prompt: 'hi', response: 5 });
  // @ts-expect-error a notification says something
  await hooks.notify({ type: 'Idle' });
};

export const looking = async (): Promise<void> => {
  for await (const message of hooks.tap()) if (message.type === 'hook-started') message.hookName.length;
  const [row] = await hooks.explain('BeforeTool', { toolName: 'shell' });
  const planned: 'run' | 'skip' | undefined = row?.planned;
  const problem: string | undefined = hooks.problems[0]?.message;
  void [planned, problem];
  // @ts-expect-error not every message has a hook
  for await (const message of hooks.tap()) message.hookName.length;
  // @ts-expect-error rows tell, they do not listen
  if (row !== undefined) row.planned = 'run';
};

/** A hook under a name that is no event would never run. */
export const events = async (byEvent: HooksByEvent): Promise<void> => {
  await createHooks({ hooks: { BeforeTool: [{ hooks: [{ command: './check.sh' }] }], SessionEnd: [] } });
  await createHooks({ hooks: byEvent });
  // @ts-expect-error no such event
  await createHooks({ hooks: { BeforTool: [{ hooks: [{ command: './check.sh' }] }] } });
  // @ts-expect-error no such option
  await createHooks({ hoks: {} });
};

/** The output has the type of the tool's, and may be withheld. */
export const toolCalls = async (options: CallToolOptions): Promise<void> => {
  const { output, blocked } = await hooks.callTool('read', {}, () => 'text', options);
  output?.toUpperCase();
  blocked?.reason.toUpperCase();
  const rich = await hooks.callTool('read', {}, async () => ({ llmContent: 'text', rows: 1 }));
  rich.output?.rows?.toFixed();
  // @ts-expect-error it may be withheld
  output.toUpperCase();
  // @ts-expect-error no such option
  await hooks.callTool('read', {}, () => 'text', { singal: options.signal });
  // @ts-expect-error a call has arguments
  await hooks.callTool('read', () => 'text');
};

/** What this agent's tools take and give. An interface will do. */
interface OwnTools {
  shell: { input: ShellInput; output: string };
  read: { input: { path: string; lines?: number }; output: { text: string } };
  wait: { input: { seconds: number } };
}
interface ShellInput {
  command: string;
}
declare const typed: Hooks<OwnTools>;

/** The name of a tool decides what its arguments and its result are. */
export const namedTools = async (): Promise<void> => {
  const own: Hooks<OwnTools> = await createHooks<OwnTools>();
  const likeAnyOther: Hooks = own;
  void likeAnyOther;
  const { output, input } = await typed.callTool('shell', { command: 'ls' }, ({ command }) => command.toUpperCase());
  const text: string | undefined = output;
  const read = await typed.callTool('read', { path: 'a' }, async ({ path, lines }) => ({ text: `${path}${lines}` }));
  await typed.callTool('wait', { seconds: 1 }, () => undefined);
  void [text, input, read];
  // @ts-expect-error no such tool
  await typed.callTool('shel', { command: 'ls' }, () => 'x');
  // @ts-expect-error no such argument
  await typed.callTool('shell', { comand: 'ls' }, () => 'x');
  // @ts-expect-error this tool gives a text
  await typed.callTool('shell', { command: 'ls' }, () => 5);
  // @ts-expect-error nor does it read such an argument
  await typed.callTool('shell', { command: 'ls' }, ({ comand }) => comand);
};

export const hooksOfNamedTools = (): void => {
  typed.on('BeforeTool', (call) => {
    if (call.tool_name === 'shell') return { decision: call.tool_input.command === '' ? 'deny' : 'allow' };
    // @ts-expect-error only a shell has a command
    void call.tool_input.command;
    return undefined;
  });
  typed.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { command: 'ls' } } }));
  typed.on('AfterTool', ({ tool_name }) => void tool_name.length);
  typed.on('BeforeAgent', ({ prompt }) => void prompt.length);
  typed.on('BeforeTool', ({ tool_input }) => ({ reason: tool_input.command }), { tool: 'shell' });
  typed.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { lines: 5 } } }), { tool: 'read' });
  // @ts-expect-error no tool of this name
  typed.on('BeforeTool', ({ tool_name }) => (tool_name === 'shel' ? { decision: 'deny' } : undefined));
  // @ts-expect-error no such tool
  typed.on('BeforeTool', () => undefined, { tool: 'shel' });
  // @ts-expect-error no such argument of this tool
  typed.on('BeforeTool', ({ tool_input }) => ({ reason: tool_input.comand }), { tool: 'shell' });
  // @ts-expect-error a rewrite has the arguments of this tool
  typed.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { command: 'ls' } } }), { tool: 'read' });
  // @ts-expect-error of the right type
  typed.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { lines: '5' } } }), { tool: 'read' });
  // @ts-expect-error a misspelt decision
  typed.on('BeforeTool', () => ({ desicion: 'deny' }));
};

/** A hook may bring what its tool takes. */
export const hooksWithSchemas = (): void => {
  const shell = { name: 'shell', input: z.object({ command: z.string() }) };
  defineHook({ ...beforeTool, tool: 'shell', run: ({ tool_input }) => void tool_input.anything });
  defineHook({ ...beforeTool, tool: shell, run: ({ tool_input }) => ({ reason: tool_input.command.toUpperCase() }) });
  defineHook({ ...beforeTool, tool: shell, run: () => ({ hookSpecificOutput: { tool_input: { command: 'ls' } } }) });
  defineHook({ event: 'AfterTool', name: 'a', tool: shell, run: ({ tool_input }) => void tool_input.command.length });
  hooks.on('BeforeTool', ({ tool_input }) => void tool_input.command.length, { tool: { ...shell, misfit: 'skip' } });
  // @ts-expect-error no such argument
  defineHook({ ...beforeTool, tool: shell, run: ({ tool_input }) => void tool_input.comand });
  // @ts-expect-error a rewrite has the arguments of the tool
  defineHook({ ...beforeTool, tool: shell, run: () => ({ hookSpecificOutput: { tool_input: { comand: 'ls' } } }) });
  // @ts-expect-error of the right type
  defineHook({ ...beforeTool, tool: shell, run: () => ({ hookSpecificOutput: { tool_input: { command: 5 } } }) });
  // @ts-expect-error a misspelt decision
  defineHook({ ...beforeTool, tool: shell, run: () => ({ desicion: 'deny' }) });
  // @ts-expect-error a prompt is of no tool
  defineHook({ event: 'BeforeAgent', name: 'a', tool: 'shell', run: () => undefined });
  // @ts-expect-error a misfit is a fault or skipped
  defineHook({ ...beforeTool, tool: { ...shell, misfit: 'deny' }, run: () => undefined });
};
