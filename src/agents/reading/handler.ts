// Reads one handler of an agent's hooks file: its type, members and timeout.
import { isRecord } from '../../kit/index.ts';
import type { AgentEvent, JsonObject, Platform } from '../rule-types.ts';

export interface Handler {
  readonly type: 'command' | 'http' | 'prompt' | 'mcp';
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly prompt?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly input?: Readonly<JsonObject> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly allowedEnvVars?: readonly string[] | undefined;
  readonly shell?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly name?: string | undefined;
  readonly statusMessage?: string | undefined;
  readonly failClosed?: boolean | undefined;
  readonly condition?: string | undefined;
  /** How often in a row the hook may make the agent continue; `null` for no limit. */
  readonly loopLimit?: number | null | undefined;
  /** The most tokens of context for the model; 0 for no limit. */
  readonly contextTokens?: number | undefined;
  /** The hook runs in the background: its answer decides nothing. */
  readonly isAsync?: boolean | undefined;
}

export interface HandlerProblem {
  readonly message: string;
  readonly fix: string;
  /** The agent ignores the whole file because of the mistake. */
  readonly voidsFile?: boolean;
  readonly onlyHere?: boolean;
}

export interface HandlerReading {
  readonly handler?: Handler;
  readonly problem?: HandlerProblem;
  /** Notes about members that the agent ignores, or that mean something else in hookwright. */
  readonly notes?: readonly string[];
}

export interface HandlerContext extends AgentEvent {
  readonly platform: Platform;
}

export type AgentHandlerReader = (raw: Readonly<JsonObject>, spot: HandlerContext) => HandlerReading;

export const refuseHandler = (message: string, fix: string): HandlerReading => ({ problem: { message, fix } });

export const refuseFile = (message: string, fix: string): HandlerReading => ({
  problem: { message, fix, voidsFile: true },
});

export interface TimeoutRule {
  readonly key?: string;
  readonly alias?: string;
  readonly unit: number | ((value: number) => number);
  readonly fallbackMs: number;
  readonly mostMs?: number;
  readonly leastMs?: number;
}

/** A timeout of 0 is refused: the hook would end before it can answer. */
const readTimeout = (raw: Readonly<JsonObject>, rule: TimeoutRule): number | HandlerProblem => {
  const { key = 'timeout', alias, unit, fallbackMs, mostMs, leastMs = 1 } = rule;
  const value = raw[key] ?? (alias === undefined ? undefined : raw[alias]);
  if (value === undefined) return fallbackMs;
  const units = unit === 1 ? 'milliseconds' : 'seconds';
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const message = `${key} must be a number of ${units}, found ${JSON.stringify(value)}`;
    return { message, fix: `write a number of ${units}` };
  }
  if (value <= 0) {
    const message = `${key} ${value} ends the hook at once, so that it never answers`;
    return { message, fix: `leave ${key} out, or write a number of ${units} above 0` };
  }
  const ms = typeof unit === 'number' ? value * unit : unit(value);
  return Math.max(leastMs, Math.min(ms, mostMs ?? ms));
};

const isTextRecord = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((member) => typeof member === 'string');

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

export class HandlerFields {
  readonly #raw: Readonly<JsonObject>;
  wrong: HandlerProblem | undefined;

  constructor(raw: Readonly<JsonObject>) {
    this.#raw = raw;
  }

  #read<T>(key: string, isRight: (value: unknown) => value is T, expected: string): T | undefined {
    const value = this.#raw[key];
    if (value === undefined || value === null) return undefined;
    if (isRight(value)) return value;
    const message = `${key} must be ${expected}, found ${JSON.stringify(value)?.slice(0, 80)}`;
    this.wrong ??= { message, fix: `write ${key} as ${expected}, or leave it out` };
    return undefined;
  }

  text(key: string): string | undefined {
    return this.#read(key, (value): value is string => typeof value === 'string', 'a text');
  }

  texts(key: string): readonly string[] | undefined {
    return this.#read(key, isTextList, 'a list of texts');
  }

  record(key: string): Readonly<Record<string, string>> | undefined {
    return this.#read(key, isTextRecord, 'an object of texts');
  }

  object(key: string): Readonly<JsonObject> | undefined {
    return this.#read(key, isRecord, 'an object');
  }

  flag(key: string): boolean | undefined {
    return this.#read(key, (value): value is boolean => typeof value === 'boolean', 'true or false');
  }
}

const isNonBlankText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

type HandlerReader = (
  raw: Readonly<JsonObject>,
  timeout: TimeoutRule,
  more?: (fields: HandlerFields) => Partial<Handler>,
) => HandlerReading;

const createHandlerReader =
  (
    type: Handler['type'],
    read: (fields: HandlerFields) => Partial<Handler>,
    required: readonly (keyof Handler)[],
    missing: HandlerProblem,
  ): HandlerReader =>
  (raw, timeout, more = () => ({})) => {
    const fields = new HandlerFields(raw);
    const handler = { type, ...read(fields), statusMessage: fields.text('statusMessage'), ...more(fields) };
    const problem = fields.wrong ?? (required.every((key) => isNonBlankText(handler[key])) ? undefined : missing);
    if (problem !== undefined) return { problem };
    const timeoutMs = readTimeout(raw, timeout);
    return typeof timeoutMs === 'number' ? { handler: { ...handler, timeoutMs } } : { problem: timeoutMs };
  };

export const readCommandHandler = createHandlerReader(
  'command',
  (fields) => ({ command: fields.text('command'), name: fields.text('name') }),
  ['command'],
  { message: 'there is no command', fix: 'write the command to run' },
);

export const readHttpHandler = createHandlerReader(
  'http',
  (fields) => ({
    url: fields.text('url'),
    headers: fields.record('headers'),
    allowedEnvVars: fields.texts('allowedEnvVars'),
  }),
  ['url'],
  { message: 'there is no url', fix: 'write the address to post to' },
);

const readHandlerWithPrompt = createHandlerReader(
  'prompt',
  (fields) => ({ prompt: fields.text('prompt'), name: fields.text('name') }),
  ['prompt'],
  { message: 'there is no prompt', fix: 'write what the model is asked' },
);

/** The host's model answers, even if the handler names another model. */
export const readPromptHandler: HandlerReader = (raw, timeout, more) => {
  const reading = readHandlerWithPrompt(raw, timeout, more);
  return raw.model === undefined ? reading : { ...reading, notes: [OWN_MODEL_NOTE] };
};

const OWN_MODEL_NOTE = '"model" does not count here: the model of the host answers';

export const readMcpHandler = createHandlerReader(
  'mcp',
  (fields) => ({ server: fields.text('server'), tool: fields.text('tool'), input: fields.object('input') }),
  ['server', 'tool'],
  { message: 'there is no server or no tool', fix: 'write both by their names' },
);

export const refuseHere = (type: string, why: string): HandlerReading => ({
  problem: {
    message: `a handler of type "${type}" is not run: ${why}`,
    fix: 'let the agent itself run it, or write a command that does the same',
    onlyHere: true,
  },
});
