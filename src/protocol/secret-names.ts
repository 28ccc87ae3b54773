/** Words of a name behind which secrets are kept: `GITHUB_TOKEN`, `api-key`, `Db_Password`. */
const secretWords =
  /(?:^|[^A-Z0-9])(?:TOKENS?|SECRETS?|PASS|PASSWD|PASSPHRASE|PWD|PAT|KEYS?|APIKEYS?|CREDENTIALS?|CREDS?|AUTH|AUTHORIZATION|BEARER|COOKIES?|DSN|NETRC)(?:$|[^A-Z0-9])/;

/** What says so wherever it stands in a name, or at the end of one: `PGPASSWORD`, `GITHUBTOKEN`. */
const secretParts =
  /PASSWORD|PASSWD|PASSPHRASE|SECRET|CREDENTIAL|PASSFILE|(?:API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|SSH|DEPLOY)_?KEY|TOKEN$/;

/** Families of variables that open the door to somebody's account. */
const secretFamilies = /^(?:AWS|AZURE|GCP|CLOUDSDK|VAULT|OP_SESSION|NPM_CONFIG_)_/;

/** Where the host is listened to: who can write there can put words into a recording. */
const doorsOfTheHost = new Set(['HOOKWRIGHT_TAP']);

/** Names with such a word that keep no secret. */
const harmless = new Set(['PWD', 'OLDPWD']);

/** `scheme://user:password@host` */
const urlWithPassword = /^[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,512}@/i;

/** Whether a variable of the environment looks like a secret: by its name, or as a URL with a password. */
export const looksSecret = (name: string, value: string): boolean => {
  const upper = name.toUpperCase();
  if (harmless.has(upper)) return false;
  return (
    doorsOfTheHost.has(upper) ||
    secretWords.test(upper) ||
    secretParts.test(upper) ||
    secretFamilies.test(upper) ||
    urlWithPassword.test(value)
  );
};

/** Whether a name is among those that were let through: the name itself, or `PREFIX_*`. */
export const isAllowedName = (name: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) =>
    entry.endsWith('*') && entry.length > 1 ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
