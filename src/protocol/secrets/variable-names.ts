// Decides by name which environment variables hold secrets and which ones every hook may see; each list names its
// source.
import { foldKeySpelling, isSecretKey, isSecretValue } from './secret-texts.ts';
import { createNameCheck, listWords } from './steering-variables.ts';

export const isLikelySecret = (name: string, value: string): boolean => {
  const upper = name.toUpperCase();
  if (isHarmlessVariable(upper) || isNumberOfTokens(upper, value)) return isSecretValue(value);
  return (
    isSecretVariable(upper) ||
    SECRET_WORD_PATTERN.test(upper) ||
    SECRET_PART_PATTERN.test(upper) ||
    isSecretKey(foldKeySpelling(name)) ||
    isSecretValue(value)
  );
};

export const isAllowedName = (name: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) =>
    entry.endsWith('*') && entry.length > 1 ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );

export const isListedName = (name: string): boolean => isListed(name.toUpperCase());

const SECRET_WORD_PATTERN = new RegExp(
  String.raw`(?:^|[^A-Z])(?:${listWords([
    ['usage', 'TOKENS? SECRETS? PASS PASSWD PASSPHRASE PASSCODE PASSKEY PWD PW PSW PSWD KEYS? APIKEYS? AUTH'],
    ['cloud SDKs', 'CREDENTIALS? CREDS?'],
    ['HTTP, RFC 6265, RFC 6750, RFC 7519', 'AUTHORIZATION BEARER COOKIES? JWT'],
    ['GitHub, Azure DevOps', 'PAT'],
    ['RFC 2104, RFC 6238', 'HMAC OTP TOTP'],
    ['wpa_supplicant, IPsec', 'PSK'],
    ['PKCS #11, smart cards, GnuPG', 'PIN'],
    ['Kerberos', 'KEYTAB'],
    ['BIP 39', 'MNEMONIC'],
    ['Sentry, PDO', 'DSN'],
    ['netrc(5)', 'NETRC'],
    ['Slack, Discord, Teams', 'WEBHOOKS?'],
  ]).join('|')})\d*(?:$|[^A-Z0-9])`,
);

/** Words that mark a secret without a separator: `PGPASSWORD`, `GITHUBTOKEN`. */
const SECRET_PART_PATTERN =
  /PASSWORD|PASSWD|SEED_?PHRASE|PASSPHRASE|SECRET|CREDENTIAL|PASSFILE|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|SSH|DEPLOY)_?KEY|CONNECTION_?STRING|TOKEN\d*$|(?<!BY|COM|TRES|SUR|UNDER|OVER)PASS\d*$/;

const isSecretVariable = createNameCheck([
  ['AWS CLI', 'AWS_*'],
  ['Azure CLI', 'AZURE_*'],
  ['Google Cloud CLI', 'GCP_* CLOUDSDK_*'],
  ['HashiCorp Vault', 'VAULT_*'],
  ['1Password, Bitwarden', 'OP_SESSION_* BW_*'],
  ['npm', 'NPM_CONFIG__*'],
  ['Rails, WordPress, Hashids', '*_SALT'],
  ['Jenkins', '*_CRUMB'],
  ['SNMP', '*COMMUNITY'],
  ['fakeroot(1)', 'FAKEROOTKEY'],
  // A program that can write to this socket can forge a recording.
  ['this library', 'HOOKWRIGHT_TAP'],
]);

/** Variables that give no access, such as regions. Before adding one, check which values the program accepts. */
const isHarmlessVariable = createNameCheck([
  ['sh(1), kitty', 'PWD OLDPWD KITTY_PUBLIC_KEY'],
  ['AWS CLI', 'AWS_CA_BUNDLE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT AWS_PAGER AWS_CLI_AUTO_PROMPT'],
  ['AWS SDKs', 'AWS_RETRY_MODE AWS_MAX_ATTEMPTS AWS_SDK_LOAD_CONFIG AWS_EXECUTION_ENV AWS_EC2_METADATA_DISABLED'],
  ['AWS SDKs', 'AWS_STS_REGIONAL_ENDPOINTS AWS_USE_FIPS_ENDPOINT AWS_USE_DUALSTACK_ENDPOINT'],
  ['Azure CLI', 'AZURE_CORE_OUTPUT AZURE_CORE_NO_COLOR AZURE_CORE_COLLECT_TELEMETRY'],
  ['Google Cloud CLI', 'GCP_REGION GCP_ZONE CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE CLOUDSDK_CORE_DISABLE_PROMPTS'],
  ['Google Cloud CLI', 'CLOUDSDK_PYTHON CLOUDSDK_ROOT_DIR CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE'],
  ['Google Cloud CLI', 'CLOUDSDK_METRICS_ENVIRONMENT'],
  ['HashiCorp Vault', 'VAULT_CACERT VAULT_CAPATH VAULT_FORMAT VAULT_SKIP_VERIFY'],
]);

const isNumberOfTokens = (upper: string, value: string): boolean =>
  /(?:^|_)MAX_(?:[A-Z]+_)*TOKENS$/.test(upper) && /^\d{1,7}$/.test(value);

const isListed = createNameCheck([
  ['POSIX', 'PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL TMPDIR TMP TEMP TZ LANG LANGUAGE LC_* COLUMNS LINES TERM'],
  ['terminals and CI', 'COLORTERM NO_COLOR FORCE_COLOR CI NODE_ENV'],
  ['XDG base directories', 'XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME'],
  ['Windows', 'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA'],
  ['Windows', 'LOCALAPPDATA PROGRAMDATA PROGRAMFILES NUMBER_OF_PROCESSORS'],
]);
