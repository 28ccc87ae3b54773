/** Options of the NATS transport, and their checks. */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import { createInvalidArgument } from '../../errors.ts';
import { describeValue, expectKnown, isPositiveNumber, isRecord } from '../../kit/index.ts';
import type { AnyHookTranslator } from '../../models/index.ts';
import { type OnLost, onLostWords } from '../../protocol/index.ts';

export interface BrokerOptions {
  /** `nats://host:port` or `tls://…`, optionally with user and password. Default: the broker of this machine. */
  readonly servers?: string | readonly string[] | undefined;
  /** Options passed to the NATS client, such as `authenticator`, `user`, `pass`, `token`, `tls` and `name`. */
  readonly client?: Omit<NodeConnectionOptions, 'servers' | 'port'> | undefined;
  /** A connection of the host to use. The transport neither closes it nor checks its security. */
  readonly connection?: NatsConnection | undefined;
  /** First token of all subjects. Default: `hookwright`. */
  readonly prefix?: string | undefined;
  /** Group of hosts that share requests: each request is answered by one host of the group. Default: `hosts`. */
  readonly group?: string | undefined;
  /** Allows a broker on another machine without TLS or without credentials. */
  readonly insecure?: boolean | undefined;
}

export interface NatsTransportOptions extends BrokerOptions {
  /** Name of this process in the broker's permissions. Default: a new id. */
  readonly name?: string | undefined;
  /** Verdict of a request whose host was lost, unless the request has its own `onLost`. Default: that of the event. */
  readonly onLost?: OnLost | undefined;
  /** Milliseconds without a heartbeat after which a host is lost; at most 80 % of a deadline. Default: 10,000. */
  readonly hostSilenceMs?: number | undefined;
  /** Sends progress messages of hooks to the broker, for observers and recorders. Default: true. */
  readonly observed?: boolean | undefined;
  readonly translator?: AnyHookTranslator | undefined;
}

const natsOptionNames: Readonly<Record<keyof NatsTransportOptions, true>> = {
  servers: true,
  client: true,
  connection: true,
  prefix: true,
  group: true,
  name: true,
  insecure: true,
  onLost: true,
  hostSilenceMs: true,
  observed: true,
  translator: true,
};

const DEFAULT_SERVER = 'nats://127.0.0.1:4222';

const brokerSchemes = ['nats:', 'tls:'];

const parseUrl = (server: string): URL => {
  const address = /^\w+:\/\//.test(server) ? server : `nats://${server}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && brokerSchemes.includes(url.protocol) && url.hostname !== '') return url;
  const found = describeValue(url === undefined ? server : url.protocol);
  throw createInvalidArgument(`servers: expected nats://host:port or tls://host:port, got ${found}`);
};

/** Names other than `localhost` could resolve to any machine. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && hostname.startsWith('127.'));

const credentialNames = ['authenticator', 'user', 'token'] as const;

/** Connections to other machines must be encrypted and authenticated unless the host sets `insecure`. */
const expectSafeConnection = (urls: readonly URL[], client: NodeConnectionOptions, insecure: boolean): void => {
  const outside = urls.find((url) => !isLoopback(url));
  if (outside === undefined || insecure) return;
  const missing = [
    ...(hasTls(urls, client) ? [] : ['TLS (tls://… or client.tls)']),
    ...(credentialNames.some((name) => client[name] !== undefined)
      ? []
      : ['credentials (client.authenticator, user and password, or a token)']),
  ];
  if (missing.length === 0) return;
  throw createInvalidArgument(
    `${outside.host} is on another machine and needs ${missing.join(' and ')}; insecure: true (--insecure) does without, at your own risk`,
  );
};

const hasTls = (urls: readonly URL[], { tls }: NodeConnectionOptions): boolean =>
  (tls !== undefined && tls !== null) || urls.every(({ protocol }) => protocol === 'tls:');

/** The NATS client ignores user and password in a URL. */
const readUrlOptions = ([first]: readonly URL[]): Partial<NodeConnectionOptions> => {
  if (first === undefined || first.username === '') return {};
  const [user, pass] = [decodeURIComponent(first.username), decodeURIComponent(first.password)];
  return pass === '' ? { token: user } : { user, pass };
};

/**
 * For an IP address the NATS client verifies the certificate against `localhost`: it refuses certificates for the
 * address, and accepts certificates for `localhost`, which any machine can have.
 */
const createIdentityCheck = (urls: readonly URL[]) => {
  const hosts = urls.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ''));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  if (addresses.length === 0) return {};
  return {
    checkServerIdentity: (name: string, certificate: PeerCertificate): Error | undefined => {
      const names = name === 'localhost' && !hosts.includes(name) ? addresses : [name];
      const wrong = names.map((each) => checkServerIdentity(each, certificate));
      return wrong.includes(undefined) ? undefined : wrong[0];
    },
  };
};

export const createClientOptions = ({
  servers = DEFAULT_SERVER,
  client = {},
  insecure = false,
}: BrokerOptions): NodeConnectionOptions => {
  const urls = [servers].flat().map(parseUrl);
  if (urls.length === 0) throw createInvalidArgument('servers: expected at least one');
  const withUser = { ...readUrlOptions(urls), ...client };
  expectSafeConnection(urls, withUser, insecure);
  const isTls =
    withUser.tls !== null && (withUser.tls !== undefined || urls.some(({ protocol }) => protocol === 'tls:'));
  return {
    ...withUser,
    ...(isTls ? { tls: { ...createIdentityCheck(urls), ...withUser.tls } } : {}),
    servers: urls.map(({ host }) => host),
    // A broker on this machine may announce brokers on other machines, whose security was not checked.
    ...(urls.every(isLoopback) && withUser.tls === undefined ? { ignoreClusterUpdates: true } : {}),
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: client.reconnectTimeWait ?? 250,
    reconnectJitter: client.reconnectJitter ?? 100,
    pingInterval: client.pingInterval ?? 5_000,
    noAsyncTraces: true,
  };
};

export const checkNatsOptions = (options: unknown): void => {
  if (!isRecord(options))
    throw createInvalidArgument(`natsTransport takes an object of options; got ${describeValue(options)}`);
  expectKnown('natsTransport', options, Object.keys(natsOptionNames));
  const { servers, connection, hostSilenceMs, onLost } = options;
  if (servers !== undefined && connection !== undefined) {
    throw createInvalidArgument('natsTransport takes either servers or a connection, not both');
  }
  if (hostSilenceMs !== undefined && !isPositiveNumber(hostSilenceMs)) {
    throw createInvalidArgument(`hostSilenceMs: expected milliseconds over 0, got ${describeValue(hostSilenceMs)}`);
  }
  if (onLost !== undefined && !onLostWords.some((word) => word === onLost)) {
    throw createInvalidArgument(`onLost: expected one of ${onLostWords.join(', ')}, got ${describeValue(onLost)}`);
  }
  for (const key of ['group', 'name'] as const) {
    const value = options[key];
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    throw createInvalidArgument(`${key}: expected a text that is not empty, got ${describeValue(value)}`);
  }
};

export interface NatsStats {
  readonly isUp: boolean;
  readonly server: string;
  /** Requests of this process that are unanswered so far. */
  readonly asked: number;
  /** Requests of this process that no host answered. */
  readonly lost: number;
  /** Requests that this process received and has not answered. */
  readonly owed: number;
  readonly answered: number;
  /** Requests that the broker delivered a second time, which are dropped. */
  readonly duplicates: number;
  /** Answers of this process that came after their deadline, which are not sent. */
  readonly late: number;
  /** Messages that were dropped because there was no connection. */
  readonly dropped: number;
}
