import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { credsAuthenticator, nkeys } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commands, runCli } from '../../../src/cli/index.ts';
import { MessageBus, requestHooks } from '../../../src/index.ts';
import { natsTransport } from '../../../src/transports/index.ts';
import { hasNatsServer, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const base64 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Says of a key what it is, in the name of another. */
const signed = (by: ReturnType<typeof nkeys.createUser>, subject: string, type: string, more: object = {}): string => {
  const nats = { type, version: 2, ...more };
  const claims = { jti: 'x', iat: 1, iss: by.getPublicKey(), name: type, sub: subject, nats };
  const unsigned = `${base64('{"typ":"JWT","alg":"ed25519-nkey"}')}.${base64(JSON.stringify(claims))}`;
  return `${unsigned}.${base64(by.sign(new TextEncoder().encode(unsigned)))}`;
};

/** No limits. */
const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true };

describe.skipIf(!hasNatsServer || process.platform === 'win32')(withNats('a broker with TLS and credentials'), () => {
  const directory = temporaryFolder('secure');
  const at = (name: string): string => join(directory, name);
  let server: NatsServer;

  beforeAll(async () => {
    const words = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=broker -addext subjectAltName=IP:127.0.0.1';
    const args = ['req', ...words.split(' '), '-keyout', at('key.pem'), '-out', at('cert.pem')];
    execFileSync('openssl', args, { stdio: 'ignore' });
    const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
    const token = signed(account, user.getPublicKey(), 'user', limits);
    const seed = new TextDecoder().decode(user.getSeed());
    writeFileSync(
      at('user.creds'),
      `-----BEGIN NATS USER JWT-----\n${token}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
    );
    server = await startNatsServer(
      [
        `tls: { cert_file: "${at('cert.pem')}", key_file: "${at('key.pem')}" }`,
        `operator: ${signed(operator, operator.getPublicKey(), 'operator')}`,
        'resolver: MEMORY',
        `resolver_preload: { ${account.getPublicKey()}: ${signed(operator, account.getPublicKey(), 'account', { limits: { ...limits, conn: -1 } })} }`,
      ].join('\n'),
    );
    mkdirSync(at('.hookwright'));
    const answer = JSON.stringify({ decision: 'deny', reason: 'guarded' });
    const hooks = { BeforeTool: [{ hooks: [{ name: 'guard', command: `echo '${answer}'` }] }] };
    writeFileSync(at('.hookwright/settings.json'), JSON.stringify({ hooks }));
    mkdirSync(at('work'));
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const serve = (...words: string[]) => serveAt(server.url, ...words);
  const serveAt = (url: string, ...words: string[]) => {
    vi.stubEnv('HOME', directory);
    const stop = new AbortController();
    let said = '';
    const hear = () =>
      Object.assign(
        new PassThrough().on('data', (piece) => {
          said += String(piece);
        }),
        { isTTY: false, columns: 400 },
      );
    const exit = runCli(
      {
        argv: ['node', 'hookwright', 'serve', '--nats', url.replace('nats:', 'tls:'), '--json', ...words],
        env: { HOME: directory },
        stdin: Readable.from([]),
        stdout: hear(),
        stderr: hear(),
        cwd: () => at('work'),
        exit: () => {},
        on: (event: string, listener: (error: Error) => void) => {
          if (event === 'SIGTERM') stop.signal.addEventListener('abort', () => listener(new Error('SIGTERM')));
        },
      },
      commands,
    );
    onTestFinished(async () => {
      stop.abort();
      await exit;
      vi.unstubAllEnvs();
    });
    return { exit, says: (text: string) => vi.waitFor(() => expect(said).toContain(text), { timeout: 8_000 }) };
  };

  const ask = async (ca: string, withCreds: boolean) => {
    const creds = withCreds ? { authenticator: credsAuthenticator(readFileSync(at('user.creds'))) } : {};
    const transport = natsTransport({ servers: server.url, client: { tls: { ca }, ...creds } });
    onTestFinished(() => transport.close());
    const bus = new MessageBus({ transport });
    bus.on('error', () => {});
    const tool = { tool_name: 'shell', tool_input: {} };
    const { errors, finalOutput } = await requestHooks(bus, 'BeforeTool', tool, { timeoutMs: 1_500 });
    return [errors[0]?.message, finalOutput?.reason];
  };

  test('F68 a host and a caller with both are let in; one without is told, with the reason of the broker', async () => {
    await serve('--ca', at('cert.pem'), '--creds', at('user.creds')).says('"state":"ready"');
    const ca = readFileSync(at('cert.pem'), 'utf8');
    expect(await ask(ca, true)).toEqual([undefined, 'guarded']);
    const [message, reason] = await ask(ca, false);
    expect(message).toMatch(/no host took the request within \d+ ms; .*Authorization Violation/);
    expect(reason).toContain('Authorization Violation');
  });

  test('F68 a broker whose certificate nobody knows is not talked to, and that is told', async () => {
    await serve('--creds', at('user.creds')).says('self-signed certificate');
  });

  test('F68 a certificate for another address is not taken', async () => {
    const elsewhere = server.url.replace('127.0.0.1', 'localhost');
    const host = serveAt(elsewhere, '--ca', at('cert.pem'), '--creds', at('user.creds'));
    await host.says("not match certificate's altnames");
  });

  test.each(['--ca', '--creds'])('a file of %s that cannot be read is told at once', async (flag) => {
    const host = serve(flag, at('nowhere'));
    expect(await host.exit).toBe(64);
    await host.says('cannot be read');
  });
});
