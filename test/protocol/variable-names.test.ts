import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canSteerPrograms, isAllowedName, isLikelySecret } from '../../src/protocol/index.ts';
import { ownNow } from '../support/own-clock.ts';

test.each([
  ...['GITHUB_TOKEN', 'GH_TOKEN', 'NPM_TOKEN', 'HF_TOKEN', 'SLACK_BOT_TOKEN', 'GITHUBTOKEN', 'npm_config__authToken'],
  ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'STRIPE_KEY', 'SSH_KEY', 'SIGNING_KEYS', 'apiKey'],
  ...['CLIENT_SECRET', 'SECRET_KEY_BASE', 'MY_SECRETS', 'DB_PASSWORD', 'PGPASSWORD', 'MYSQL_PWD', 'PASSWD', 'DB_PASS'],
  ...['GPG_PASSPHRASE', 'GOOGLE_APPLICATION_CREDENTIALS', 'AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'],
  ...['AZURE_CLIENT_ID', 'VAULT_ADDR', 'SSH_AUTH_SOCK', 'DOCKER_AUTH_CONFIG', 'SENTRY_DSN', 'SESSION_COOKIE', 'GH_PAT'],
  ...['GH_TOKEN2', 'API_KEY_2', 'SLACK_WEBHOOK_URL', 'S3KEY', 'SERVICE_JWT', 'STORAGE_CONNECTION_STRING', 'PAT1'],
  ...['DBPASS', 'PGPASS', 'SSHPASS', 'ROOT_PW', 'DB_PW', 'BW_SESSION', 'BW_CLIENTID', 'MAIL_PASSCODE', 'ADMIN_OTP'],
  ...['WIFI_PSK', 'WALLET_SEED_PHRASE'],
])('F64 R1046 %s looks like a secret', (name) => expect(isLikelySecret(name, 'x')).toBe(true));

test.each([
  ...[
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'LANG',
    'TERM',
    'USER',
    'SHLVL',
    'EDITOR',
    'KEYBOARD_LAYOUT',
    'MONKEY',
    'AUTHOR',
  ],
  ...[
    'TOKENIZERS_PARALLELISM',
    'MAX_TOKENS_PER_CALL'.replace('TOKENS_', ''),
    'COMPASS',
    'CI',
    'NODE_ENV',
    'HOOKWRIGHT_RUN',
    'BYPASS',
    'CLAUDE_SESSION_ID',
    'GEMINI_SESSION_ID',
    'DESKTOP_SESSION',
    'XDG_SESSION_ID',
    'CLAUDE_PLUGIN_ROOT',
    'TMUX_PANE',
    'VIRTUAL_ENV',
  ],
])('%s does not', (name) => expect(isLikelySecret(name, 'x')).toBe(false));

/** Of the families that open doors, what opens none. */
const facts = [
  ...['AWS_CA_BUNDLE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'aws_pager', 'CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE'],
  ...[
    'CLOUDSDK_COMPUTE_ZONE',
    'AZURE_CORE_OUTPUT',
    'GCP_REGION',
    'VAULT_CACERT',
    'KITTY_PUBLIC_KEY',
    'npm_config_cache',
  ],
];

test.each(facts)('%s says where something is, and keeps no secret', (name) =>
  expect(isLikelySecret(name, '/etc/ssl/certs/ca.pem')).toBe(false),
);

test('a number of tokens is no token', () => {
  expect(isLikelySecret('CLAUDE_CODE_MAX_OUTPUT_TOKENS', '32000')).toBe(false);
  expect(isLikelySecret('MAX_TOKENS', '4096')).toBe(false);
  expect(isLikelySecret('MAX_TOKENS', 'abcdef')).toBe(true);
  expect(isLikelySecret('MAX_TOKEN', '4096')).toBe(true);
  expect(isLikelySecret('ACCESS_TOKENS', '4096')).toBe(true);
});

const word = fc.constantFrom(
  'AWS',
  'CI',
  'REGION',
  'CA',
  'BUNDLE',
  'MAX',
  'TOKENS',
  'PUBLIC',
  'KEY',
  'CORE',
  'X',
  'DB',
  'PWD',
);
const anyName = fc.oneof(
  fc.constantFrom(...facts),
  fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join('_')),
);
const lettersAndDigits = (length: number) =>
  fc
    .array(fc.constantFrom(...'abcdefghijkmnpqrstuvwxyz23456789ABCDEFGHJKLMNPQRSTUVWXYZ'), {
      minLength: length,
      maxLength: 40,
    })
    .map((letters) => letters.join(''));
const trueSecret = fc.oneof(
  fc
    .tuple(fc.constantFrom('ghp_', 'github_pat_', 'sk_live_', 'glpat-', 'npm_', 'hf_', 'AIza'), lettersAndDigits(36))
    .map(([kind, rest]) => kind + rest),
  lettersAndDigits(12).map((password) => `postgres://app:${password}@db:5432/x`),
  lettersAndDigits(12).map((key) => `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`),
);

test('F64 no name lets a value through that is a secret by its looks', () => {
  fc.assert(fc.property(anyName, trueSecret, (name, value) => isLikelySecret(name, value)));
});

test('F64 a name with a word for secrets is kept back although it begins or ends like a harmless one', () => {
  const secret = fc.constantFrom('TOKEN', 'SECRET', 'API_KEY', 'PASSWORD', 'CREDENTIALS', 'SESSION_TOKEN', 'AUTH');
  fc.assert(
    fc.property(fc.constantFrom(...facts), secret, fc.boolean(), lettersAndDigits(8), (fact, what, before, value) =>
      isLikelySecret(before ? `${what}_${fact}` : `${fact}_${what}`, value),
    ),
  );
});

test.each([
  'https://ghp_x@github.com/a/b',
  'jdbc:postgresql://db/x?user=u&password=p',
  'Endpoint=sb://x/;SharedAccessKey=abc',
  '-----BEGIN RSA PRIVATE KEY-----\nMII',
  'ghp_0123456789abcdefghij',
  'sk-proj-0123456789abcdef',
  'https://hooks.slack.com/services/T0001/B0002/abcdefghijklmnop',
  '123456789:AAEabcdefghijklmnopqrstuvwxyz-_01234',
  'https://x.blob.core.windows.net/c?sv=2022&sig=abcdefghijklmnop%3D',
  'Basic dXNlcjpwYXNzd29yZA==',
  'password=hunter2',
  'https://discord.com/api/webhooks/123456789/abcdefghijklmnopqrstuvwx',
])('F64 R1046 the value %j is a secret whatever its name', (value) => expect(isLikelySecret('X', value)).toBe(true));

test.each([
  ['Pulumi', `pul-${'0123456789abcdef'.repeat(2)}01234567`],
  [
    'Teams',
    `https://contoso.webhook.office.com/webhookb2/${'1b2c3d4e-'.repeat(4)}@7f8a9b0c/IncomingWebhook/0123abcd/e5f6`,
  ],
  [
    'Outlook',
    'https://outlook.office.com/webhook/1b2c3d4e-5f60-4a7b@7f8a9b0c-1d2e/IncomingWebhook/0123456789abcdef/e5f6a7b8',
  ],
  [
    'Outlook',
    'https://outlook.office365.com/webhook/1b2c3d4e-5f60-4a7b@7f8a9b0c-1d2e/IncomingWebhook/0123456789abcdef/e5f6',
  ],
  [
    'Logic Apps',
    'https://prod-12.westus.logic.azure.com:443/workflows/0a1b/triggers/manual/paths/invoke?sp=%2F&sig=aB3dE5fG7hI9jK1lM3nO5pQ7',
  ],
  ['Vault', `hvs.${'CAESIJ0dK2m1'.repeat(3)}`],
  ['Docker', `dckr_pat_${'aB3dE5fG7'.repeat(3)}`],
  ['age', `AGE-SECRET-KEY-1${'QPZRY9X8GF'.repeat(5)}QPZRY9X8`],
])('R1506 a secret of %s is one by its value: %s', (_issuer, value) => {
  expect(isLikelySecret('X', value)).toBe(true);
  expect(isLikelySecret('X', `see ${value}`)).toBe(true);
});

test.each([
  ...['CARD_PIN', 'PKCS11_PIN', 'APP_SALT', 'JENKINS_CRUMB', 'SNMP_COMMUNITY', 'SNMPCOMMUNITY', 'FAKEROOTKEY'],
])('R1506 %s looks like a secret', (name) => expect(isLikelySecret(name, 'x')).toBe(true));

/** Names that hook packages read, with values such as they have. */
test.each([
  ...['CLAUDE_PROJECT_DIR', 'CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA', 'CLAUDE_ENV_FILE', 'CLAUDE_CODE_REMOTE'],
  ...['CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CONFIG_DIR', 'CLAUDE_FILE_PATHS', 'CLAUDE_TOOL_NAME', 'CLAUDECODE'],
  ...['GEMINI_CLI', 'CODEX_HOME', 'CURSOR_AGENT', 'ENGINEER_NAME', 'NTFY_TOPIC', 'TTS_VOICE', 'MAPPING', 'SPIN'],
  ...['PINNED_VERSION', 'PINENTRY_USER_DATA', 'BREADCRUMB', 'SALTSTACK_ROOT', 'COMMUNITY_EDITION', 'DISPLAY_PINNED'],
  ...['BASALT', 'TDD_GUARD_SKIP', 'VALIDATION_CLIENT', 'PYTHONPATH', 'PRE_COMMIT_HOME', 'RUFF_CACHE_DIR', 'SKIP'],
])('R1506 %s, as hook packages read it, is none', (name) => expect(isLikelySecret(name, '/srv/x')).toBe(false));

test.each([
  'https://github.com/a/b',
  'pul-request',
  'pul-request-1234567890-from-fork',
  'https://office.com/webhook',
  'git@github.com:a/b',
  'sk-1',
  'a@b.example',
  'password',
  '/usr/bin:/bin',
])('the value %j is none', (value) => expect(isLikelySecret('X', value)).toBe(false));

test('F64 a URL with a password is a secret whatever its name', () => {
  expect(isLikelySecret('DATABASE_URL', 'postgres://app:hunter2@db:5432/x')).toBe(true);
  expect(isLikelySecret('DATABASE_URL', 'postgres://db:5432/x')).toBe(false);
  expect(isLikelySecret('HTTP_PROXY', 'http://proxy:3128')).toBe(false);
});

test('a long value is looked at in no time', () => {
  const startedAt = ownNow();
  isLikelySecret('X', `http://${'a:'.repeat(500_000)}`);
  expect(ownNow() - startedAt).toBeLessThan(50);
});

test('names are let through one by one, or by how they begin', () => {
  expect(isAllowedName('NPM_TOKEN', ['NPM_TOKEN'])).toBe(true);
  expect(isAllowedName('AWS_REGION', ['NPM_TOKEN', 'AWS_*'])).toBe(true);
  expect(isAllowedName('NPM_TOKEN_2', ['NPM_TOKEN'])).toBe(false);
  expect(isAllowedName('GITHUB_TOKEN', ['*', ''])).toBe(false);
});

test.each([
  ...[
    'NODE_OPTIONS',
    'NODE_PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'LD_AUDIT',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'ENV',
  ],
  ...[
    'BASH_FUNC_node%%',
    'SHELLOPTS',
    'PS4',
    'IFS',
    'PATH',
    'Path',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'PERL5OPT',
    'PERL5LIB',
  ],
  ...['RUBYOPT', 'RUBYLIB', 'GIT_SSH_COMMAND', 'GIT_CONFIG_COUNT', 'HOOKWRIGHT_HOME', 'HOOKWRIGHT_PROJECT_DIR', 'HOME'],
  ...[
    'CLAUDE_PROJECT_DIR',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'CLASSPATH',
    'DOTNET_STARTUP_HOOKS',
    'npm_config_script_shell',
  ],
  ...['ComSpec', 'XDG_CONFIG_HOME', 'PAGER', 'EDITOR', 'LESSOPEN', 'MAKEFLAGS', 'ZDOTDIR', 'CDPATH', 'GCONV_PATH'],
  ...[
    'CCACHE_PREFIX',
    'APT_CONFIG',
    'SWIFT_EXEC',
    'GROFF_COMMAND_PREFIX',
    'ANY_TOOL_COMMAND',
    'SOME_WRAPPER',
    'X_PLUGINS',
  ],
  ...['TOOLRC_RC', 'MYTOOL_CONFIG', 'INFOPATH', 'ASAN_OPTIONS', 'MY_OPTS', 'FOO_BIN', 'PGSERVICE', 'MYSQL_HOME'],
  ...['PARALLEL_HOME', 'TEXMFCNF', 'VIMRUNTIME', 'ZIPOPT', 'ZSH_ENV', 'OPAMROOT', 'QEMU_LD_PREFIX'],
])('F64 R1047 %s changes which code runs', (name) => expect(canSteerPrograms(name)).toBe(true));

test.each([
  'LEVEL',
  'DEBUG',
  'NODE_ENV',
  'PYTHONUNBUFFERED',
  'LESSON',
  'LANG',
  'TZ',
  'GEMINI_MODEL',
  'MY_PATH',
  'HOOK_CONFIG',
  'LOG_DIR',
  'PROJECT_ROOT',
  'extensionPath',
  'RULES_FILE',
])('%s does not', (name) => expect(canSteerPrograms(name)).toBe(false));
