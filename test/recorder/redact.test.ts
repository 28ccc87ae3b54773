import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HookMessage } from '../../src/bus/index.ts';
import { foldKeySpelling, isSecretKey, mayHoldSecret, secretPatterns } from '../../src/protocol/index.ts';
import { isEqualExceptMarks, type RedactOptions, Redactor, readSession } from '../../src/sessions/index.ts';
import { ownNow } from '../support/own-clock.ts';
import {
  collect,
  createSampleNote,
  createSampleRequest,
  createSampleResponse,
  linesOf,
  recordAll,
  textOf,
} from './support.ts';

const withInput = (tool_input: Record<string, unknown>): HookMessage => ({
  ...createSampleRequest('a'),
  payload: { tool_name: 'shell', tool_input },
});

const redact = (message: object, options?: RedactOptions) => {
  const plain = { ...message };
  return new Redactor(options).redact(plain, JSON.stringify(plain));
};

/** A text as it is recorded when it is the command of a tool call. */
const redactText = (text: string, options?: RedactOptions): string => {
  const clean = redact({ payload: { command: text } }, options);
  return clean === undefined ? text : String(Reflect.get(Object(clean.message.payload), 'command'));
};

/** Made of parts, so that no scanner takes this file for a leak. */
const secrets = {
  openai: `sk-${'abcdefghijklmnopqrstuvwx'}`,
  anthropic: `sk-ant-api03-${'A1b2C3d4'.repeat(5)}`,
  stripe: `sk_${'live'}_4eC39HqLyjWDarjtT1zdp7dc`,
  github: `ghp_${'aB3'.repeat(12)}`,
  githubFine: `github_pat_${'11ABCDEFG0'.repeat(4)}`,
  gitlab: `glpat-${'x1Y2z3'.repeat(4)}`,
  aws: `AKIA${'IOSFODNN7EXAMPLE'}`,
  google: `AIza${'SyD-1234567890abcdefghijklmnopqrstu'}`,
  slack: `xoxb-${'123456789012-abcdefGHIJKL'}`,
  npm: `npm_${'a1B2c3'.repeat(6)}`,
  pulumi: `pul-${'0123456789abcdef'.repeat(2)}01234567`,
  vault: `hvs.${'CAESIJ0dK2m1'.repeat(3)}`,
  docker: `dckr_pat_${'aB3dE5fG7'.repeat(3)}`,
  age: `AGE-SECRET-KEY-1${'QPZRY9X8GF'.repeat(5)}QPZRY9X8`,
  teams: `https://contoso.webhook.office.com/webhookb2/${'1b2c3d4e-'.repeat(4)}@7f8a9b0c/IncomingWebhook/0123abcd`,
  jwt: `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U`,
  key: `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc/def+ghi=\n-----END RSA PRIVATE KEY-----`,
};

describe('secrets by their looks', () => {
  test.each([
    ['an OpenAI key', `export KEY; ask ${secrets.openai}`, 'export KEY; ask [redacted: api-key]'],
    ['an Anthropic key', `use "${secrets.anthropic}".`, 'use "[redacted: api-key]".'],
    ['a short key with a digit', 'sk-12345678', '[redacted: api-key]'],
    ['a Stripe key', secrets.stripe, '[redacted: stripe-key]'],
    ['a GitHub token', `git clone x-token-auth:${secrets.github}`, 'git clone x-token-auth:[redacted: github-token]'],
    ['a fine-grained GitHub token', secrets.githubFine, '[redacted: github-token]'],
    ['a GitLab token', secrets.gitlab, '[redacted: gitlab-token]'],
    ['an AWS key', `id ${secrets.aws}, region eu`, 'id [redacted: aws-key], region eu'],
    ['a Google key', secrets.google, '[redacted: google-key]'],
    ['a Slack token', secrets.slack, '[redacted: slack-token]'],
    ['an npm token', secrets.npm, '[redacted: npm-token]'],
    ['a JWT', `cookie=${secrets.jwt};`, 'cookie=[redacted: jwt];'],
    ['a private key', `cat id_rsa\n${secrets.key}\ndone`, 'cat id_rsa\n[redacted: private-key]\ndone'],
    ['a private key that is cut off', secrets.key.slice(0, 60), '[redacted: private-key]'],
    ['a bearer token', 'curl -H "Accept: x" Bearer abc.def-ghi', 'curl -H "Accept: x" Bearer [redacted: bearer-token]'],
    ['a header', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted: authorization]'],
    ['credentials in a URL', 'psql postgres://me:p@ss:w0rd@db/x', 'psql postgres://[redacted: url-credentials]@db/x'],
    ['an environment variable', 'DB_PASSWORD=hunter2 npm test', 'DB_PASSWORD=[redacted: assigned-secret] npm test'],
    ['an option', 'login --api-token hunter22', 'login --api-token [redacted: assigned-secret]'],
    ['a query', 'https://x/?access_token=hunter2&a=1', 'https://x/?access_token=[redacted: assigned-secret]&a=1'],
    [
      'JSON in a text',
      '{"client_secret": "hunt er2", "a": 1}',
      '{"client_secret": "[redacted: assigned-secret]", "a": 1}',
    ],
    [
      'JSON in JSON in a text',
      String.raw`{\"password\":\"hunter2\",\"a\":1}`,
      String.raw`{\"password\":\"[redacted: assigned-secret]\",\"a\":1}`,
    ],
    ['JSON that is cut off', '{"password":"hunt', '{"password":"[redacted: assigned-secret]'],
    ['YAML', 'user: me\npassword: hunter2x\n', 'user: me\npassword: [redacted: assigned-secret]\n'],
    [
      'a key behind an escape',
      String.raw`{"out":"a\n${secrets.openai}"}`,
      String.raw`{"out":"a\n[redacted: api-key]"}`,
    ],
    ['a key in a query', `x%3D${secrets.openai}`, 'x%3D[redacted: api-key]'],
    ['a login of curl', 'curl -su me:hunter2 https://x', 'curl -su me:[redacted: command-password] https://x'],
    ['a quoted login of curl', `curl --user 'me:hunter2' x`, `curl --user 'me:[redacted: command-password]' x`],
    ['a password of mysql', 'mysql -u root -phunter2 db', 'mysql -u root -p[redacted: command-password] db'],
    ['a password of mysqldump', "mysqldump -p'hunter2' db", "mysqldump -p'[redacted: command-password]' db"],
    ['a password of sshpass', 'sshpass -p hunter2 ssh x', 'sshpass -p [redacted: command-password] ssh x'],
    [
      'a password of openssl',
      'openssl rsa -passin pass:hunter2 -in k',
      'openssl rsa -passin pass:[redacted: command-password] -in k',
    ],
    ['a cookie', 'Cookie: sid=abc; theme=dark\nX: y', 'Cookie: [redacted: cookie]\nX: y'],
    ['a cookie of curl', `curl -H 'Cookie: sid=abc' x`, `curl -H 'Cookie: [redacted: cookie]' x`],
    ['a netrc', 'machine x login me password hunter2', 'machine x login me password [redacted: netrc-password]'],
    [
      'a netrc of lines',
      'machine x\n  login me\n  password hunter2\n',
      'machine x\n  login me\n  password [redacted: netrc-password]\n',
    ],
    ['an assignment with blanks', 'password = hunter\nnext', 'password = [redacted: assigned-secret]\nnext'],
    ['another assignment with blanks', 'api_key = abcdef123', 'api_key = [redacted: assigned-secret]'],
    [
      'a webhook of Slack',
      'https://hooks.slack.com/services/T0/B0/abcdefgh',
      'https://hooks.slack.com/services/[redacted: slack-webhook]',
    ],
    ['a signature', 'https://x/c?sv=1&sig=abcdefghijklmnop%3D&a=1', 'https://x/c?sv=1&sig=[redacted: signature]&a=1'],
  ])('R1046 %s becomes a mark that says what it was', (_what, text, redacted) => {
    expect(redactText(text)).toBe(redacted);
    expect(redactText(redacted)).toBe(redacted);
    expect(isEqualExceptMarks(redacted, text)).toBe(true);
  });

  test.each([
    'ls -la && git status',
    'the task-force-of-many-words',
    'risk-assessment-2026-final',
    'git clone ssh://git@github.com/me/it.git',
    'curl http://localhost:3000/path?mail=me@example.org',
    'max_tokens: 1000, totalTokenCount: 12345',
    'const token = readToken(file);',
    'the password is asked for on the screen',
    'PASSWORD=$(cat file) TOKEN=$TOKEN npm test',
    'a secret: nobody knows it',
    'the bearer of this letter',
    'https://example.org:8080/a@b',
    'password = getpass()',
    'password = config.password',
    'const password = null;',
    'the cookie: a small text',
    'mysql -p db',
    'mkdir -p /var/lib/mysql',
    'curl -fsSL https://x.example/a:b',
    'docker run -u 1000:1000 curl',
    'Basic knowledge of the subject',
    'your login name and password here',
  ])('%s stays as it is', (text) => {
    expect(redactText(text)).toBe(text);
  });

  test('a million characters that nearly match cost no more than a moment', () => {
    const nearly = [
      'eyJ',
      'sk-',
      'eyJ-',
      '-----BEGIN ',
      '://',
      '://a:',
      'Bearer ',
      'token',
      'token="',
      '--token',
      'gh',
      'github_pat_',
      'curl -u a',
      'curl ',
      'mysql -',
      'sshpass ',
      'login a ',
      'cookie:',
      'password = ',
      '123456:',
      'Basic ',
    ];
    for (const part of [...nearly, 'a', 'A', '_', '"', '\\', '=', ' ']) {
      const text = part.repeat(Math.ceil(1_000_000 / part.length));
      const startedAt = ownNow();
      redactText(`${text} token=hunter2`);
      expect(ownNow() - startedAt, part).toBeLessThan(1_000);
    }
  });
});

describe('secrets by their keys', () => {
  test('are found at any depth, in arrays too, however the key is written', () => {
    const clean = redact(
      withInput({
        password: 'a',
        deep: [{ 'X-Api-Key': 'b' }, { list: [[{ clientSecret: 'c' }]] }],
        env: { GITHUB_TOKEN: 'd', AWS_SECRET_ACCESS_KEY: 'e', PATH: '/bin' },
        headers: { Authorization: 'f', Cookie: 'g', Accept: 'h' },
        credentials: { user: 'i', pin: 1 },
        pin: { secret: 12_345 },
      }),
    );
    expect(clean?.message.payload).toEqual({
      tool_name: 'shell',
      tool_input: {
        password: '[redacted: password]',
        deep: [{ 'X-Api-Key': '[redacted: X-Api-Key]' }, { list: [[{ clientSecret: '[redacted: clientSecret]' }]] }],
        env: {
          GITHUB_TOKEN: '[redacted: GITHUB_TOKEN]',
          AWS_SECRET_ACCESS_KEY: '[redacted: AWS_SECRET_ACCESS_KEY]',
          PATH: '/bin',
        },
        headers: { Authorization: '[redacted: Authorization]', Cookie: '[redacted: Cookie]', Accept: 'h' },
        credentials: '[redacted: credentials]',
        pin: { secret: '[redacted: secret]' },
      },
    });
    expect(clean?.paths).toEqual([
      'payload.tool_input.password',
      'payload.tool_input.deep[0].X-Api-Key',
      'payload.tool_input.deep[1].list[0][0].clientSecret',
      'payload.tool_input.env.GITHUB_TOKEN',
      'payload.tool_input.env.AWS_SECRET_ACCESS_KEY',
      'payload.tool_input.headers.Authorization',
      'payload.tool_input.headers.Cookie',
      'payload.tool_input.credentials',
      'payload.tool_input.pin.secret',
    ]);
  });

  test.each([
    'max_tokens',
    'maxOutputTokens',
    'tokenCount',
    'author',
    'key',
    'monkey',
    'session_id',
    'passed',
    'keyboard',
  ])('%s is no secret', (key) => {
    expect(redact(withInput({ [key]: 'value' }))).toBeUndefined();
  });

  test('that hold nothing, or say only that there is one, stay as they are', () => {
    expect(redact(withInput({ password: '', token: null, secret: true }))).toBeUndefined();
  });

  test('R2050 are found in lists of names with values, and in lists of arguments', () => {
    const clean = redact(
      withInput({
        env: [
          { name: 'API_KEY', value: 'plain words' },
          { name: 'LANG', value: 'C' },
        ],
        headers: [
          { key: 'X-Auth-Token', value: 1234 },
          { header: 'Cookie', value: { a: 'b' } },
        ],
        argv: ['login', '--password', 'plain words', '--user', 'me', '-token', 'plain'],
      }),
    );
    expect(clean?.message.payload).toMatchObject({
      tool_input: {
        env: [
          { name: 'API_KEY', value: '[redacted: API_KEY]' },
          { name: 'LANG', value: 'C' },
        ],
        headers: [
          { key: 'X-Auth-Token', value: '[redacted: X-Auth-Token]' },
          { header: 'Cookie', value: '[redacted: Cookie]' },
        ],
        argv: ['login', '--password', '[redacted: password]', '--user', 'me', '-token', '[redacted: token]'],
      },
    });
    expect(clean?.paths).toContain('payload.tool_input.argv[2]');
  });

  test.each([
    { argv: ['--password', '--verbose'] },
    { argv: ['--token-file', 'path', '--max-tokens', '100'] },
    { names: ['get_token', 'read_file'] },
    { option: { name: 'token', value: true } },
    { option: { name: 'token', default: 'none' } },
  ])('R2050 %j names a secret and has none', (input) => {
    expect(redact(withInput(input))).toBeUndefined();
  });

  test('a secret that is itself a key is found', () => {
    const clean = redact(withInput({ [secrets.github]: 'the token of me' }));
    expect(clean?.message.payload).toMatchObject({ tool_input: { '[redacted: github-token]': 'the token of me' } });
  });
});

describe('wishes of the host', () => {
  test('add keys, in any spelling, and patterns, of which the whole match goes', () => {
    const options = { keys: ['customer name'], patterns: [/C-(\d+)/, /^me$/y] };
    const clean = redact(
      withInput({ customerName: 'x', text: 'order of C-123 and C-9', who: 'me', password: 'p' }),
      options,
    );
    expect(clean?.message.payload).toMatchObject({
      tool_input: {
        customerName: '[redacted: customerName]',
        text: 'order of [redacted: pattern] and [redacted: pattern]',
        who: '[redacted: pattern]',
        password: '[redacted: password]',
      },
    });
  });

  test('a pattern that matches nothing at all puts no marks everywhere', () => {
    expect(redactText('abc', { patterns: [/x*/] })).toBe('abc');
  });

  test('redact: false writes everything as it is, and the header says so', async () => {
    const { file, summary } = await recordAll((bus) => bus.publish(withInput({ password: 'hunter2' })), {
      redact: false,
    });
    expect(textOf(file)).toContain('hunter2');
    expect(linesOf(file)[0]).toMatchObject({ redacted: false });
    expect(summary.redacted).toBe(0);
  });
});

describe('a recorded message', () => {
  test('says where something was redacted, and keeps what identifies it', async () => {
    const id = secrets.openai;
    const { file, summary } = await recordAll((bus) => {
      bus.publish({
        ...createSampleRequest(id),
        payload: { tool_name: 'x', tool_input: { token: 'one', list: [secrets.aws] } },
      });
      bus.publish({ ...createSampleResponse(id), output: { reason: `no ${secrets.github}` } });
      bus.publish(createSampleNote('nothing to hide'));
    });
    const lines = linesOf(file);
    expect(lines.map(({ redacted }) => redacted)).toEqual([
      true,
      ['payload.tool_input.token', 'payload.tool_input.list[0]'],
      ['output.reason'],
      undefined,
    ]);
    expect(summary.redacted).toBe(3);
    const session = readSession(file);
    expect((await collect(session)).map(({ message }) => message.correlationId)).toEqual([id, id, 'note']);
    expect(session.problems).toEqual([]);
  });

  test('never holds a planted secret, wherever it was planted', async () => {
    const anywhere = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...Object.values(secrets)),
        fc.string(),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    const redactor = new Redactor();
    fc.assert(
      fc.property(anywhere, (value) => {
        const message: Record<string, unknown> = { payload: { value } };
        const line = JSON.stringify(message);
        const recorded = JSON.stringify(redactor.redact(message, line)?.message ?? message);
        for (const secret of Object.values(secrets))
          expect(recorded).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
  });
});

describe('the first look at a line', () => {
  const words = [
    'api',
    'key',
    'access',
    'token',
    'secret',
    'password',
    'passphrase',
    'auth',
    'db',
    'pwd',
    'cookie',
    'x',
    'client',
  ];

  test('never overlooks the name of a secret', () => {
    const key = fc
      .tuple(
        fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '_', '-', '.', ' '),
      )
      .map(([parts, separator]) => parts.join(separator));
    fc.assert(
      fc.property(key, fc.boolean(), (name, isUpper) => {
        const written = isUpper ? name.toUpperCase() : name;
        if (isSecretKey(foldKeySpelling(written))) expect(mayHoldSecret(JSON.stringify({ [written]: 1 }))).toBe(true);
      }),
    );
  });

  test('never overlooks the look of a secret', () => {
    const texts = Object.values(secrets).map((secret) => `before ${secret} after`);
    for (const text of [...texts, 'Bearer abcdefghi', 'a://u:p@h', 'authorization: abcdef', '--token abcdef']) {
      expect(
        secretPatterns.some(({ pattern }) => text.search(pattern) !== -1),
        text,
      ).toBe(true);
      expect(mayHoldSecret(JSON.stringify({ text })), text).toBe(true);
    }
  });
});

describe('what a redacted text is compared with', () => {
  test.each([
    ['[redacted: x]', 'anything', true],
    ['a [redacted: x] c', 'a b c', true],
    ['a [redacted: x] c [redacted: y]', 'a b c d', true],
    ['a [redacted: x] c', 'a b d', false],
    ['a [redacted: x] a', 'a a', false],
    ['no mark', 'no mark', true],
    ['no mark', 'a mark', false],
  ])('%s and %s', (redacted, text, same) => {
    expect(isEqualExceptMarks(redacted, text)).toBe(same);
  });
});
