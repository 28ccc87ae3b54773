// Sends one POST request and reads the response, within limits of time, size and permitted addresses.
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Duplex, pipeline, Writable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { callAfterTwoTurns, describeThrown, onAbort, toError } from '../../../kit/index.ts';
import { readErrorCode } from '../../../kit/node.ts';
import { createAbortFault, type Fault } from '../../answer/faults.ts';
import { ByteCollector } from '../../process/byte-collector.ts';
import type { EndpointAddress } from './target.ts';

interface ExchangeRequest {
  readonly target: EndpointAddress;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  readonly resolve?: HostResolver | undefined;
}

interface ExchangeFault extends Fault {
  readonly fix?: string;
}

export type HttpExchangeResult =
  | { readonly body: Uint8Array }
  | { readonly fault: ExchangeFault; readonly body: Uint8Array };

const noBytes = new Uint8Array();

/** If several addresses failed, Node's AggregateError has an empty message. */
const describeError = (error: Error): string => {
  const [first] = error instanceof AggregateError && error.message === '' ? error.errors : [];
  const text = describeThrown(first ?? error);
  const code = readErrorCode(error);
  return code === undefined || text.includes(code) ? text : `${code}: ${text}`;
};

const toFault = (error: Error): ExchangeFault => {
  if (error instanceof BlockedAddress) return { code: 'blocked-address', message: error.message };
  if (error instanceof BodyTooLarge) return { code: 'output-too-large', message: error.message };
  return { code: 'http-error', message: describeError(error), cause: error };
};

const NO_CONTENT_STATUS = 204;
/** The body of an error status matters only if it contains a denial. */
const MAX_REFUSED_BODY_MS = 1_000;

const describeRefusedStatus = ({ statusCode = 0 }: IncomingMessage, origin: string): ExchangeFault | undefined => {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const message = `${origin} answered with status ${statusCode}`;
  // A redirect would send the hook's input to a host that the endpoint chose.
  return statusCode >= 300 && statusCode < 400
    ? { code: 'http-error', message: `redirect: ${message}, and redirects are not followed; use the final url` }
    : { code: 'http-error', message, fix: DENY_BY_ANSWER_FIX };
};

const DENY_BY_ANSWER_FIX =
  'a status is no verdict: to deny, answer with status 200 and {"decision": "deny", "reason": "…"}';

const openRequest = ({ target, body, headers = {}, resolve = resolveByName }: ExchangeRequest): ClientRequest => {
  const refusal = target.literal && target.refuses(target.literal);
  if (refusal) throw new BlockedAddress(refusal);
  const isSecure = target.url.protocol === 'https:';
  return (isSecure ? requestSecure : requestPlain)({
    ...urlToHttpOptions(target.url),
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'hookwright',
      ...headers,
      'accept-encoding': acceptedEncodings,
      'content-length': Buffer.byteLength(body),
    },
    // `false` opens a new connection, and ignores proxies from the environment.
    agent: false,
    lookup: createGuardedLookup(target, resolve),
    // Overrides NODE_TLS_REJECT_UNAUTHORIZED: an endpoint that decides about tools must prove its identity.
    ...(isSecure ? { rejectUnauthorized: true } : {}),
  });
};

/**
 * Settles within the timeout and never rejects. The connection is not reused, because a reused one would skip the
 * address check.
 */
export const exchangeHttp = (request: ExchangeRequest): Promise<HttpExchangeResult> =>
  new Promise((resolve) => {
    const { target, body, timeoutMs, maxBytes, signal } = request;
    let isSettled = false;
    let hasAnswer = false;
    let refused: ExchangeFault | undefined;
    let bodySoFar = (): Uint8Array => noBytes;
    let sent: ClientRequest | undefined;
    let stopListening: (() => void) | undefined;

    const settle = (outcome: HttpExchangeResult): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      clearTimeout(refusal);
      stopListening?.();
      sent?.destroy();
      resolve(outcome);
    };
    const fault = (why: ExchangeFault): void => settle({ fault: refused ?? why, body: bodySoFar() });
    const fail = (error: Error): void => fault(toFault(error));

    const onResponse = (response: IncomingMessage): void => {
      hasAnswer = true;
      refused = describeRefusedStatus(response, target.url.origin);
      if (refused === undefined && response.statusCode === NO_CONTENT_STATUS) {
        settle({ body: noBytes });
        return;
      }
      if (refused !== undefined) refusal = setTimeout(fault, Math.min(MAX_REFUSED_BODY_MS, timeoutMs), refused);
      bodySoFar = readBody(response, maxBytes, (error) => {
        if (error !== undefined) fail(error);
        else if (refused !== undefined) fault(refused);
        else settle({ body: bodySoFar() });
      });
    };

    let refusal: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(
      () => callAfterTwoTurns(() => fault({ code: 'timeout', message: `no answer within ${timeoutMs} ms` })),
      timeoutMs,
    );
    if (signal?.aborted) {
      fault(createAbortFault(signal));
      return;
    }
    stopListening = signal && onAbort(signal, () => fault(createAbortFault(signal)));
    try {
      sent = openRequest(request);
    } catch (error) {
      fail(toError(error));
      return;
    }
    sent.on('error', fail);
    sent.on('response', onResponse);
    sent.on('close', () => {
      if (!hasAnswer) fail(new Error('the connection was closed without an answer'));
    });
    sent.end(body);
  });

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const acceptedEncodings = 'gzip, deflate, br';

class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const createUnpackers = (encoding: string): Duplex[] | undefined => {
  if (encoding === '' || encoding === 'identity') return [];
  const make = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  return make === undefined ? undefined : [make()];
};

/** The limit applies to the unpacked size, because a small body can unpack to a huge one. */
const readBody = (response: IncomingMessage, maxBytes: number, done: (error?: Error) => void): (() => Uint8Array) => {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const unpackers = createUnpackers(encoding);
  const collector = new ByteCollector(maxBytes);
  if (unpackers === undefined) {
    response.destroy();
    done(new Error(`the answer is packed as "${encoding}", which is none of ${acceptedEncodings}`));
    return () => collector.bytes();
  }
  // `end` is called directly because since Node 22 the callback of `pipeline` waits until the response closes, which an
  // endpoint can delay by sending more.
  let isOver = false;
  const end = (error: Error | undefined): void => {
    if (isOver) return;
    isOver = true;
    done(error);
  };
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, next) => {
      if (collector.add(chunk)) {
        next();
        return;
      }
      const tooLarge = new BodyTooLarge(`the answer has more than ${maxBytes} bytes`);
      end(tooLarge);
      next(tooLarge);
    },
  });
  for (const unpacker of unpackers) unpacker.once('error', end);
  pipeline([response, ...unpackers, sink], (error) => end(error ?? undefined));
  return () => collector.bytes();
};

export type HostResolver = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveByName: HostResolver = (hostname, callback) => lookUp(hostname, { all: true }, callback);

class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

/**
 * Resolves and checks addresses in one step, so that the name cannot resolve to another address between check and
 * connection. One blocked address blocks all.
 */
const createGuardedLookup =
  (target: EndpointAddress, resolve: HostResolver): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const refusal = addresses.map(({ address }) => target.refuses(address)).find((reason) => reason !== undefined);
      if (refusal !== undefined) return callback(new BlockedAddress(refusal), '', 0);
      const [first] = addresses;
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '', 0);
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
