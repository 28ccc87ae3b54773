// Wraps shells, editors and computers of the OpenAI Agents SDK with hooks around their actions.
import {
  type Agent,
  type ApplyPatchOperation,
  type RunContext,
  RunToolApprovalItem,
  type ShellAction,
  type Tool,
} from '@openai/agents';
import { type CalledTool, confirmOf } from '../../facade/index.ts';
import { isRecord, type Members } from '../../kit/index.ts';
import { copyWithPrototype } from '../../models/index.ts';
import { type AdapterToolCall, type BegunCall, callAtOnce, toArgs } from '../core/begun-calls.ts';
import { forgetStoppedCall, formatWithheld, rememberStoppedCall } from '../core/stopped-calls.ts';
import type { AgentCalls } from './agent-calls.ts';
import { formatRefusal } from './function-tools.ts';

type RawItem = RunToolApprovalItem['rawItem'];
// biome-ignore lint/suspicious/noExplicitAny: as the SDK types the agent of an approval
export type AnyAgent = Agent<any, any>;
type ShellTool = Extract<Tool, { type: 'shell' }>;
type PatchTool = Extract<Tool, { type: 'apply_patch' }>;

type ApprovalCheck<Action> = (context: RunContext, action: Action, callId?: string) => Promise<boolean>;

interface ActionInProgress {
  readonly context: RunContext | undefined;
  readonly callId: string | undefined;
  readonly begun?: BegunCall | undefined;
}

export class HookedActions {
  readonly #calls: AgentCalls;
  readonly #name: string;
  readonly #agent: () => AnyAgent;
  readonly #known = new WeakMap<object, ActionInProgress>();

  constructor(calls: AgentCalls, name: string, agent: () => AnyAgent) {
    this.#calls = calls;
    this.#name = name;
    this.#agent = agent;
  }

  started(context: RunContext, callId: string, action: object): void {
    if (!this.#known.has(action)) this.#known.set(action, { context, callId });
  }

  approval<Action extends object>(
    tool: { readonly needsApproval: ApprovalCheck<Action> },
    itemOf: (action: Action, callId: string) => RawItem,
  ): ApprovalCheck<Action> {
    return async (context, action, callId) =>
      (await tool.needsApproval(context, action, callId)) ||
      this.#needsApproval(context, action, callId, (id) => itemOf(action, id));
  }

  async #needsApproval(
    context: RunContext,
    action: object,
    callId: string | undefined,
    rawItem: (callId: string) => RawItem,
  ): Promise<boolean> {
    const { hooks } = this.#calls;
    const made = this.#callOf(action, { context, callId });
    const decided = this.#calls.begun.takeSame(made);
    this.#known.set(action, { context, callId, begun: decided });
    if (decided === undefined && (!this.#calls.wouldAsk(this.#name) || confirmOf(hooks) !== undefined)) return false;
    const call = decided ?? this.#calls.begin(made);
    const clearance = await call.clearance;
    if (clearance === 'ask') {
      call.drop();
      this.#known.set(action, { context, callId });
      return true;
    }
    if (clearance === 'over' && callId !== undefined) {
      const { blocked, stopped } = await call.finish(() => undefined);
      rememberStoppedCall(hooks, callId, stopped);
      const item = new RunToolApprovalItem(rawItem(callId), this.#agent(), this.#name);
      context.rejectTool(item, { message: formatRefusal(blocked?.reason ?? '') });
      return true;
    }
    this.#known.set(action, { context, callId, begun: call });
    return false;
  }

  async run<Result>(action: object, run: (args: Members) => Promise<Result>): Promise<unknown> {
    const { hooks } = this.#calls;
    const known = this.#known.get(action) ?? { context: undefined, callId: undefined };
    this.#known.delete(action);
    const { begun, callId } = known;
    forgetStoppedCall(hooks, callId);
    const signal = callId === undefined ? undefined : this.#calls.signals.get(callId);
    const call = this.#callOf(action, known);
    const called: CalledTool = await (begun === undefined
      ? callAtOnce(hooks, call, run, signal)
      : begun.finish(run, signal, call.approved?.()));
    const { blocked, withheld, stopped, output } = called;
    rememberStoppedCall(hooks, callId, stopped);
    if (blocked !== undefined) throw new Error(formatRefusal(blocked.reason));
    if (withheld !== undefined) throw new Error(formatWithheld(withheld.reason));
    return output;
  }

  #callOf(action: object, { context, callId }: ActionInProgress): AdapterToolCall {
    return {
      name: this.#name,
      input: toArgs({ ...action }),
      id: callId,
      approved: () => (callId === undefined ? undefined : context?.isToolApproved({ toolName: this.#name, callId })),
    };
  }
}

const isShellAction = (value: unknown): value is ShellAction => isRecord(value) && Array.isArray(value.commands);
const isShellResult = (value: unknown): value is Awaited<ReturnType<NonNullable<ShellTool['shell']>['run']>> =>
  isRecord(value) && Array.isArray(value.output);

export interface HookedAction {
  readonly tool: Tool;
  readonly started: (context: RunContext, callId: string, call: Members) => void;
}

const createWrongArgumentsError = (name: string, what: string): Error =>
  new Error(`Hooks changed the arguments of ${name} to what is no ${what}; it did not run`);

export const wrapShell = (calls: AgentCalls, tool: ShellTool, agent: () => AnyAgent): HookedAction | undefined => {
  const { shell, name } = tool;
  if (shell === undefined) return undefined;
  const actions = new HookedActions(calls, name, agent);
  const hooked: ShellTool = Object.assign(copyWithPrototype(tool), {
    needsApproval: actions.approval<ShellAction>(tool, (action, callId) => ({
      type: 'shell_call',
      callId,
      status: 'completed',
      action,
    })),
    shell: {
      run: async (action: ShellAction) => {
        const result = await actions.run(action, async (args) => {
          const effective = { ...action, ...args };
          if (!isShellAction(effective)) throw createWrongArgumentsError(name, 'action of a shell');
          return shell.run(effective);
        });
        if (!isShellResult(result))
          throw new Error(`Hooks changed the result of ${name} to what is no result of a shell`);
        return result;
      },
    },
  });
  return {
    tool: hooked,
    started: (context, callId, { action }) => isRecord(action) && actions.started(context, callId, action),
  };
};

const patchOperationTypes: readonly unknown[] = ['create_file', 'update_file', 'delete_file'];

const isPatchOperation = (value: unknown): value is ApplyPatchOperation =>
  isRecord(value) && patchOperationTypes.includes(value.type) && typeof value.path === 'string';

export const wrapPatchTool = (calls: AgentCalls, tool: PatchTool, agent: () => AnyAgent): HookedAction => {
  const { editor, name } = tool;
  const actions = new HookedActions(calls, name, agent);
  type Edited = Awaited<ReturnType<typeof editor.deleteFile>>;
  const isEdited = (value: unknown): value is Edited => value === undefined || isRecord(value);
  const edit = async (
    operation: ApplyPatchOperation,
    context: Parameters<typeof editor.createFile>[1],
  ): Promise<Edited> => {
    const result = await actions.run(operation, async (args) => {
      const effective = { ...operation, ...args };
      if (!isPatchOperation(effective)) throw createWrongArgumentsError(name, 'operation of an editor');
      if (effective.type === 'create_file') return editor.createFile(effective, context);
      if (effective.type === 'update_file') return editor.updateFile(effective, context);
      return editor.deleteFile(effective, context);
    });
    if (!isEdited(result)) throw new Error(`Hooks changed the result of ${name} to what is no result of an editor`);
    return result;
  };
  const hooked: PatchTool = Object.assign(copyWithPrototype(tool), {
    needsApproval: actions.approval<ApplyPatchOperation>(tool, (operation, callId) => ({
      type: 'apply_patch_call',
      callId,
      status: 'completed',
      operation,
    })),
    editor: { createFile: edit, updateFile: edit, deleteFile: edit },
  });
  return {
    tool: hooked,
    started: (context, callId, { operation }) => isRecord(operation) && actions.started(context, callId, operation),
  };
};
