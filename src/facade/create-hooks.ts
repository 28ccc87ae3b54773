import { invalidArgument } from '../errors.ts';
import { once } from '../kit/index.ts';
import type { CreateHooksOptions } from './create-options.ts';
import type { Hooks } from './hooks.ts';
import type { NoTools, ToolTable } from './tool-types.ts';

/**
 * Makes an engine and loads its hooks. Without any options it is one that has no hooks yet, and costs next to nothing.
 * Hooks that cannot be used are left out and named in `problems`.
 *
 * @typeParam Tools - what the tools of the host take and give, by name: hooks and `callTool` are typed by it.
 */
export const createHooks = <Tools extends ToolTable<Tools> = NoTools>(
  options: CreateHooksOptions = {},
): Promise<Hooks<Tools>> => {
  // The engine is loaded on first use: an agent that only imports this package does not wait for it.
  const hooks = import('./make-hooks.ts').then(({ makeHooks }) => makeHooks<Tools>(options));
  Object.setPrototypeOf(hooks, promised());
  return hooks;
};

/** The members of an engine. The compiler keeps it complete. */
const members: Readonly<Record<keyof Hooks, true>> = {
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

const unawaited = (name: string): PropertyDescriptor => ({
  get: () => {
    throw invalidArgument(`createHooks returns a promise, which has no "${name}"; write await createHooks(…)`);
  },
});

/** Prototype of the promise: a program in JavaScript that forgot to await gets an error that says so. */
const promised = once((): object =>
  Object.create(Promise.prototype, Object.fromEntries(Object.keys(members).map((name) => [name, unawaited(name)]))),
);
