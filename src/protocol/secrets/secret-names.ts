import { foldKey, isSecretKey, mayHoldSecret, secretPatterns } from './secret-texts.ts';

/** Words of a name behind which secrets are kept: `GITHUB_TOKEN`, `api-key2`, `Db_Password`. */
const secretWords =
  /(?:^|[^A-Z])(?:TOKENS?|SECRETS?|PASS|PASSWD|PASSPHRASE|PASSCODE|PASSKEY|PWD|PW|PSK|PSW|PSWD|PAT|OTP|TOTP|MNEMONIC|KEYTAB|HMAC|KEYS?|APIKEYS?|CREDENTIALS?|CREDS?|AUTH|AUTHORIZATION|BEARER|COOKIES?|DSN|JWT|NETRC|WEBHOOKS?)\d*(?:$|[^A-Z0-9])/;

/** What says so wherever it stands in a name, or at the end of one: `PGPASSWORD`, `GITHUBTOKEN`. */
const secretParts =
  /PASSWORD|PASSWD|SEED_?PHRASE|PASSPHRASE|SECRET|CREDENTIAL|PASSFILE|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|SSH|DEPLOY)_?KEY|CONNECTION_?STRING|TOKEN\d*$|(?<!BY|COM|TRES|SUR|UNDER|OVER)PASS\d*$/;

/** Families of variables that give access to an account. */
const secretFamilies = /^(?:AWS|AZURE|GCP|CLOUDSDK|VAULT|OP_SESSION|BW|NPM_CONFIG_)_/;

/** Where the host is listened to: who can write there can put words into a recording. */
const doorsOfTheHost = new Set(['HOOKWRIGHT_TAP']);

/**
 * Names with such a word, or of such a family, that say where something runs or how much it prints and give no access.
 * Whole names only: before adding one, look up which values its program takes.
 */
const harmless = new Set([
  ...['PWD', 'OLDPWD', 'KITTY_PUBLIC_KEY'],
  ...['AWS_CA_BUNDLE', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_DEFAULT_OUTPUT', 'AWS_PAGER', 'AWS_CLI_AUTO_PROMPT'],
  ...['AWS_RETRY_MODE', 'AWS_MAX_ATTEMPTS', 'AWS_SDK_LOAD_CONFIG', 'AWS_EXECUTION_ENV', 'AWS_EC2_METADATA_DISABLED'],
  ...['AWS_STS_REGIONAL_ENDPOINTS', 'AWS_USE_FIPS_ENDPOINT', 'AWS_USE_DUALSTACK_ENDPOINT'],
  ...['AZURE_CORE_OUTPUT', 'AZURE_CORE_NO_COLOR', 'AZURE_CORE_COLLECT_TELEMETRY', 'GCP_REGION', 'GCP_ZONE'],
  ...['CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE', 'CLOUDSDK_CORE_DISABLE_PROMPTS', 'CLOUDSDK_PYTHON', 'CLOUDSDK_ROOT_DIR'],
  ...['CLOUDSDK_COMPUTE_REGION', 'CLOUDSDK_COMPUTE_ZONE', 'CLOUDSDK_METRICS_ENVIRONMENT'],
  ...['VAULT_CACERT', 'VAULT_CAPATH', 'VAULT_FORMAT', 'VAULT_SKIP_VERIFY'],
]);

/** How many tokens a model may use: `CLAUDE_CODE_MAX_OUTPUT_TOKENS=32000`. */
const isNumberOfTokens = (upper: string, value: string): boolean =>
  /(?:^|_)MAX_(?:[A-Z]+_)*TOKENS$/.test(upper) && /^\d{1,7}$/.test(value);

/** What is a secret as the value of a variable, beside what is one in any text. */
const secretValues: readonly RegExp[] = [
  /^https?:\/\/[^\s/?#@]{1,512}@/i,
  /(?:^|[?&;\s])(?:password|passwd|pwd|accountkey|sharedaccesskey)=[^&;\s]/i,
  /^pypi-[\w-]{16}/,
];

/** A longer value is looked at as far as this. */
const MAX_VALUE = 65_536;

const isSecretValue = (value: string): boolean => {
  const text = value.slice(0, MAX_VALUE);
  return (
    secretValues.some((pattern) => pattern.test(text)) ||
    // Their own position plays no part in a search.
    (mayHoldSecret(text) && secretPatterns.some(({ pattern }) => text.search(pattern) !== -1))
  );
};

/** Whether a variable of the environment looks like a secret, or like a way to one: by its name, or by its value. */
export const looksSecret = (name: string, value: string): boolean => {
  const upper = name.toUpperCase();
  if (harmless.has(upper) || isNumberOfTokens(upper, value)) return isSecretValue(value);
  return (
    doorsOfTheHost.has(upper) ||
    secretWords.test(upper) ||
    secretParts.test(upper) ||
    secretFamilies.test(upper) ||
    isSecretKey(foldKey(name)) ||
    isSecretValue(value)
  );
};

/** Whether a name is among those that were let through: the name itself, or `PREFIX_*`. */
export const isAllowedName = (name: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) =>
    entry.endsWith('*') && entry.length > 1 ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );

/** All that hooks of a project see where the user wants that: where they run, for whom, and how to print. */
const listedVariables: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'OLDPWD', 'SHLVL', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'CI'],
  ...['LANG', 'LANGUAGE', 'LC_*', 'TERM', 'COLORTERM', 'COLUMNS', 'LINES', 'NO_COLOR', 'FORCE_COLOR', 'NODE_ENV'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'USERNAME', 'USERPROFILE', 'HOMEDRIVE'],
  ...['HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'NUMBER_OF_PROCESSORS'],
];

export const isListedName = (name: string): boolean => isAllowedName(name.toUpperCase(), listedVariables);
