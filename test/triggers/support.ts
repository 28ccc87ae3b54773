import {
  Config,
  type ConfigOptions,
  type HookConfig,
  type HookDefinition,
  type HookOutput,
  type HooksByEvent,
} from '../../src/index.ts';

type Action = NonNullable<HookConfig['action']>;

interface Extra extends HookConfig {
  readonly matcher?: string;
  readonly sequential?: boolean;
}

let hooks = 0;

/** A definition with one function hook, which answers what is given or does what is given. */
export const hook = (answer: HookOutput | Action, { matcher, sequential, ...extra }: Extra = {}): HookDefinition => {
  hooks += 1;
  const action: Action = typeof answer === 'function' ? answer : () => answer;
  return { matcher, sequential, hooks: [{ type: 'runtime', name: `hook-${hooks}`, action, ...extra }] };
};

export const throwing = (extra?: Extra): HookDefinition =>
  hook(() => {
    throw new Error('out of order');
  }, extra);

/** A hook that writes down what it was given. */
export const recording = <Input = Record<string, unknown>>(answer?: HookOutput) => {
  const seen: Input[] = [];
  const definition = hook((input: never) => {
    seen.push(input);
    return answer;
  });
  return { seen, definition };
};

export const configWith = (hooksByEvent: HooksByEvent, options: ConfigOptions = {}): Config =>
  new Config({ enableHooks: true, sessionId: 'session-1', hooks: hooksByEvent, ...options });

/** A logger that keeps what it is warned of. */
export const listening = () => {
  const warnings: string[] = [];
  return { warnings, logger: { warn: (message: string) => void warnings.push(message) } };
};

/** A tool that keeps what it was called with. */
export const tool = <Result>(result: Result) => {
  const calls: Record<string, unknown>[] = [];
  const run = (input: Record<string, unknown>): Result => {
    calls.push(input);
    return result;
  };
  return { calls, run };
};

/** A moment that can be waited for. */
export const moment = () => {
  let comes = (): void => {};
  const came = new Promise<void>((resolve) => {
    comes = resolve;
  });
  return { came, comes };
};
