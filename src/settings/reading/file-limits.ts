/** What a settings file may be, at most. A larger one was not written by people, and reading it would hold up the agent. */
export const MAX_FILE_BYTES = 1_048_576;
export const MAX_HOOKS_PER_FILE = 500;
export const MAX_UNKNOWN_KEYS = 100;
/** Names that nobody has, of which each costs a look at all others: beyond these only their number is told. */
export const MAX_UNKNOWN_NAMES = 20;
