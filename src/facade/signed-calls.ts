/** Signs and verifies the tokens of parked calls; each can be used once. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { describeValue, isRecord, once, parseJson } from '../kit/index.ts';
import { sha256 } from '../kit/node.ts';
import type { CallToPark, Clock, ParkedCall, TokenStore } from '../protocol/index.ts';

interface SignedCallsOptions {
  readonly secrets: readonly [Buffer, ...Buffer[]];
  readonly store: TokenStore;
  readonly maxAgeMs: number;
  readonly clock: Clock;
}

/** Hosts store and send tokens, so a token must not contain whole files. */
const MAX_PARKED_CALL_BYTES = 262_144;
const MAX_CLOCK_SKEW_MS = 300_000;

export const createCallSigner = ({ secrets: [first, ...others], store, maxAgeMs, clock }: SignedCallsOptions) => {
  const key = createNamedKey(first);
  const keys = [key, ...others.map(createNamedKey)];
  return {
    park: (toPark: CallToPark): { readonly token: string; readonly call: ParkedCall } => {
      const parkedAt = readTime(clock);
      const id = randomBytes(16).toString('hex');
      const call: ParkedCall = { ...toPark, id, parkedAt, expiresAt: parkedAt + Math.ceil(maxAgeMs) };
      const text = JSON.stringify(call);
      const bytes = Buffer.byteLength(text);
      if (bytes <= MAX_PARKED_CALL_BYTES) return { token: createToken(text, key), call };
      const message = `the call of ${call.tool} takes ${bytes} bytes; at most ${MAX_PARKED_CALL_BYTES} can be parked`;
      throw new HookwrightError('not_supported', message);
    },
    open: (token: string, project: string): ParkedCall => {
      const call = readSignedCall(token, keys);
      const why = explainRefusal(call, readTime(clock), project);
      if (why !== undefined) throw why;
      return call;
    },
    spend: async ({ id, tool, expiresAt }: ParkedCall): Promise<void> => {
      if ((await store.claim(id, expiresAt)) === true) return;
      throw createRefusal('used', `The parked call of ${tool} was resumed or given up before; its token counts once`);
    },
  };
};

/** With `NaN` in place of the time, a token would never be too old. */
const readTime = (clock: Clock): number => {
  const now = Math.floor(clock.now());
  if (!Number.isNaN(new Date(now).getTime())) return now;
  throw createInvalidArgument(
    `parkedCalls needs a clock that gives milliseconds since 1970; got ${describeValue(now)}`,
  );
};

type TokenRefusal = 'no-token' | 'other-key' | 'changed' | 'too-old' | 'too-new' | 'other-project' | 'used';

const createRefusal = (why: TokenRefusal, message: string): HookwrightError =>
  new HookwrightError('token_refused', message, { details: { why } });

const explainRefusal = (
  { tool, parkedAt, expiresAt, project: home }: ParkedCall,
  now: number,
  project: string,
): HookwrightError | undefined => {
  const at = (ms: number): string => new Date(ms).toISOString();
  if (now >= expiresAt) {
    return createRefusal(
      'too-old',
      `The parked call of ${tool} expired at ${at(expiresAt)}; the agent has to call it again`,
    );
  }
  if (parkedAt > now + MAX_CLOCK_SKEW_MS) {
    const message = `The call of ${tool} was parked at ${at(parkedAt)}, which is yet to come here; set the clock of this machine`;
    return createRefusal('too-new', message);
  }
  if (home === project) return undefined;
  return createRefusal('other-project', `The call of ${tool} was parked in ${home} and is not resumed in ${project}`);
};

interface NamedKey {
  /** Identifies the key that signed a token without revealing it. */
  readonly name: string;
  readonly secret: Buffer;
}

const TOKEN_PREFIX = 'hwp1';

const createNamedKey = (secret: Buffer): NamedKey => ({
  name: sha256(`${TOKEN_PREFIX}.${secret.toString('hex')}`).slice(0, 12),
  secret,
});

const createSignature = (body: string, { secret }: NamedKey): string =>
  createHmac('sha256', secret).update(body).digest('base64url');

const createToken = (text: string, key: NamedKey): string => {
  const body = `${TOKEN_PREFIX}.${key.name}.${Buffer.from(text).toString('base64url')}`;
  return `${body}.${createSignature(body, key)}`;
};

const readSignedCall = (token: unknown, keys: readonly NamedKey[]): ParkedCall => {
  const parts = typeof token === 'string' ? token.split('.') : [];
  const [mark, name, text = '', signature = ''] = parts;
  if (mark !== TOKEN_PREFIX || parts.length !== 4) {
    const found = describeValue(token);
    throw createRefusal('no-token', `A token of a parked call was expected, as confirm answered it; got ${found}`);
  }
  const key = keys.find((one) => one.name === name);
  if (key === undefined) {
    const message =
      'The token was signed with a key that this host does not have; keep an old key until its calls are over';
    throw createRefusal('other-key', message);
  }
  // Compares signatures as text, because several texts decode to the same bytes.
  const expected = Buffer.from(createSignature([mark, name, text].join('.'), key));
  const found = Buffer.from(signature);
  const isWhole = expected.length === found.length && timingSafeEqual(expected, found);
  const read = isWhole ? parseJson(Buffer.from(text, 'base64url').toString()) : undefined;
  const call = read?.ok === true ? parkedCallSchema().safeParse(read.value) : undefined;
  if (call?.success === true) return call.data;
  throw createRefusal('changed', 'The token was changed after it was signed, so its call does not run');
};

const parkedCallSchema = once(() => {
  const text = z.string();
  const object = z.custom<Record<string, unknown>>(isRecord);
  return z.object({
    id: text.check(z.regex(/^[0-9a-f]{32}$/)),
    project: text,
    tool: text,
    input: object,
    reason: text,
    askedBy: z.array(text),
    context: z.object({
      mcpContext: z.optional(object),
      originalName: z.optional(text),
      id: z.optional(text),
      more: z.optional(object),
    }),
    callId: text,
    correlationId: z.optional(text),
    parkedAt: z.number(),
    expiresAt: z.number(),
  });
});
