import { type Computer, RunContext, type Tool } from '@openai/agents';
import { isRecord } from '../../kit/index.ts';
import { copyOf } from '../../models/index.ts';
import type { AgentCalls } from './agent-calls.ts';
import { type AnyAgent, type HookedAction, HookedActions } from './hooked-actions.ts';

type Members = Readonly<Record<string, unknown>>;
type ComputerTool = Extract<Tool, { type: 'computer' }>;
type ComputerAction = Parameters<ComputerTool['needsApproval']>[1];

/** The methods by which the SDK makes actions of a computer, and the arguments it gives them. */
const methods: Readonly<Record<string, { readonly type: string; readonly args: (action: Members) => unknown[] }>> = {
  click: { type: 'click', args: ({ x, y, button }) => [x, y, button] },
  doubleClick: { type: 'double_click', args: ({ x, y }) => [x, y] },
  drag: {
    type: 'drag',
    args: ({ path }) => [
      Array.isArray(path) ? path.map((point) => (isRecord(point) ? [point.x, point.y] : point)) : [],
    ],
  },
  keypress: { type: 'keypress', args: ({ keys }) => [keys] },
  move: { type: 'move', args: ({ x, y }) => [x, y] },
  screenshot: { type: 'screenshot', args: () => [] },
  scroll: { type: 'scroll', args: ({ x, y, scroll_x, scroll_y }) => [x, y, scroll_x, scroll_y] },
  type: { type: 'type', args: ({ text }) => [text] },
  wait: { type: 'wait', args: () => [] },
};

/** Actions of a call that are not made yet, by the run; a picture that the SDK takes after them is none of them. */
class PendingActions {
  readonly #actions = new WeakMap<RunContext, object[]>();

  set(context: RunContext, actions: readonly object[]): void {
    this.#actions.set(context, [...actions]);
  }

  next(context: unknown, type: string): object | undefined {
    const waiting = context instanceof RunContext ? this.#actions.get(context) : undefined;
    const [first] = waiting ?? [];
    if (first === undefined || Reflect.get(first, 'type') !== type) return undefined;
    waiting?.shift();
    return first;
  }
}

const hookedComputer = <C extends object>(computer: C, actions: HookedActions, pending: PendingActions): C =>
  new Proxy(computer, {
    get: (target, key): unknown => {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const method = typeof key === 'string' ? methods[key] : undefined;
      if (method === undefined) return value.bind(target);
      return async (...args: unknown[]): Promise<unknown> => {
        const context = args.at(-1);
        const action = pending.next(context, method.type);
        if (action === undefined) return Reflect.apply(value, target, args);
        return actions.run(action, async (changed) => Reflect.apply(value, target, [...method.args(changed), context]));
      };
    },
  });

const actionsIn = ({ action, actions }: Members): object[] => {
  const all: readonly unknown[] = Array.isArray(actions) && actions.length > 0 ? actions : [action];
  return all.filter(isRecord);
};

const isComputer = (value: object): value is Computer => typeof Reflect.get(value, 'screenshot') === 'function';

/** A computer with hooks around each action; one that is made when it is needed is hooked then. */
export const hookedComputerTool = (calls: AgentCalls, tool: ComputerTool, agent: () => AnyAgent): HookedAction => {
  const { computer, name } = tool;
  const actions = new HookedActions(calls, name, agent);
  const pending = new PendingActions();
  const hook = <C extends object>(made: C): C => hookedComputer(made, actions, pending);
  const needsApproval = async (context: RunContext, action: ComputerAction, callId?: string): Promise<boolean> =>
    (await tool.needsApproval(context, action, callId)) ||
    actions.needsApproval(context, action, callId, (id) => ({
      type: 'computer_call',
      callId: id,
      status: 'completed',
      action,
    }));
  const hooked: ComputerTool = Object.assign(copyOf(tool), {
    needsApproval,
    computer: hookedSource(computer, hook),
  });
  return {
    tool: hooked,
    started: (context, callId, call) => {
      const all = actionsIn(call);
      pending.set(context, all);
      for (const action of all) actions.started(context, callId, action);
    },
  };
};

const hookedSource = (
  source: ComputerTool['computer'],
  hook: <C extends object>(made: C) => C,
): ComputerTool['computer'] => {
  if (typeof source === 'function') return async (args) => hook(await source(args));
  if (isComputer(source)) return hook(source);
  return { ...source, create: async (args) => hook(await source.create(args)) };
};
