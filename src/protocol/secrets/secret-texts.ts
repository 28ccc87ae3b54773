// Recognizes secrets by the form of their values; each pattern names its issuer or standard.

export interface SecretPattern {
  readonly name: string;
  readonly pattern: RegExp;
  readonly keeps?: boolean;
}

/** A word may also start after `%3D` in a URL, or after an escaped control character in JSON inside a string. */
const START_PATTERN = String.raw`(?:(?<![\w-])|(?<=\\[bfnrt])|(?<=%[\dA-F]{2}))`;

/** Matching the prefix first and looking back is ten times as fast as looking for the start of each word. */
const addStartPattern = (beginning: string): string => `${beginning}(?<=${START_PATTERN}${beginning})`;

const SECRET_NAME_PATTERN =
  '(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|(?:private|access|secret|signing|encryption|auth)[_-]?key)';

const createPattern = (source: string, flags = ''): RegExp => new RegExp(source, `g${flags}`);

const issuedTokens: readonly (readonly [source: string, beginning: string])[] = [
  ['1Password', 'ops_eyJ'],
  ['age(1)', 'AGE-SECRET-KEY-1'],
  ['Atlassian', 'ATATT3'],
  ['Databricks', 'dapi'],
  ['DigitalOcean', 'do[opr]_v1_'],
  ['Docker', 'dckr_(?:pat|oat)_'],
  ['Doppler', 'dp[.](?:pt|st|sa|ct)[.]'],
  ['Facebook', 'EAAC'],
  ['Figma', 'figd_'],
  ['Fly.io', 'fm[12]_'],
  ['Google OAuth', 'ya29[.]'],
  ['Google OAuth', 'GOCSPX-'],
  ['Grafana', 'glsa_'],
  ['Grafana', 'glc_'],
  ['Groq', 'gsk_'],
  ['HashiCorp Vault', 'hv[bs][.]'],
  ['Linear', 'lin_api_'],
  ['New Relic', 'NRAK-'],
  ['Notion', 'ntn_'],
  ['Perplexity', 'pplx-'],
  ['PlanetScale', 'pscale_(?:tkn|pw)_'],
  ['PostHog', 'phx_'],
  ['Pulumi', String.raw`pul-(?=[a-f\d]{40})`],
  ['PyPI', 'pypi-'],
  ['Replicate', 'r8_'],
  ['RubyGems', 'rubygems_'],
  ['SendGrid', 'SG[.]'],
  ['Sentry', 'sntry[su]_'],
  ['Shopify', 'shp(?:at|ca|pa|ss)_'],
  ['Slack', 'xapp-'],
  ['Square', 'sq0(?:atp|csp)-'],
  ['Stripe, Svix', 'whsec_'],
  ['Supabase', 'sbp_'],
  ['Tailscale', 'tskey-'],
  ['xAI', 'xai-'],
];

const ISSUED_PATTERN = issuedTokens.map(([, beginning]) => beginning).join('|');

/** A value beside a name such as `password`. The first group of each pattern is kept. */
const assignedSecrets: readonly string[] = [
  // `"password": "…"`, also in JSON inside a string
  String.raw`(${SECRET_NAME_PATTERN}\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}")(?!\[redacted)(?:[^"\\\n]|\\(?!"))+`,
  String.raw`(${SECRET_NAME_PATTERN}["']?\s{0,3}[:=]\s{0,3}')(?!\[redacted)[^'\n]+`,
  // `TOKEN=…`, `?token=…`, `--token=…`
  String.raw`(${SECRET_NAME_PATTERN}=)[^\s"'&;,\\$<([{][^\s"'&;,\\]{3,}`,
  String.raw`(--[\w-]{0,30}${SECRET_NAME_PATTERN}[ ]{1,3})[^\s"'\\$<([{-][^\s"'\\]{3,}`,
  // `password = …`, unless the value looks like code
  String.raw`(pass(?:word|wd|phrase)[ \t]{1,3}=[ \t]{0,3})(?!\[redacted|(?:null|none|true|false|undefined)\b|[a-z_]{1,60}[.][a-z_])[^\s"'&,;\\()[\]{}<>$=]{4,}(?![^\s"',;\\])`,
  String.raw`(${SECRET_NAME_PATTERN}[ \t]{1,3}=[ \t]{0,3})(?!\[redacted)(?=[^\s"'\\,;]{0,40}\d)[^\s"'&,;\\()[\]{}<>$=]{6,}(?![^\s"',;\\])`,
  String.raw`(${SECRET_NAME_PATTERN}:[ \t]{1,3})(?=[^\s"'\\,;]{0,40}\d)[^\s"'\\,;<([{][^\s"'\\,;]{5,}`,
];

interface KnownPattern extends SecretPattern {
  readonly source: string;
  readonly hint?: string;
}

/**
 * Hooks and tools choose these texts, so every pattern takes linear time: repetitions are bounded, or can start at one
 * position only.
 */
const knownPatterns: readonly KnownPattern[] = [
  {
    name: 'private-key',
    source: 'RFC 7468, OpenPGP',
    hint: '-----BEGIN ',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  {
    name: 'api-key',
    source: 'OpenAI, Anthropic',
    hint: 'sk-',
    pattern: createPattern(String.raw`${addStartPattern('sk-')}(?:(?=[\w-]{0,40}\d)[\w-]{8,}|[\w-]{16,})`),
  },
  {
    name: 'stripe-key',
    source: 'Stripe',
    hint: '[rs]k_(?:live|test)_',
    pattern: createPattern(String.raw`${addStartPattern('[rs]k_(?:live|test)_')}\w{8,}`),
  },
  {
    name: 'github-token',
    source: 'GitHub',
    hint: 'gh[opusr]_|github_pat_',
    pattern: /gh[opusr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}/g,
  },
  { name: 'gitlab-token', source: 'GitLab', hint: 'glpat-', pattern: /glpat-[\w-]{16,}/g },
  { name: 'aws-key', source: 'AWS', hint: 'AKIA|ASIA', pattern: /(?:AKIA|ASIA)[A-Z0-9]{16}/g },
  { name: 'google-key', source: 'Google Cloud', hint: 'AIza', pattern: /AIza[\w-]{30,}/g },
  {
    name: 'slack-token',
    source: 'Slack',
    hint: 'xox[abeoprs]-',
    pattern: createPattern(String.raw`${addStartPattern('xox[abeoprs]-')}[\w-]{10,}`),
  },
  { name: 'npm-token', source: 'npm', hint: 'npm_', pattern: /npm_[A-Za-z0-9]{30,}/g },
  { name: 'hugging-face-token', source: 'Hugging Face', hint: 'hf_', pattern: /hf_[A-Za-z0-9]{30,}/g },
  {
    name: 'service-token',
    source: 'each of its beginnings',
    hint: ISSUED_PATTERN,
    pattern: createPattern(
      String.raw`${addStartPattern(`(?:${ISSUED_PATTERN})`)}(?=[\w.~+/=-]{0,60}\d)[\w.~+/=-]{20,}`,
    ),
  },
  {
    name: 'jwt',
    source: 'RFC 7519',
    hint: 'eyJ',
    pattern: createPattern(String.raw`${addStartPattern('eyJ')}[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`),
  },
  {
    name: 'authorization',
    source: 'RFC 9110',
    keeps: true,
    pattern: createPattern(
      String.raw`(authorization\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?(?!(?:[a-z]{1,20}[ ])?\[redacted)(?:[a-z]{1,20}[ ])?)[^\s"'\\,;]{4,}`,
      'i',
    ),
  },
  {
    name: 'bearer-token',
    source: 'RFC 6750',
    hint: '[Bb]earer',
    keeps: true,
    pattern: /(Bearer\s{1,3}|bearer\s{1,3}(?=[\w.~+/=-]{0,40}\d))[\w.~+/=-]{8,}/g,
  },
  // `Basic …` from an HTTP header, whose decoded text is a name and a password
  {
    name: 'basic-credentials',
    source: 'RFC 7617',
    hint: String.raw`Basic\s`,
    keeps: true,
    pattern: /(Basic\s{1,3})(?=[A-Za-z0-9+/]{0,80}[A-Z0-9+/=])[A-Za-z0-9+/]{8,}={0,2}/g,
  },
  {
    name: 'slack-webhook',
    source: 'Slack',
    hint: String.raw`hooks\.slack\.com`,
    keeps: true,
    pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{8,}/g,
  },
  {
    name: 'teams-webhook',
    source: 'Microsoft Teams, Outlook',
    hint: 'office(?:365)?\\.com/webhook',
    keeps: true,
    pattern: /(\.office(?:365)?\.com\/webhook(?:b2)?\/)[\w@/-]{16,}/g,
  },
  {
    name: 'discord-webhook',
    source: 'Discord',
    hint: String.raw`discord(?:app)?\.com`,
    keeps: true,
    pattern: /(discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/)[\w-]{20,}/g,
  },
  {
    name: 'telegram-token',
    source: 'Telegram',
    hint: String.raw`\d{6}:[\w-]{32}`,
    pattern: /(?<![\w:])(?:bot)?\d{6,12}:[A-Za-z0-9_-]{32,64}(?![\w-])/g,
  },
  {
    name: 'signature',
    source: 'Azure storage, Logic Apps',
    hint: '[?&;][Ss][Ii][Gg]=',
    keeps: true,
    pattern: /([?&;]sig=)[\w%+/=-]{16,}/gi,
  },
  {
    name: 'cookie',
    source: 'RFC 6265',
    keeps: true,
    pattern: createPattern(
      String.raw`((?:set-)?cookie\\{0,3}["']?:[ ]{0,3}\\{0,3}["']?)(?!\[redacted)(?=[\w.%-]{1,64}=)[^\r\n"'\\]{3,}`,
      'i',
    ),
  },
  // Passwords on command lines: `curl -u name:password`, `mysql -ppassword`, `sshpass -p password`, `openssl -passin
  // pass:password`; and in a netrc file
  {
    name: 'command-password',
    source: 'curl(1)',
    hint: String.raw`\bcurl\b`,
    keeps: true,
    pattern:
      /(\bcurl\b[^\n]{0,200}?\s(?:-[A-Za-z]{0,6}[uU]|--user|--proxy-user)[ =]{0,2}\\{0,3}["']?[^\s:"'\\]{1,64}:)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'command-password',
    source: 'mysql(1)',
    hint: 'mysql|mariadb',
    keeps: true,
    pattern: /(\b(?:mysql|mariadb)[a-z_-]{0,16}\s(?:[^\n|;&]{0,200}?\s)??-p\\{0,3}["']?)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'command-password',
    source: 'sshpass(1)',
    hint: 'sshpass',
    keeps: true,
    pattern: /(\bsshpass\s(?:[^\n|;&]{0,100}?\s)??-p[ ]{0,2}\\{0,3}["']?)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'command-password',
    source: 'openssl-passphrase-options(1)',
    hint: 'pass:',
    keeps: true,
    pattern: /(\s-(?:pass(?:in|out)?|k)\s{1,3}\\{0,3}["']?pass:)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'netrc-password',
    source: 'netrc(5)',
    keeps: true,
    pattern: /(\blogin\s{1,8}[^\s\\]{1,128}(?:\s|\\n){1,8}password\s{1,8})(?!\[redacted)[^\s\\"']+/g,
  },
  {
    name: 'url-credentials',
    source: 'RFC 3986',
    hint: String.raw`:\/\/[^\s/?#@:"\'<>\\]{0,256}:`,
    keeps: true,
    pattern: /(:\/\/)(?!\[redacted)[^\s/?#@:"'<>\\]{0,256}:[^\s/?#"'<>\\]{1,256}(?=@)/g,
  },
  ...assignedSecrets.map((source) => ({
    name: 'assigned-secret',
    source: 'usage',
    keeps: true,
    pattern: createPattern(source, 'i'),
  })),
];

export const secretPatterns: readonly SecretPattern[] = knownPatterns;

const SECRET_KEY_PATTERN =
  /(?:pass(?:word|wd|phrase)s?|(?:db|user|admin|root|login)pwd|secrets?|token|apikeys?|(?:private|access|secret|signing|encryption|auth)keys?|credentials?|authorization|cookies?|auth|bearer)$/;

export const foldKeySpelling = (key: string): string => key.replace(/[-_ .]/g, '').toLowerCase();

/** Accepts `password`, `GITHUB_TOKEN`, `x-api-key`, but not `maxTokens`; normalized by `foldKeySpelling`. */
export const isSecretKey = (folded: string): boolean => SECRET_KEY_PATTERN.test(folded);

const SECRET_HINT_PATTERN = new RegExp(knownPatterns.flatMap(({ hint }) => hint ?? []).join('|'));
const SECRET_KEY_HINT_PATTERN =
  /pass[-_ .]*(?:w|ph)|pwd|secret|token|credential|cookie|auth|api[-_ .]*key|(?:private|access|signing|encryption)[-_ .]*key/i;

/** A quick check: a text for which it returns false has no secret. */
export const mayHoldSecret = (text: string): boolean =>
  SECRET_HINT_PATTERN.test(text) || SECRET_KEY_HINT_PATTERN.test(text);

const secretValues: readonly (readonly [source: string, pattern: RegExp])[] = [
  ['RFC 3986', /^https?:\/\/[^\s/?#@]{1,512}@/i],
  ['JDBC, ADO.NET, Azure', /(?:^|[?&;\s])(?:password|passwd|pwd|accountkey|sharedaccesskey)=[^&;\s]/i],
  ['PyPI', /^pypi-[\w-]{16}/],
];

const MAX_CHECKED_LENGTH = 65_536;

export const isSecretValue = (value: string): boolean => {
  const text = value.slice(0, MAX_CHECKED_LENGTH);
  return (
    secretValues.some(([, pattern]) => pattern.test(text)) ||
    // `search` ignores `lastIndex`, which `test` would keep between calls of a global pattern.
    (mayHoldSecret(text) && secretPatterns.some(({ pattern }) => text.search(pattern) !== -1))
  );
};
