/** Resumes parked calls: checks the token, marks it as used, and runs the call with its hooks again. */
import { getHookSystem, type TriggerConfig } from '../config.ts';
import { createInvalidArgument } from '../errors.ts';
import type { HookSystem } from '../hook-system.ts';
import { describeValue, expectKnown } from '../kit/index.ts';
import { getProjectDir, type ParkedDecision, type ParkedToolRunner } from '../protocol/index.ts';
import { expectRequiredGuards, listRequiredGuards } from '../required-guards.ts';
import {
  createHost,
  type ExecuteToolOptions,
  executeToolCall,
  getDeps,
  type HookedToolResult,
  type Host,
  publishParked,
  type ResumedCall,
  type ToolResult,
} from '../triggers/index.ts';
import { expectName, expectNotAborted, expectObject } from './arguments.ts';
import { runUntilAborted } from './call-tool.ts';

export interface ResumeToolOptions
  extends Omit<ExecuteToolOptions, 'id' | 'mcpContext' | 'originalName' | 'more' | 'runTool'> {
  /** Runs a tool by name. Default: the `runTool` of `deps.parking`. */
  readonly runTool?: ParkedToolRunner | undefined;
}

export const resumeToolWithHooks = async (
  config: TriggerConfig,
  token: string,
  decision: ParkedDecision,
  { runTool, ...options }: ResumeToolOptions = {},
): Promise<HookedToolResult<ToolResult>> => {
  const method = 'resumeToolWithHooks';
  const host = createHost(config);
  const system = getHookSystem(config);
  if (system === undefined)
    throw createInvalidArgument(`${method}: hooks are off, and a parked call is judged by them again`);
  const opening = { method, host, system, required: listRequiredGuards(config), runTool, signal: options.signal };
  const { resumed, run } = await openParkedCall(opening, token, decision);
  const { tool: name, input, context, callId } = resumed.call;
  const { signal = new AbortController().signal } = options;
  const runNamed = async (tool: string, args: Record<string, unknown>): Promise<ToolResult> => {
    const returned = await run(tool, args, { signal });
    return typeof returned === 'object' && returned !== null ? returned : { llmContent: returned };
  };
  const call = {
    name,
    input,
    context,
    callId: () => callId,
    resumed,
    run: (args: Record<string, unknown>) => runNamed(name, args),
  };
  return executeToolCall(host, call, { ...options, runTool: runNamed });
};

interface ParkedCallOpening {
  readonly method: string;
  readonly host: Host;
  readonly system: HookSystem;
  readonly required: readonly string[];
  readonly runTool: ParkedToolRunner | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Marks the token as used only after all checks, so that the host can correct a mistake and use the token again. */
export const openParkedCall = async (
  { method, host, system, required, runTool, signal }: ParkedCallOpening,
  token: string,
  decision: ParkedDecision,
): Promise<{ readonly resumed: ResumedCall; readonly run: ParkedToolRunner }> => {
  checkDecision(method, decision);
  const { parking } = getDeps(host.config);
  if (parking === undefined) throw createInvalidArgument(`${method} needs deps.parking; make it with parkedCalls`);
  const run = runTool ?? parking.runTool;
  if (run === undefined) {
    throw createInvalidArgument(
      `${method} needs what runs a tool by its name: runTool of parkedCalls, or of this call`,
    );
  }
  const call = await runUntilAborted(signal, () => parking.open(token, getProjectDir(host.config)));
  await runUntilAborted(signal, () => expectRequiredGuards(system, required));
  expectNotAborted(signal);
  await runUntilAborted(signal, () => parking.spend(call));
  const { approved, by, reason } = decision;
  publishParked(host.config, call, { approved, by, ...(reason === undefined ? {} : { reason }) });
  return { resumed: { call, approved, by, reason }, run };
};

const checkDecision = (method: string, decision: ParkedDecision): void => {
  expectObject(method, 'a decision', '{approved, by}', decision);
  expectKnown(method, decision, ['approved', 'by', 'reason']);
  const { approved, by, reason } = decision;
  if (typeof approved !== 'boolean') {
    throw createInvalidArgument(`${method} needs approved as true or false; got ${describeValue(approved)}`);
  }
  expectName(method, 'by', 'the name of who decided', by);
  if (reason !== undefined) expectName(method, 'reason', 'why it was decided so', reason);
};
