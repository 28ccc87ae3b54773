// The grammar of command lines that an approval can cover.
import { type HookConfig, originOf } from '../../protocol/index.ts';
import { expandPlainly, plainWords, type Variables } from '../../runners/process-api.ts';

/**
 * Interpreters that run exactly the script they are given. Not perl and ruby, which also load or start programs named
 * in the script's first line.
 */
const interpreters = /^(?:sh|bash|dash|node|python(?:3(?:\.\d{1,2})?)?)$/;

export const isPlainInterpreter = (name: string): boolean => interpreters.test(name);

/** Variables with this prefix are harmless; any other may have a meaning to a program. */
const OWN_PREFIX = 'HOOK_';

/** The program and script of a line that follows the grammar. */
export interface PlainStart {
  /** The interpreter as written, if there is one. */
  readonly interpreter?: string;
  readonly script: string;
  readonly words: readonly string[];
}

/** Why a line does not follow the grammar, and what to write instead. */
export interface NotPlain {
  readonly why: string;
  readonly fix: string;
}

const ONE_COMMAND =
  'write one command: a script of the project by its path, or an interpreter and a script, then words';

const nameOf = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

const hasPath = (word: string): boolean => word.includes('/');

/** A bare word may be a command of the interpreter (`node inspect`); a path or an extension makes it a file. */
const isFileName = (word: string): boolean => hasPath(word) || /.\.\w+$/.test(word);

const wordsOf = ({ command = '', args }: HookConfig, variables: Variables): readonly string[] | undefined =>
  args === undefined
    ? plainWords(command, variables)
    : [command, ...args].map((word) => expandPlainly(word, variables));

/** A variable that the hook sets itself and that has no harmless prefix. */
const foreignName = (own: Variables, filledIn: Variables): string | undefined =>
  Object.keys(own).find((name) => !name.startsWith(OWN_PREFIX) && filledIn[name] !== own[name]);

/**
 * The grammar of lines that an approval can cover: `script words…` or `interpreter script words…`, without a shell,
 * options before the script, or variables other than ours. For any other line the started programs would be a guess.
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
