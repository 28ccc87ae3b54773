import { type HookConfig, originOf } from '../../protocol/index.ts';
import { expandPlainly, plainWords, type Variables } from '../../runners/process-api.ts';

/**
 * Programs that read one file and run it, named by their own name: with a script and nothing before it, they start that.
 * Not so perl and ruby, which take some lines of a script for a first line, and then start or load what those name.
 */
const interpreters = /^(?:sh|bash|dash|node|python(?:3(?:\.\d{1,2})?)?)$/;

export const isPlainInterpreter = (name: string): boolean => interpreters.test(name);

/** What starts with this is the entry's own to set; every other name may mean something to a program. */
const OWN_PREFIX = 'HOOK_';

/** What a hook of this grammar starts. */
export interface PlainStart {
  /** The interpreter as it is named, when one is. */
  readonly interpreter?: string;
  readonly script: string;
  readonly words: readonly string[];
}

/** Why a line is not of the grammar: what is in the way, and what to write instead. */
export interface NotPlain {
  readonly why: string;
  readonly fix: string;
}

const ONE_COMMAND =
  'write one command: a script of the project by its path, or an interpreter and a script, then words';

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

const hasPath = (word: string): boolean => word.includes('/');

/** A name alone may be a command of the interpreter (`node inspect`); what has a path or an ending is a file. */
const isFileName = (word: string): boolean => hasPath(word) || /.\.\w+$/.test(word);

const wordsOf = ({ command = '', args }: HookConfig, variables: Variables): readonly string[] | undefined =>
  args === undefined
    ? plainWords(command, variables)
    : [command, ...args].map((word) => expandPlainly(word, variables));

/** Names that a hook sets itself, but for those that were filled in for it. */
const foreignName = (own: Variables, filledIn: Variables): string | undefined =>
  Object.keys(own).find((name) => !name.startsWith(OWN_PREFIX) && filledIn[name] !== own[name]);

/**
 * The whole grammar of what an approval can cover: `script words…` or `interpreter script words…`, with no shell, no
 * options before the script and no variables but ours. Whatever is said of a line beyond it would be a guess.
 */
export const plainStart = (
  hook: HookConfig,
  { variables, own, filledIn }: { variables: Variables; own: Variables; filledIn: Variables },
): PlainStart | NotPlain => {
  if (process.platform === 'win32') return { why: 'Windows decides what it starts', fix: 'read what it names' };
  const name = foreignName(own, filledIn);
  if (name !== undefined) {
    return { why: `it sets ${name}`, fix: `give its variables names that begin with ${OWN_PREFIX}` };
  }
  if (hook.shell !== undefined && hook.args === undefined) {
    const title = originOf(hook)?.dialect?.title;
    const fix = title === undefined ? 'leave out "shell"' : `write its words as "args", if ${title} reads them`;
    return { why: `${nameOf(hook.shell)} decides what the line starts`, fix };
  }
  const words = wordsOf(hook, { ...variables, ...filledIn });
  if (words === undefined) return { why: 'a shell reads it', fix: ONE_COMMAND };
  const [program = '', script = ''] = words;
  if (hasPath(program) && !isPlainInterpreter(nameOf(program))) return { script: program, words };
  if (!isPlainInterpreter(nameOf(program))) {
    return { why: `${program === '' ? 'it' : nameOf(program)} decides what it starts`, fix: ONE_COMMAND };
  }
  if (script === '' || script.startsWith('-') || script.startsWith('+')) {
    const what = script === '' ? 'nothing' : script;
    return { why: `${nameOf(program)} is given ${what} where its script should be`, fix: ONE_COMMAND };
  }
  if (!isFileName(script)) {
    return { why: `"${script}" may be a command of ${nameOf(program)}`, fix: `write ./${script}` };
  }
  return { interpreter: program, script, words };
};
