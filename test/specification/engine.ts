import { setTimeout as sleep } from 'node:timers/promises';
import {
  Config,
  type ConfigOptions,
  type HookConfig,
  type HookEventHandler,
  type HookSystem,
  type HooksByEvent,
  type Logger,
  type PayloadOf,
} from '../../src/index.ts';

/** A hook that gives this answer whatever it is asked. */
export const answering = (name: string, answer?: unknown, more: HookConfig = {}): HookConfig => ({
  type: 'runtime',
  name,
  action: () => answer,
  ...more,
});

/** The same, after a while. */
export const answeringAfter = (ms: number, name: string, answer: unknown): HookConfig => ({
  type: 'runtime',
  name,
  action: async () => {
    await sleep(ms);
    return answer;
  },
});

/** A hook that keeps what it is given. */
export const keeping = (kept: unknown[], name = 'keeps its input'): HookConfig => ({
  type: 'runtime',
  name,
  action: (input) => {
    kept.push(input);
  },
});

/** Every hook of the event in a definition of its own without a matcher. */
export const all = (...hooks: HookConfig[]) => hooks.map((hook) => ({ hooks: [hook] }));

export interface Engine {
  readonly config: Config;
  readonly system: HookSystem;
  readonly handler: HookEventHandler;
}

/** An engine with these hooks of the project, loaded. */
export const engineOf = async (hooks: HooksByEvent, options: Omit<ConfigOptions, 'hooks'> = {}): Promise<Engine> => {
  const config = new Config({ enableHooks: true, hooks, ...options });
  const system = config.getHookSystem();
  if (system === undefined) throw new Error('hooks are on, so there is a system');
  await system.initialize();
  return { config, system, handler: system.getEventHandler() };
};

/** A logger that keeps its lines, each behind its level. */
export const keepingLogger = (): { logger: Logger; lines: string[] } => {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => {
    lines.push(`${level}: ${message}`);
  };
  return { lines, logger: { debug: at('debug'), log: at('log'), warn: at('warn'), error: at('error') } };
};

const request = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] };

/** A payload of every event. */
export const payloads = {
  BeforeTool: { tool_name: 'read_file', tool_input: { path: 'a' } },
  AfterTool: { tool_name: 'read_file', tool_input: { path: 'a' }, tool_response: { llmContent: 'text' } },
  BeforeAgent: { prompt: 'do it' },
  AfterAgent: { prompt: 'do it', prompt_response: 'done' },
  BeforeModel: { llm_request: request },
  AfterModel: { llm_request: request, llm_response: response },
  BeforeToolSelection: { llm_request: request },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'may I?', details: { tool: 'run_shell' } },
} as const satisfies { readonly [E in import('../../src/index.ts').HookEventName]: PayloadOf<E> };
