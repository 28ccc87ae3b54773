/** `parkedCalls`: lets `deps.confirm` park tool calls until a person decides. */
import { createInvalidArgument } from '../errors.ts';
import { describeValue, expectKnown, isRecord, once, onFirstUse } from '../kit/index.ts';
import { type Clock, type ParkedToolRunner, type Parking, systemClock, type TokenStore } from '../protocol/index.ts';
import { expectFunction } from './arguments.ts';

type SecretKey = string | Uint8Array;

export interface ParkedCallsOptions {
  /** A secret of at least 32 bytes. Of a list, the first secret signs and all are accepted. */
  readonly key: SecretKey | readonly SecretKey[];
  readonly store: TokenStore;
  readonly runTool?: ParkedToolRunner | undefined;
  /** Milliseconds that a call may wait. Default: a day. */
  readonly maxAgeMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const DAY_MS = 86_400_000;
const MAX_PARKED_MS = 3_650 * DAY_MS;
const MIN_KEY_BYTES = 32;

/** Creates `deps.parking`: `deps.confirm` can park a tool call, and `resume` runs it later. */
export const parkedCalls = (options: ParkedCallsOptions): Parking => {
  const { store, runTool, maxAgeMs = DAY_MS, clock = systemClock } = checkParkingOptions(options);
  const secrets = readSecrets(options.key);
  const calls = once(() =>
    import('./signed-calls.ts').then(({ createCallSigner }) => createCallSigner({ secrets, store, maxAgeMs, clock })),
  );
  return {
    runTool,
    park: async (toPark) => (await calls()).park(toPark),
    open: async (token, project) => (await calls()).open(token, project),
    spend: async (call) => (await calls()).spend(call),
  };
};

/**
 * Runs a parked call after today's hooks judged it again. Rejects with `token_refused` for an invalid token, and with
 * `invalid_config` if a required guard is missing.
 */
export const resumeToolWithHooks = onFirstUse(async () => (await import('./resume.ts')).resumeToolWithHooks);

/** A store for tests, and for calls that do not outlive the process. */
export const memoryTokenStore = (): TokenStore => {
  const spent = new Set<string>();
  return {
    claim: (id) => {
      if (spent.has(id)) return false;
      spent.add(id);
      return true;
    },
  };
};

const readSecrets = (given: ParkedCallsOptions['key']): readonly [Buffer, ...Buffer[]] => {
  const [first, ...others] = (isKeyList(given) ? given : [given]).map(readSecret);
  if (first === undefined)
    throw createInvalidArgument('parkedCalls needs key, a secret or a list of them; got an empty list');
  return [first, ...others];
};

const isKeyList = (given: ParkedCallsOptions['key']): given is readonly SecretKey[] => Array.isArray(given);

const readSecret = (key: SecretKey): Buffer => {
  const isKey = typeof key === 'string' || key instanceof Uint8Array;
  const secret = isKey ? Buffer.from(key) : Buffer.alloc(0);
  if (secret.length < MIN_KEY_BYTES) {
    const found = isKey ? `${secret.length} bytes` : describeValue(key);
    throw createInvalidArgument(`parkedCalls needs key, a secret of at least ${MIN_KEY_BYTES} bytes; got ${found}`);
  }
  return secret;
};

const checkParkingOptions = (options: ParkedCallsOptions): ParkedCallsOptions => {
  const method = 'parkedCalls';
  if (!isRecord(options)) throw createInvalidArgument(`${method} takes {key, store}; got ${describeValue(options)}`);
  expectKnown(method, options, ['key', 'store', 'runTool', 'maxAgeMs', 'clock']);
  const { store, runTool, maxAgeMs } = options;
  expectFunction(method, 'store.claim', 'what says that a token is not spent yet', isRecord(store) && store.claim);
  if (runTool !== undefined) expectFunction(method, 'runTool', 'what runs a tool by its name', runTool);
  if (maxAgeMs !== undefined && !(maxAgeMs > 0 && maxAgeMs <= MAX_PARKED_MS)) {
    throw createInvalidArgument(
      `${method} needs maxAgeMs as milliseconds over 0, ten years at most; got ${describeValue(maxAgeMs)}`,
    );
  }
  return options;
};
