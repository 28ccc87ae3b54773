// Parses command lines by the grammar that an approval can cover.
import { getOrigin, type HookConfig } from '../../protocol/index.ts';
import { expandPlainly, plainWords, type Variables } from '../../runners/process-api.ts';

/**
 * Interpreters that run only the given script. Perl and Ruby are not among them: they load or start programs named in
 * the script's first line.
 */
const plainInterpreterPattern = /^(?:sh|bash|dash|node|python(?:3(?:\.\d{1,2})?)?)$/;

export const isPlainInterpreter = (name: string): boolean => plainInterpreterPattern.test(name);

/** No program gives a meaning to variables with this prefix. */
const OWN_PREFIX = 'HOOK_';

export interface PlainStart {
  readonly interpreter?: string;
  readonly script: string;
  readonly words: readonly string[];
}

export interface NotPlain {
  readonly why: string;
  readonly fix: string;
}

const ONE_COMMAND =
  'write one command: a script of the project by its path, or an interpreter and a script, then words';

export const getProgramName = (program: string): string => program.slice(program.lastIndexOf('/') + 1);

const hasPath = (word: string): boolean => word.includes('/');

/** A bare word may be a command of the interpreter (`node inspect`); a path or an extension makes it a file. */
const isFileName = (word: string): boolean => hasPath(word) || /.\.\w+$/.test(word);

const expandWords = ({ command = '', args }: HookConfig, variables: Variables): readonly string[] | undefined =>
  args === undefined
    ? plainWords(command, variables)
    : [command, ...args].map((word) => expandPlainly(word, variables));

const findForeignVariable = (own: Variables, filledIn: Variables): string | undefined =>
  Object.keys(own).find((name) => !name.startsWith(OWN_PREFIX) && filledIn[name] !== own[name]);

/**
 * Accepts `script words…` and `interpreter script words…` without a shell, options before the script, or foreign
 * variables. Which programs any other line starts would be a guess.
 */
export const parsePlainStart = (
  hook: HookConfig,
  { variables, own, filledIn }: { variables: Variables; own: Variables; filledIn: Variables },
): PlainStart | NotPlain => {
  if (process.platform === 'win32') return { why: 'Windows decides what it starts', fix: 'read what it names' };
  const name = findForeignVariable(own, filledIn);
  if (name !== undefined) {
    return { why: `it sets ${name}`, fix: `give its variables names that begin with ${OWN_PREFIX}` };
  }
  if (hook.shell !== undefined && hook.args === undefined) {
    const title = getOrigin(hook)?.dialect?.title;
    const fix = title === undefined ? 'leave out "shell"' : `write its words as "args", if ${title} reads them`;
    return { why: `${getProgramName(hook.shell)} decides what the line starts`, fix };
  }
  const words = expandWords(hook, { ...variables, ...filledIn });
  if (words === undefined) return { why: 'a shell reads it', fix: ONE_COMMAND };
  const [program = '', script = ''] = words;
  if (hasPath(program) && !isPlainInterpreter(getProgramName(program))) return { script: program, words };
  if (!isPlainInterpreter(getProgramName(program))) {
    return { why: `${program === '' ? 'it' : getProgramName(program)} decides what it starts`, fix: ONE_COMMAND };
  }
  if (script === '' || script.startsWith('-') || script.startsWith('+')) {
    const what = script === '' ? 'nothing' : script;
    return { why: `${getProgramName(program)} is given ${what} where its script should be`, fix: ONE_COMMAND };
  }
  if (!isFileName(script)) {
    return { why: `"${script}" may be a command of ${getProgramName(program)}`, fix: `write ./${script}` };
  }
  return { interpreter: program, script, words };
};
