import type { HookDefinition, HooksByEvent, HostConfig, Logger } from '../../src/index.ts';

/** The least a host has to answer, and whatever a test adds. */
export const hostWith = (more: Partial<HostConfig> & { hooks?: HooksByEvent } = {}): HostConfig => {
  const { hooks, ...answers } = more;
  return { getSessionId: () => 'session-1', getWorkingDir: () => '/project', getHooks: () => hooks, ...answers };
};

export interface Lines {
  readonly logger: Required<Omit<Logger, 'info'>>;
  readonly debug: string[];
  readonly log: string[];
  readonly warn: string[];
  readonly error: string[];
}

/** A logger that keeps what it is told. */
export const keepLines = (): Lines => {
  const lines = { debug: [] as string[], log: [] as string[], warn: [] as string[], error: [] as string[] };
  return {
    ...lines,
    logger: {
      debug: (line) => lines.debug.push(line),
      log: (line) => lines.log.push(line),
      warn: (line) => lines.warn.push(line),
      error: (line) => lines.error.push(line),
    },
  };
};

export const group = (hooks: HookDefinition['hooks'], more: Partial<HookDefinition> = {}): HookDefinition => ({
  hooks,
  ...more,
});

/** Command hooks by these names, one group. None of them is ever run. */
export const commands = (...names: string[]): HookDefinition[] => [
  group(names.map((name) => ({ type: 'command', name, command: `run-${name}` }))),
];

/** A promise, and the means to settle it from outside. */
export const deferred = <T = void>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} => {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};
