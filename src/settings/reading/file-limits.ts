/** What a settings file may be, at most. A larger one was not written by people, and reading it would hold up the agent. */
export const MAX_FILE_BYTES = 1_048_576;
export const MAX_HOOKS_PER_FILE = 500;
export const MAX_UNKNOWN_KEYS = 100;
/** Unknown names that are reported one by one: each is compared with all known names. The rest are counted. */
export const MAX_UNKNOWN_NAMES = 20;
