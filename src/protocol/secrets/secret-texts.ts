/** A kind of secret that is known by its looks. */
export interface SecretPattern {
  readonly name: string;
  readonly pattern: RegExp;
  /** What the first group matches stays, only the rest becomes a mark. */
  readonly keeps?: boolean;
}

/** Where a word begins: also behind an escape in JSON within a text (`\n`) and in an address (`%3D`). */
const START = String.raw`(?:(?<![\w-])|(?<=\\[bfnrt])|(?<=%[\dA-F]{2}))`;

/** A beginning, where a word begins. Looked for first and looked back from, it is found ten times as fast. */
const startingWith = (beginning: string): string => `${beginning}(?<=${START}${beginning})`;

const NAME =
  '(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|(?:private|access|secret|signing|encryption|auth)[_-]?key)';

const patternOf = (source: string, flags = ''): RegExp => new RegExp(source, `g${flags}`);

/**
 * None takes longer than the text is long: repetitions are bounded, or can start at one place only. Texts come from
 * hooks and tools, which must not be able to hold up the host.
 */
export const secretPatterns: readonly SecretPattern[] = [
  {
    name: 'private-key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: 'api-key', pattern: patternOf(String.raw`${startingWith('sk-')}(?:(?=[\w-]{0,40}\d)[\w-]{8,}|[\w-]{16,})`) },
  { name: 'stripe-key', pattern: patternOf(String.raw`${startingWith('[rs]k_(?:live|test)_')}\w{8,}`) },
  { name: 'github-token', pattern: /gh[opusr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}/g },
  { name: 'gitlab-token', pattern: /glpat-[\w-]{16,}/g },
  { name: 'aws-key', pattern: /(?:AKIA|ASIA)[A-Z0-9]{16}/g },
  { name: 'google-key', pattern: /AIza[\w-]{30,}/g },
  { name: 'slack-token', pattern: patternOf(String.raw`${startingWith('xox[abeoprs]-')}[\w-]{10,}`) },
  { name: 'npm-token', pattern: /npm_[A-Za-z0-9]{30,}/g },
  { name: 'hugging-face-token', pattern: /hf_[A-Za-z0-9]{30,}/g },
  {
    name: 'service-token',
    pattern: patternOf(
      String.raw`${startingWith('(?:ya29[.]|SG[.]|hvs[.]|dop_v1_|shp(?:at|ca|pa|ss)_|xapp-|glsa_|lin_api_|dckr_pat_|pypi-|ATATT3|whsec_|gsk_|r8_|pplx-|xai-|tskey-|sntry[su]_|AGE-SECRET-KEY-1|figd_|rubygems_|NRAK-|GOCSPX-|dapi|dp[.](?:pt|st|sa|ct)[.]|glc_|ntn_|sbp_|pscale_(?:tkn|pw)_|sq0(?:atp|csp)-|EAAC|phx_|fm[12]_)')}(?=[\w.~+/=-]{0,60}\d)[\w.~+/=-]{20,}`,
    ),
  },
  { name: 'jwt', pattern: patternOf(String.raw`${startingWith('eyJ')}[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?`) },
  {
    name: 'authorization',
    keeps: true,
    pattern: patternOf(
      String.raw`(authorization\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}["']?(?!(?:[a-z]{1,20}[ ])?\[redacted)(?:[a-z]{1,20}[ ])?)[^\s"'\\,;]{4,}`,
      'i',
    ),
  },
  {
    name: 'bearer-token',
    keeps: true,
    pattern: /(Bearer\s{1,3}|bearer\s{1,3}(?=[\w.~+/=-]{0,40}\d))[\w.~+/=-]{8,}/g,
  },
  // Basic …, of which the decoded text is a name and a password
  {
    name: 'basic-credentials',
    keeps: true,
    pattern: /(Basic\s{1,3})(?=[A-Za-z0-9+/]{0,80}[A-Z0-9+/=])[A-Za-z0-9+/]{8,}={0,2}/g,
  },
  { name: 'slack-webhook', keeps: true, pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{8,}/g },
  { name: 'discord-webhook', keeps: true, pattern: /(discord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/)[\w-]{20,}/g },
  { name: 'telegram-token', pattern: /(?<![\w:])(?:bot)?\d{6,12}:[A-Za-z0-9_-]{32,64}(?![\w-])/g },
  { name: 'signature', keeps: true, pattern: /([?&;]sig=)[\w%+/=-]{16,}/gi },
  {
    name: 'cookie',
    keeps: true,
    pattern: patternOf(
      String.raw`((?:set-)?cookie\\{0,3}["']?:[ ]{0,3}\\{0,3}["']?)(?!\[redacted)(?=[\w.%-]{1,64}=)[^\r\n"'\\]{3,}`,
      'i',
    ),
  },
  // curl -u name:password, mysql -ppassword, sshpass -p password, openssl -passin pass:password, netrc
  {
    name: 'command-password',
    keeps: true,
    pattern:
      /(\bcurl\b[^\n]{0,200}?\s(?:-[A-Za-z]{0,6}[uU]|--user|--proxy-user)[ =]{0,2}\\{0,3}["']?[^\s:"'\\]{1,64}:)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'command-password',
    keeps: true,
    pattern: /(\b(?:mysql|mariadb)[a-z_-]{0,16}\s(?:[^\n|;&]{0,200}?\s)??-p\\{0,3}["']?)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'command-password',
    keeps: true,
    pattern: /(\bsshpass\s(?:[^\n|;&]{0,100}?\s)??-p[ ]{0,2}\\{0,3}["']?)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'command-password',
    keeps: true,
    pattern: /(\s-(?:pass(?:in|out)?|k)\s{1,3}\\{0,3}["']?pass:)(?!\[redacted)[^\s"'\\]+/g,
  },
  {
    name: 'netrc-password',
    keeps: true,
    pattern: /(\blogin\s{1,8}[^\s\\]{1,128}(?:\s|\\n){1,8}password\s{1,8})(?!\[redacted)[^\s\\"']+/g,
  },
  {
    name: 'url-credentials',
    keeps: true,
    pattern: /(:\/\/)(?!\[redacted)[^\s/?#@:"'<>\\]{0,256}:[^\s/?#"'<>\\]{1,256}(?=@)/g,
  },
  // "password": "…", and the same within a text of JSON
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(
      String.raw`(${NAME}\\{0,3}["']?\s{0,3}[:=]\s{0,3}\\{0,3}")(?!\[redacted)(?:[^"\\\n]|\\(?!"))+`,
      'i',
    ),
  },
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(String.raw`(${NAME}["']?\s{0,3}[:=]\s{0,3}')(?!\[redacted)[^'\n]+`, 'i'),
  },
  // TOKEN=…, ?token=…, --token=…
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(String.raw`(${NAME}=)[^\s"'&;,\\$<([{][^\s"'&;,\\]{3,}`, 'i'),
  },
  // --token …
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(String.raw`(--[\w-]{0,30}${NAME}[ ]{1,3})[^\s"'\\$<([{-][^\s"'\\]{3,}`, 'i'),
  },
  // password = …; a value that reads like code is code
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(
      String.raw`(pass(?:word|wd|phrase)[ \t]{1,3}=[ \t]{0,3})(?!\[redacted|(?:null|none|true|false|undefined)\b|[a-z_]{1,60}[.][a-z_])[^\s"'&,;\\()[\]{}<>$=]{4,}(?![^\s"',;\\])`,
      'i',
    ),
  },
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(
      String.raw`(${NAME}[ \t]{1,3}=[ \t]{0,3})(?!\[redacted)(?=[^\s"'\\,;]{0,40}\d)[^\s"'&,;\\()[\]{}<>$=]{6,}(?![^\s"',;\\])`,
      'i',
    ),
  },
  // token: …
  {
    name: 'assigned-secret',
    keeps: true,
    pattern: patternOf(String.raw`(${NAME}:[ \t]{1,3})(?=[^\s"'\\,;]{0,40}\d)[^\s"'\\,;<([{][^\s"'\\,;]{5,}`, 'i'),
  },
];

const secretName =
  /(?:pass(?:word|wd|phrase)s?|(?:db|user|admin|root|login)pwd|secrets?|token|apikeys?|(?:private|access|secret|signing|encryption|auth)keys?|credentials?|authorization|cookies?|auth|bearer)$/;

/** Without the separators and the case, in which people write one name in many ways. */
export const foldKey = (key: string): string => key.replace(/[-_ .]/g, '').toLowerCase();

/** `password`, `GITHUB_TOKEN`, `x-api-key`, `clientSecret`; not `maxTokens`, which is a number of words. */
export const isSecretKey = (folded: string): boolean => secretName.test(folded);

const looks =
  /-----BEGIN |sk-|[rs]k_(?:live|test)_|gh[opusr]_|github_pat_|glpat-|AKIA|ASIA|AIza|xox[abeoprs]-|npm_|hf_|eyJ|ya29\.|SG\.|hvs\.|dop_v1_|shp(?:at|ca|pa|ss)_|xapp-|glsa_|lin_api_|dckr_pat_|pypi-|ATATT3|whsec_|gsk_|r8_|pplx-|xai-|tskey-|sntry[su]_|AGE-SECRET|figd_|rubygems_|NRAK-|GOCSPX-|dapi|dp\.(?:pt|st|sa|ct)\.|glc_|ntn_|sbp_|pscale_|sq0(?:atp|csp)-|EAAC|phx_|fm[12]_|[Bb]earer|Basic\s|hooks\.slack\.com|discord(?:app)?\.com|\d{6}:[\w-]{32}|[?&;][Ss][Ii][Gg]=|\bcurl\b|mysql|mariadb|sshpass|pass:|:\/\/[^\s/?#@:"'<>\\]{0,256}:/;
const names =
  /pass[-_ .]*(?:w|ph)|pwd|secret|token|credential|cookie|auth|api[-_ .]*key|(?:private|access|signing|encryption)[-_ .]*key/i;

/** Whether a text is worth a closer look. Says yes too often, and never no where a pattern or a name would be found. */
export const mayHoldSecret = (text: string): boolean => looks.test(text) || names.test(text);
