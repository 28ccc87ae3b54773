/** `createHooks`, which loads the engine on demand. */
import { createInvalidArgument } from '../errors.ts';
import { once } from '../kit/index.ts';
import type { CreateHooksOptions } from './create-options.ts';
import type { Hooks } from './hooks.ts';
import type { NoTools, ToolTable } from './tool-types.ts';

/**
 * Creates an engine with hooks. Those that cannot be used are listed in `problems`. @typeParam Tools - arguments and
 * results of the host's tools by name.
 */
export const createHooks = <Tools extends ToolTable<Tools> = NoTools>(
  options: CreateHooksOptions = {},
): Promise<Hooks<Tools>> => {
  const hooks = import('./make-hooks.ts').then(({ makeHooks }) => makeHooks<Tools>(options));
  Object.setPrototypeOf(hooks, getPromisePrototype());
  return hooks;
};

const hooksMembers: Readonly<Record<keyof Hooks, true>> = {
  beforeTool: true,
  afterTool: true,
  permissionRequest: true,
  afterToolFailure: true,
  beforeAgent: true,
  afterAgent: true,
  beforeModel: true,
  afterModel: true,
  beforeToolSelection: true,
  sessionStart: true,
  sessionEnd: true,
  preCompress: true,
  subagentStart: true,
  subagentStop: true,
  notify: true,
  problems: true,
  bus: true,
  system: true,
  callTool: true,
  on: true,
  fire: true,
  tap: true,
  explain: true,
  resume: true,
  close: true,
};

const createUnawaitedProperty = (name: string): PropertyDescriptor => ({
  get: () => {
    throw createInvalidArgument(`createHooks returns a promise, which has no "${name}"; write await createHooks(…)`);
  },
});

/** JavaScript without `await` gets an error that says so, instead of `undefined is not a function`. */
const getPromisePrototype = once((): object =>
  Object.create(
    Promise.prototype,
    Object.fromEntries(Object.keys(hooksMembers).map((name) => [name, createUnawaitedProperty(name)])),
  ),
);
